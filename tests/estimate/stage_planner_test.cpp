#include <string>

#include "support/catch.hpp"
#include "support/planned_job.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

CatalogParts parts_with(void (*change)(Training&)) {
  CatalogParts parts = small_parts();
  change(parts.models[0].stages[0].training);
  return parts;
}

void without_accumulation(Training& training) { training.accumulation_supported = false; }

Recipe& recipe(Training& training) { return training.recipes[Task::finetune]; }

// Only full batches of 8 clips in fp16, without checkpointing.
WorkloadRequest fixed_request() {
  WorkloadRequest request = small_request();
  request.batch_size = flag(8.0);
  request.grad_accum = flag(1);
  request.precision = flag(Precision::fp16);
  request.checkpointing = flag(false);
  request.optimizer = flag<std::string>("adamw");
  return request;
}

Lora some_lora() {
  Lora lora;
  lora.ranks = {8};
  lora.default_rank = 8;
  lora.parameters_per_rank = 0.1e6;
  lora.frozen = 100e6;
  return lora;
}

}  // namespace

TEST_CASE("what fits runs as the recipe says") {
  const PlannedJob plan(small_parts(), small_request(), "card-24gb");
  CHECK(plan.settings().batch == 8);
  CHECK(plan.settings().grad_accum == 1);
  CHECK(plan.settings().precision == Precision::fp16);
  CHECK_FALSE(plan.settings().checkpointing);
  CHECK(plan.settings().optimizer->id == "adamw");
  CHECK(plan.settings().method == Method::full);
  CHECK(plan.verdict() == Verdict::fits);
}

TEST_CASE("a smaller card accumulates to the same effective batch") {
  // (1.6 + b) x 1.05 + 0.5 <= 8: b up to 5, so twice 4.
  const PlannedJob eight(small_parts(), small_request(), "card-8gb");
  CHECK(eight.settings().batch == 4);
  CHECK(eight.settings().grad_accum == 2);
  // (1.6 + b) x 1.05 + 0.5 <= 4: b up to 1.
  const PlannedJob four(small_parts(), small_request(), "card-4gb");
  CHECK(four.settings().batch == 1);
  CHECK(four.settings().grad_accum == 8);
}

TEST_CASE("without accumulation a smaller card takes a smaller batch, down to a half") {
  const PlannedJob plan(parts_with(without_accumulation), small_request(), "card-8gb");
  CHECK(plan.settings().batch == 5);
  CHECK(plan.settings().grad_accum == 1);
  CHECK(plan.settings().wanted_batch == 8);
  CHECK_FALSE(plan.settings().checkpointing);
}

TEST_CASE("checkpointing keeps the batch where it would fall below a half") {
  const PlannedJob plan(parts_with(without_accumulation), small_request(), "card-4gb");
  CHECK(plan.settings().checkpointing);
  CHECK(plan.settings().batch == 8);
}

TEST_CASE("a batch below a half is taken where nothing else helps") {
  CatalogParts parts = parts_with([](Training& training) {
    training.accumulation_supported = false;
    training.optimizers.resize(1);
    training.profiles.resize(1);
  });
  const PlannedJob plan(parts, small_request(), "card-4gb");
  CHECK(plan.settings().batch == 1);
  CHECK(plan.verdict() == Verdict::fits);
}

TEST_CASE("an 8-bit optimizer is taken only where the batch does not fit without") {
  // 300 M parameters: 4.8 GB with AdamW, 3 GB with its 8-bit form.
  const auto change = [](Training& training) {
    training.trainable = 300e6;
    training.profiles.resize(1);
  };
  CHECK(PlannedJob(parts_with(change), small_request(), "card-8gb").settings().optimizer->id ==
        "adamw");
  CHECK(PlannedJob(parts_with(change), small_request(), "card-4gb").obstacle().code ==
        "does-not-fit");
  CatalogParts parts = parts_with(change);
  parts.gpus[1].usable_gib = in_gib(gb(5));
  CHECK(PlannedJob(parts, small_request(), "card-8gb").settings().optimizer->id == "adamw-8bit");
}

TEST_CASE("LoRA is taken only where full training does not fit at all") {
  const auto change = [](Training& training) {
    training.optimizers.resize(1);
    training.profiles.resize(1);
    training.lora = some_lora();
    MemoryProfile adapters = training.profiles[0];
    adapters.method = Method::lora;
    training.profiles.push_back(adapters);
  };
  CHECK(PlannedJob(parts_with(change), small_request(), "card-4gb").settings().method ==
        Method::full);
  CatalogParts parts = parts_with(change);
  parts.gpus[0].usable_gib = in_gib(gb(3));
  const PlannedJob plan(parts, small_request(), "card-4gb");
  CHECK(plan.settings().method == Method::lora);
  CHECK(plan.settings().lora_rank == 8);
}

