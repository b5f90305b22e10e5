// The memory figures that issue 3 demands, each with its source.
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "vcgpu/planner.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// A stage with the lengths that were measured, on one GPU.
struct Measured {
  std::string model, variant, stage;
  double tokens = 0;
};

StagePlan plan_of(const Measured& measured, double batch) {
  StagePlan plan;
  plan.precision = Precision::bf16;
  plan.batch = batch;
  const Stage& stage = embedded_stage(measured.model, measured.variant, measured.stage);
  plan.optimizer = &stage.training.optimizers.front();
  return plan;
}

MemoryEstimate estimate(const Measured& measured, const StagePlan& plan) {
  StageWorkload workload;
  workload.stage = &embedded_stage(measured.model, measured.variant, measured.stage);
  workload.lengths[Variable::sequence] = measured.tokens;
  return estimate_memory(workload, plan, embedded_catalog().assumptions());
}

double live_gb(const Measured& measured, const StagePlan& plan) {
  return in_gb(estimate(measured, plan).allocated.expected);
}

// The prompt of three words that both Bark reports used: two seconds of audio.
double bark_gb(const std::string& variant, std::optional<Precision> precision = {},
               std::optional<bool> offload = {}) {
  WorkloadRequest request = request_for(Task::batch, "bark@" + variant);
  request.output = flag(Seconds(2));
  if (precision) request.precision = flag(*precision);
  if (offload) request.offload = flag(*offload);
  const Catalog& catalog = embedded_catalog();
  const Workload workload = resolve(request, catalog);
  const GroupPlan plan = plan_group(workload, embedded_group("titan rtx"), catalog);
  return in_gb(memory_of(workload, plan, 0, catalog.assumptions()).allocated.expected);
}

std::vector<const Gpu*> nvidia_cards_of(double gb) {
  std::vector<const Gpu*> cards;
  for (const Gpu& gpu : embedded_catalog().gpus()) {
    if (gpu.memory_gb == gb && gpu.vendor == Vendor::nvidia) cards.push_back(&gpu);
  }
  return cards;
}

std::string verdict_on(const Gpu& gpu, const WorkloadRequest& request) {
  const Workload workload = resolve(request, embedded_catalog());
  const GroupPlan plan = plan_group(workload, group_of(gpu), embedded_catalog());
  return std::string(name_of(plan.fit.verdict));
}

WorkloadRequest one_piece_of(double seconds) {
  WorkloadRequest request = request_for(Task::batch, "so-vits-svc@4.1");
  request.output = flag(Seconds(seconds));
  return request;
}

}  // namespace

TEST_CASE("Bark's own code, full models, short prompt: 7.6 GB live") {
  // evidence bark-004, suno-ai/bark:notebooks/memory_profiling_bark.ipynb
  CHECK(bark_gb("full") == Approx(7.6).epsilon(0.01));
}

TEST_CASE("Bark's own code, small models, short prompt: 2.9 GB live") {
  // evidence bark-003, suno-ai/bark:notebooks/memory_profiling_bark.ipynb
  CHECK(bark_gb("small") == Approx(2.9).epsilon(0.01));
}

TEST_CASE("Bark in transformers, fp32: 4.9 GB live") {
  // evidence bark-014, huggingface.co/blog/optimizing-bark
  CHECK(bark_gb("full-transformers-port", Precision::fp32, false) == Approx(4.9).epsilon(0.01));
}

TEST_CASE("Bark in transformers, fp16 with offload: 1.0 GB live") {
  // evidence bark-017, huggingface.co/blog/optimizing-bark: 0.99
  CHECK(bark_gb("full-transformers-port", Precision::fp16, true) == Approx(1.0).epsilon(0.015));
}

TEST_CASE("Fish-Speech 1.5, bf16, checkpointed, full, 4 x 1,024 tokens: 7.2 GB live") {
  // measured-transformers section 5
  const Measured fish{"fish-speech", "1.5", "llm", 1024};
  StagePlan plan = plan_of(fish, 4);
  plan.checkpointing = true;
  CHECK(live_gb(fish, plan) == Approx(7.2).epsilon(0.005));
}