TEST_CASE("LoRA that is switched off is not taken") {
  CatalogParts parts = parts_with([](Training& training) {
    training.optimizers.resize(1);
    training.profiles.resize(1);
    training.lora = some_lora();
    MemoryProfile adapters = training.profiles[0];
    adapters.method = Method::lora;
    training.profiles.push_back(adapters);
  });
  parts.gpus[0].usable_gib = in_gib(gb(3));
  WorkloadRequest request = small_request();
  request.lora_rank = flag(0);
  CHECK(PlannedJob(parts, request, "card-4gb").obstacle().code == "does-not-fit");
}

TEST_CASE("a recipe in fp32 stays in fp32 where that fits") {
  const CatalogParts parts =
      parts_with([](Training& training) { recipe(training).precision = Precision::fp32; });
  CHECK(PlannedJob(parts, small_request(), "card-24gb").settings().precision == Precision::fp32);
}

TEST_CASE("a recipe in fp32 goes to bf16 where only that fits") {
  CatalogParts parts = parts_with([](Training& training) {
    recipe(training).precision = Precision::fp32;
    recipe(training).batch.value = 1;
    training.profiles.erase(training.profiles.begin() + 3);
    training.optimizers.resize(1);
  });
  CHECK(PlannedJob(parts, small_request(), "card-4gb").settings().precision == Precision::bf16);
  parts.gpus[0].bf16_tflops = std::nullopt;
  CHECK(PlannedJob(parts, small_request(), "card-4gb").settings().precision == Precision::fp16);
}

TEST_CASE("a card without tensor cores trains a half-precision recipe in fp32") {
  CatalogParts parts = small_parts();
  parts.gpus[3].tensor_cores = parts.gpus[3].bf16_tflops = std::nullopt;
  CHECK(PlannedJob(parts, small_request(), "card-24gb").settings().precision == Precision::fp32);
}

TEST_CASE("bf16 that is asked for is refused on a card without it") {
  CatalogParts parts = small_parts();
  parts.gpus[3].bf16_tflops = std::nullopt;
  WorkloadRequest request = small_request();
  request.precision = flag(Precision::bf16);
  const Obstacle obstacle = PlannedJob(parts, request, "card-24gb").obstacle();
  CHECK(obstacle.code == "no-precision");
  CHECK(obstacle.message == "Card card-24gb has no bf16, only a slow emulation");
  CHECK(obstacle.nearest_fix == "--precision fp16");
}

TEST_CASE("an accumulation that the trainer fixes is kept") {
  const PlannedJob plan(parts_with([](Training& training) {
                          training.accumulation_supported = false;
                          training.accumulation_fixed = 4;
                        }),
                        small_request(), "card-24gb");
  CHECK(plan.settings().batch == 8);
  CHECK(plan.settings().grad_accum == 4);
  CHECK(plan.settings().wanted_batch == 32);
}

TEST_CASE("an accumulation that is asked for is kept") {
  WorkloadRequest request = small_request();
  request.grad_accum = flag(3);
  CHECK(PlannedJob(small_parts(), request, "card-24gb").settings().grad_accum == 3);
}

TEST_CASE("a batch that is asked for is kept") {
  WorkloadRequest request = small_request();
  request.batch_size = flag(3.0);
  const PlannedJob plan(small_parts(), request, "card-24gb");
  CHECK(plan.settings().batch == 3);
  CHECK(plan.settings().grad_accum == 1);
}

TEST_CASE("a batch is never larger than the data set") {
  WorkloadRequest request = small_request();
  request.dataset = flag(Seconds(15));
  CHECK(PlannedJob(small_parts(), request, "card-24gb").settings().batch == 3);
}

TEST_CASE("a batch rule by memory goes by the card's size on the box") {
  const auto change = [](Training& training) {
    recipe(training).batch.value.reset();
    recipe(training).batch.per_memory_gb = 0.5;
  };
  CHECK(PlannedJob(parts_with(change), small_request(), "card-24gb").settings().wanted_batch == 12);
  CHECK(PlannedJob(parts_with(change), small_request(), "card-12gb").settings().wanted_batch == 6);
}

TEST_CASE("a batch rule's cap, halving in fp32 and share of the data set hold") {
  CatalogParts parts = parts_with([](Training& training) {
    recipe(training).batch.value = 40;
    recipe(training).batch.max = 20;
  });
  CHECK(PlannedJob(parts, small_request(), "card-24gb").settings().wanted_batch == 20);
  recipe(parts.models[0].stages[0].training).batch.halve_in_fp32 = true;
  recipe(parts.models[0].stages[0].training).batch.max.reset();
  WorkloadRequest request = small_request();
  request.precision = flag(Precision::fp32);
  CHECK(PlannedJob(parts, request, "card-24gb").settings().wanted_batch == 20);
  recipe(parts.models[0].stages[0].training).batch.max_share_of_clips = 0.25;
  request = small_request();
  request.dataset = flag(Seconds(200));  // 40 clips
  CHECK(PlannedJob(parts, request, "card-24gb").settings().wanted_batch == 10);
}

TEST_CASE("two GPUs share the effective batch") {
  const PlannedJob plan(small_parts(), small_request(), "card-24gb", 2);
  CHECK(plan.settings().gpus == 2);
  CHECK(plan.settings().batch == 4);
  CHECK(plan.settings().effective_batch() == 8);
}

TEST_CASE("a trainer for one GPU is not planned on two") {
  const Obstacle obstacle =
      PlannedJob(parts_with([](Training& training) { training.multi_gpu = false; }),
                 small_request(), "card-24gb", 2)
          .obstacle();
  CHECK(obstacle.code == "single-gpu-trainer");
  CHECK(obstacle.nearest_fix == "--gpu-count 1");
}

TEST_CASE("more than eight GPUs are not planned") {
  CHECK(PlannedJob(small_parts(), small_request(), "card-24gb", 16).obstacle().code ==
        "too-many-gpus");
}

TEST_CASE("a fixed batch that is too large is answered with the batch that fits") {
  const Obstacle obstacle = PlannedJob(small_parts(), fixed_request(), "card-8gb").obstacle();
  CHECK(obstacle.code == "does-not-fit");
  // 1.6 + 8 + 0.5 GB against 8 GB, in GiB.
  CHECK(obstacle.message == "stage main needs 9.4 GiB at batch 8, Card card-8gb gives 7.5 GiB");
  CHECK(obstacle.nearest_fix == "batch 5 instead of 8");
}

TEST_CASE("clips that are too long are answered with the length that fits") {
  CatalogParts parts = parts_with([](Training& training) {
    training.profiles.resize(1);
    training.optimizers.resize(1);
  });
  WorkloadRequest request = small_request();
  request.max_clip = flag(Seconds(60));
  request.headroom = flag(0.0);
  const Obstacle obstacle = PlannedJob(parts, request, "card-4gb").obstacle();
  CHECK(obstacle.code == "does-not-fit");
  // (1.6 + s / 10) x 1.05 + 0.5 <= 4: s up to 17.
  CHECK(obstacle.nearest_fix == "clips up to 17s instead of 1m");
}

TEST_CASE("a model that is too large is answered with the memory it needs") {
  CatalogParts parts = parts_with([](Training& training) {
    training.trainable = 1000e6;
    training.optimizers.resize(1);
  });
  const Obstacle obstacle = PlannedJob(parts, small_request(), "card-4gb").obstacle();
  // (16 + 0.2) x 1.05 + 0.5 GB = 16.3 GiB
  CHECK(obstacle.nearest_fix == "a GPU with 16.3 GiB usable or more");
}

TEST_CASE("the fix for a batch is one that fits") {
  WorkloadRequest request = fixed_request();
  request.batch_size = flag(5.0);
  CHECK(PlannedJob(small_parts(), request, "card-8gb").verdict() == Verdict::fits);
  request.batch_size = flag(6.0);
  CHECK(PlannedJob(small_parts(), request, "card-8gb").verdict() != Verdict::fits);
}

TEST_CASE("a batch that may or may not fit is planned as tight") {
  CatalogParts parts = small_parts();
  parts.gpus[1].usable_gib = in_gib(gb(8.2));
  WorkloadRequest request = fixed_request();
  request.batch_size = flag(6.0);
  // 8.1 GB expected, 8.48 at the high end.
  const PlannedJob job(parts, request, "card-8gb");
  CHECK(job.verdict() == Verdict::tight);
  CHECK(job.obstacle().code == "none");
}

TEST_CASE("half a card is planned with half its memory") {
  const CatalogParts parts = parts_with(without_accumulation);
  // 6 of 12 GB hold 3 clips, and 8 only with checkpointing.
  CHECK_FALSE(PlannedJob(parts, small_request(), "card-12gb").settings().checkpointing);
  CHECK(PlannedJob(parts, small_request(), "card-12gb", 0.5).settings().checkpointing);
}

TEST_CASE("of two settings without sacrifice the faster is taken") {
  // Checkpointing costs 1.5 times; accumulation nothing.
  CHECK_FALSE(PlannedJob(small_parts(), small_request(), "card-4gb").settings().checkpointing);
}