TEST_CASE("Fish-Speech 1.5, bf16, checkpointed, LoRA, 4 x 1,024 tokens: 4.8 GB live") {
  // measured-transformers section 5: 4.84
  const Measured fish{"fish-speech", "1.5", "llm", 1024};
  StagePlan plan = plan_of(fish, 4);
  plan.checkpointing = true;
  plan.method = Method::lora;
  plan.lora_rank = 8;
  CHECK(live_gb(fish, plan) == Approx(4.84).epsilon(0.005));
}

TEST_CASE("CosyVoice2 language model, autocast, 4 x 327 tokens: 9.65 GB live") {
  // measured-transformers section 6; 2,000 mel frames, the recipe's batch
  const Measured lm{"cosyvoice", "2", "llm"};
  CHECK(live_gb(lm, plan_of(lm, 2000)) == Approx(9.65).epsilon(0.005));
}

TEST_CASE("CosyVoice2 language model: accumulated gradients add 2.02 GB") {
  // measured-transformers section 6
  const Measured lm{"cosyvoice", "2", "llm"};
  StagePlan accumulating = plan_of(lm, 2000);
  accumulating.grad_accum = 2;
  CHECK(live_gb(lm, accumulating) - live_gb(lm, plan_of(lm, 2000)) == Approx(2.02).epsilon(0.005));
}

TEST_CASE("Orpheus 3B, full fine-tune, states in bf16, 1 x 1,024 tokens: 28.3 GB live") {
  // measured-transformers section 10
  const Measured orpheus{"orpheus", "3b", "llm", 1024};
  CHECK(live_gb(orpheus, plan_of(orpheus, 1)) == Approx(28.3).epsilon(0.005));
}

TEST_CASE("Orpheus 3B over four cards with DDP needs no less on each") {
  // DDP holds everything on every card and adds a bucket as large as the
  // gradients: measured-vits, DistributedDataParallel
  const Measured orpheus{"orpheus", "3b", "llm", 1024};
  const StagePlan alone = plan_of(orpheus, 1);
  StagePlan over_four = alone;
  over_four.gpus = 4;
  CHECK(live_gb(orpheus, over_four) == live_gb(orpheus, alone));
  CHECK(estimate(orpheus, over_four).device.expected > estimate(orpheus, alone).device.expected);
}

TEST_CASE("F5-TTS with a clip of 49 s at 1,500 frames does not fit on any card of 24 GB") {
  // evidence f5-010, SWivid/F5-TTS#223: out of memory on an RTX A5000
  WorkloadRequest request = request_for(Task::finetune, "f5-tts@base");
  request.stage = flag(std::string("flow"));
  request.batch_size = flag(1500.0);
  request.max_clip = flag(Seconds(49));
  for (const Gpu* gpu : nvidia_cards_of(24)) {
    CAPTURE(gpu->id);
    CHECK(verdict_on(*gpu, request) == "does-not-fit");
  }
}

TEST_CASE("so-vits-svc on 209 s in one piece does not fit on any card of 24 GB") {
  // evidence svc-006, innnky/so-vits-svc#26: out of memory on an RTX 3090
  for (const Gpu* gpu : nvidia_cards_of(24)) {
    CAPTURE(gpu->id);
    CHECK(verdict_on(*gpu, one_piece_of(209)) == "does-not-fit");
  }
}

TEST_CASE("so-vits-svc on 50 s in one piece is tight on every card of 16 GB") {
  // evidence svc-008, innnky/so-vits-svc#7: longer pieces run out of memory
  for (const Gpu* gpu : nvidia_cards_of(16)) {
    CAPTURE(gpu->id);
    CHECK(verdict_on(*gpu, one_piece_of(50)) == "tight");
  }
}
