#include "vcgpu/fit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/fitted.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

using Levers = std::vector<std::string>;

}  // namespace

TEST_CASE("a recipe that fits is the recommended rung") {
  // 1.6 GB of state, 8 clips of 1 GB and 0.5 GB of context: small_catalog.hpp.
  const Fitted fit(small_parts(), small_request(), "card-12gb");
  CHECK(fit.stage().recommended == 0U);
  CHECK(fit.chosen().lever == "recipe");
  CHECK(in_gb(fit.chosen().device.expected) == Approx(10.1));
  CHECK(fit.chosen().time_factor == Approx(1));
  CHECK_FALSE(fit->another_card);
}

TEST_CASE("a smaller micro-batch with accumulation is the first sacrifice, and is none") {
  const Fitted fit(small_parts(), small_request(), "card-8gb");
  CHECK(fit.levers() == Levers{"recipe", "micro-batch"});
  CHECK(fit.chosen().cost == QualityCost::none);
  // Five clips would fit; two passes of four are the recipe's eight.
  CHECK(fit.chosen().training->batch == 4);
  CHECK(fit.chosen().training->grad_accum == 2);
  CHECK(in_gb(fit.chosen().device.expected) == Approx(6.1));
}

TEST_CASE("checkpointing comes next, then an 8-bit optimizer") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("card-3gb", 3));
  parts.gpus.push_back(small_gpu("card-2gb", 2));
  const Fitted three(parts, small_request(), "card-3gb");
  CHECK(three.levers() == Levers{"recipe", "micro-batch", "checkpointing"});
  CHECK(three.chosen().training->batch == 3);
  CHECK(in_gb(three.chosen().device.expected) == Approx(2.7));
  const Fitted two(parts, small_request(), "card-2gb");
  CHECK(two.chosen().lever == "8-bit-optimizer");
  CHECK(two.chosen().training->checkpointing);
}

TEST_CASE("a trainer that does not accumulate takes a smaller batch, and that changes training") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.accumulation_supported = false;
  const Fitted fit(parts, small_request(), "card-8gb");
  CHECK(fit.levers() == Levers{"recipe", "smaller-batch"});
  CHECK(fit.chosen().cost == QualityCost::training_dynamics);
  CHECK(fit.chosen().training->batch == 5);
}

TEST_CASE("below half of the recipe's batch is a rung of its own, after checkpointing") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("card-3gb", 3));
  Training& training = parts.models[0].stages[0].training;
  training.accumulation_supported = false;
  CHECK(Fitted(parts, small_request(), "card-4gb").levers() ==
        Levers{"recipe", "smaller-batch", "checkpointing"});
  // Without checkpointing, b = 1 alone fits.
  std::erase_if(training.profiles, [](const MemoryProfile& p) { return p.checkpointing; });
  CHECK(Fitted(parts, small_request(), "card-4gb").levers() ==
        Levers{"recipe", "smaller-batch", "small-batch"});
}

TEST_CASE("precision is a rung where the recipe trains in fp32 and the card has more") {
  CatalogParts parts = small_parts();
  Training& training = parts.models[0].stages[0].training;
  training.recipes.at(Task::finetune).precision = Precision::fp32;
  std::erase_if(training.profiles, [](const MemoryProfile& p) { return p.checkpointing; });
  parts.gpus.push_back(small_gpu("card-3.5gb", 3.5));
  const Fitted fit(parts, small_request(), "card-3.5gb");
  CHECK(fit.levers() == Levers{"recipe", "micro-batch", "precision"});
  CHECK(fit.chosen().training->precision == Precision::bf16);
  parts.gpus.back().bf16_tflops = parts.gpus.back().fp16_tflops = std::nullopt;
  const Fitted old(parts, small_request(), "card-3.5gb");
  CHECK_FALSE(old.has("precision"));
  CHECK(old.why_missing("precision").find("no 16-bit arithmetic") != std::string::npos);
}

TEST_CASE(
    "fused attention and leaving out the averaged copy are shown, though no plan pulls them") {
  CatalogParts parts = small_parts();
  Training& training = parts.models[0].stages[0].training;
  training.recipes.at(Task::finetune).attention = Attention::eager;
  training.profiles = {small_profile({Precision::fp16}, false, 2),
                       small_profile({Precision::fp16}, false, 1)};
  training.profiles[0].attention = Attention::eager;
  training.profiles[1].attention = Attention::sdpa;
  // b = 1: 1.6 + 2 + 0.5 GB eager, 1 GB less fused.
  const Fitted fused(parts, small_request(), "card-4gb");
  CHECK(fused.levers() == Levers{"recipe", "micro-batch", "attention"});
  CHECK(fused.chosen().training->attention == Attention::sdpa);

  training.ema_bytes = 4;
  training.ema_switch = true;
  training.optimizers.pop_back();
  CHECK(Fitted(parts, small_request(), "card-4gb").chosen().lever == "attention");
  parts.gpus.push_back(small_gpu("card-3.4gb", 3.4));
  const Fitted without(parts, small_request(), "card-3.4gb");
  CHECK(without.chosen().lever == "no-ema");
  CHECK_FALSE(without.chosen().training->ema);
}

TEST_CASE("shorter clips are the last rung, and the longest that fit") {
  CatalogParts parts = small_parts();
  Training& training = parts.models[0].stages[0].training;
  training.optimizers.pop_back();
  training.profiles = {small_profile({Precision::fp16}, false, 1)};
  parts.gpus.push_back(small_gpu("card-3gb", 3));
  const Fitted fit(parts, small_request(), "card-3gb");
  CHECK(fit.chosen().lever == "shorter-clips");
  CHECK(fit.chosen().cost == QualityCost::data);
  // (1.6 + s / 10) x 1.05 + 0.5 <= 3 GB: 7.8 s; and 2.1 + s / 10 <= 2.85 GB: 7.5 s.
  CHECK(fit.chosen().longest.count() == 7);
  CHECK(fit->workload.stages[0].max_clip.value.count() == 7);
  CHECK(fit->plan.fit.verdict == Verdict::fits);
}

TEST_CASE("where nothing fits, the smallest card that does it is named") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("card-1gb", 1));
  const Fitted fit(parts, small_request(), "card-1gb");
  CHECK_FALSE(fit->solved());
  CHECK(fit->plan.fit.verdict == Verdict::does_not_fit);
  REQUIRE(fit->another_card);
  CHECK(fit->another_card->gpu->id == "card-4gb");
  CHECK_FALSE(fit->another_card->by_recipe);
}

TEST_CASE("where changes make it fit, the card that needs none is named") {
  const Fitted fit(small_parts(), small_request(), "card-4gb");
  REQUIRE(fit->another_card);
  CHECK(fit->another_card->gpu->id == "card-12gb");
  CHECK(fit->another_card->by_recipe);
}

TEST_CASE("more GPUs are named where the trainer shares out what one cannot hold") {
  CatalogParts parts = small_parts();
  Training& training = parts.models[0].stages[0].training;
  training.shardings = {Sharding::zero2, Sharding::zero3};
  training.trainable = 1000e6;  // 16 GB of state, 4 GB of it weights
  parts.models[0].stages[0].training.optimizers.pop_back();
  const Fitted fit(parts, small_request(), "card-8gb");
  CHECK_FALSE(fit->solved());
  REQUIRE(fit->more_gpus);
  CHECK(fit->more_gpus->count > 1);
  const Fitted many(parts, small_request(), "card-8gb", fit->more_gpus->count);
  CHECK(many->solved());
  CHECK(many.chosen().training->sharding != Sharding::none);
}

TEST_CASE("what the user set is kept, and named with what fits without it") {
  WorkloadRequest request = small_request();
  request.batch_size = flag(64.0);
  const Fitted fit(small_parts(), request, "card-12gb");
  for (const Rung& rung : fit.stage().ladder) CHECK(rung.training->batch == 64);
  REQUIRE(fit.stage().fixed.size() == 1);
  CHECK(fit.stage().fixed[0].flag == "--batch-size 64");
  CHECK(fit.stage().fixed[0].without.find("batch 8") != std::string::npos);
}

TEST_CASE("the largest batch fits and one more does not") {
  const Fitted fit(small_parts(), small_request(), "card-24gb");
  // (1.6 + b) x 1.05 + 0.5 <= 24 and 2.1 + b <= 22.8 GB.
  CHECK(fit.stage().largest_batch == Approx(20));
}

TEST_CASE("the longest clip is found at the recommended batch, and ends at the trainer's cap") {
  CatalogParts parts = small_parts();
  // 8 clips: (1.6 + 0.8 s) x 1.05 + 0.5 <= 12 and 2.1 + 0.8 s <= 11.4 GB.
  CHECK(Fitted(parts, small_request(), "card-12gb").stage().longest_clip->count() == 11);
  parts.models[0].stages[0].training.cap_clip = Seconds(10.5);
  CHECK(Fitted(parts, small_request(), "card-12gb").stage().longest_clip->count() == 10.5);
}

TEST_CASE("the grid has the verdict of each clip and batch, up to the trainer's cap") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.cap_clip = Seconds(12);
  const Fitted fit(parts, small_request(), "card-12gb");
  const std::vector<GridCell>& grid = fit.stage().grid;
  REQUIRE(grid.size() == 15);  // 3, 5 and 10 s against 1, 2, 4, 8 and 16
  CHECK(grid.front().clip.count() == 3);
  CHECK(grid.back().batch == 16);
  CHECK(in_gb(grid.back().expected) == Approx(18.1));
  CHECK(grid.back().verdict == Verdict::does_not_fit);
}

TEST_CASE("rungs beyond what is needed are more room") {
  const Fitted fit(small_parts(), small_request(), "card-12gb");
  const std::vector<Rung>& ladder = fit.stage().ladder;
  REQUIRE(ladder.size() == 4);
  CHECK(ladder[1].lever == "micro-batch");
  CHECK(ladder[3].lever == "8-bit-optimizer");
  CHECK(std::all_of(ladder.begin() + 1, ladder.end(), [](const Rung& r) { return r.more_room; }));
}

TEST_CASE("a tight rung is recommended where none fits") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("card-10.3gb", 10.3));
  WorkloadRequest request = small_request();
  request.batch_size = flag(8.0);
  request.checkpointing = flag(false);
  request.optimizer = flag(std::string("adamw"));
  request.headroom = flag(0.0);
  parts.models[0].stages[0].training.cap_clip = std::nullopt;
  const Fitted fit(parts, request, "card-10.3gb");
  // 9.6 x 1.05 + 0.5 = 10.58 GB is above what there is, 10.1 below.
  CHECK(fit.stage().ladder.front().fit.verdict == Verdict::tight);
  CHECK(fit->solved());
}

TEST_CASE("on Windows the ladder says what a full card does") {
  WorkloadRequest request = small_request();
  CHECK(Fitted(small_parts(), request, "card-4gb")->note.empty());
  request.os = flag(HostOs::windows);
  CHECK(Fitted(small_parts(), request, "card-4gb")->note.find("spills") != std::string::npos);
}

TEST_CASE("sizes, slices and several cards have a ladder each") {
  const Workload workload = resolve(request_for(Task::finetune, "xtts"), embedded_catalog());
  const FitAnswer answer =
      fit_gpus(workload, embedded_catalog(), {"12GB", "a100-80gb/3g.40gb", "rtx-3060-12gb"}, {}, 1);
  CHECK(answer.gpus.size() == 3);
  CHECK(answer.recommendation.rejections.empty());
  for (const Candidate& candidate : answer.recommendation.candidates)
    CHECK(answer.of(candidate).solved());
  CHECK(error_of([&] {
          fit_gpus(workload, embedded_catalog(), {"rtx 40900"}, {}, 1);
        }).exit_code() == ExitCode::usage);
}

TEST_CASE("hardware that cannot run the project at all is rejected, with the reason") {
  CatalogParts parts = small_parts();
  parts.gpus[0].vendor = Vendor::amd;
  const Catalog catalog(parts);
  const Workload workload = resolve(small_request(), catalog);
  const FitAnswer answer = fit_gpus(workload, catalog, {"card-4gb"}, {}, 1);
  CHECK(answer.gpus.empty());
  CHECK(answer.recommendation.rejections.at(0).code == "vendor-not-supported");
}

// What users of real cards report.

namespace {

FitAnswer on_card(const WorkloadRequest& request, const std::string& gpu) {
  static std::vector<std::unique_ptr<Workload>> kept;  // answers point into them
  kept.push_back(std::make_unique<Workload>(resolve(request, embedded_catalog())));
  return fit_gpus(*kept.back(), embedded_catalog(), {gpu}, {}, 1);
}

}  // namespace

TEST_CASE("XTTS on 12 GB trains clip by clip, and on 8 GB not at all") {
  // coqui-ai/TTS#3268: 12 GB, batch 1 works, 2 and 3 fail; 8 GB fails at batch 1.
  const WorkloadRequest xtts = request_for(Task::finetune, "xtts");
  const FitAnswer twelve = on_card(xtts, "12GB");
  const Rung& chosen = *twelve.gpus[0].stages[0].chosen();
  CHECK(chosen.lever == "micro-batch");
  CHECK(chosen.training->batch == 1);
  CHECK(chosen.training->effective_batch() == 252);  // the recipe's 3 x 84
  CHECK(twelve.gpus[0].stages[0].largest_batch == 1);
  CHECK_FALSE(on_card(xtts, "8GB").gpus[0].solved());
}

TEST_CASE("GPT-SoVITS v3 on 8 GB needs LoRA") {
  // RVC-Boss/GPT-SoVITS@514fb692: 8 GB with LoRA; Changelog_CN.md: 14 GB without.
  WorkloadRequest request = request_for(Task::finetune, "gpt-sovits@v3");
  request.stage = flag(std::string("s2"));
  const FitAnswer lora = on_card(request, "8GB");
  CHECK(lora.gpus[0].stages[0].chosen()->training->lora_rank == 32);
  request.lora_rank = flag(0);
  const FitAnswer full = on_card(request, "8GB");
  CHECK_FALSE(full.gpus[0].solved());
  CHECK(full.gpus[0].stages[0].fixed.at(0).without.find("LoRA rank 32") != std::string::npos);
}

TEST_CASE("GPT-SoVITS v3 without LoRA on 12 GB needs checkpointing") {
  // RVC-Boss/GPT-SoVITS#2040: 12 GB with gradient checkpointing, at batch 1.
  WorkloadRequest request = request_for(Task::finetune, "gpt-sovits@v3");
  request.stage = flag(std::string("s2"));
  request.lora_rank = flag(0);
  const FitAnswer answer = on_card(request, "rtx-3060-12gb");
  CHECK(answer.gpus[0].stages[0].chosen()->lever == "checkpointing");
}

TEST_CASE("a 24 GB card takes RVC's batch of 32 and hardly more") {
  // RVC-Project/Retrieval-based-Voice-Conversion-WebUI#1037: 32 to 36 work, 40 spills under
  // Windows, where the allocator does not give its cache up.
  WorkloadRequest request = request_for(Task::finetune, "rvc");
  const FitAnswer linux = on_card(request, "rtx-3090-24gb");
  CHECK(linux.gpus[0].stages[0].largest_batch >= 36);
  request.os = {HostOs::windows, Origin::flag};
  const FitAnswer windows = on_card(request, "rtx-3090-24gb");
  CHECK(windows.gpus[0].stages[0].largest_batch < 40);
  CHECK(windows.gpus[0].stages[0].largest_batch >= 28);
}

TEST_CASE("a budget of frames stays above the longest clip on every rung") {
  // SWivid/F5-TTS#223: a clip longer than the budget sets the peak.
  const FitAnswer answer = on_card(request_for(Task::finetune, "f5-tts"), "8GB");
  const GpuFit& fit = answer.gpus[0];
  for (const Rung& rung : fit.stages[0].ladder)
    CHECK(rung.training->batch >= std::floor(rung.longest.count() * 93.75));
}

TEST_CASE("a rung names the levers above it that it gives back") {
  // fp32 at b = 4 does not fit 4 GB, bf16 does not at 4 either, fp32 does at 1: a
  // plan prefers a smaller batch to 16 bits and a smaller batch.
  CatalogParts parts = small_parts();
  Training& training = parts.models[0].stages[0].training;
  training.accumulation_supported = false;
  training.recipes.at(Task::finetune).precision = Precision::fp32;
  std::erase_if(training.profiles, [](const MemoryProfile& p) { return p.checkpointing; });
  parts.gpus.push_back(small_gpu("card-5gb", 5));
  const Fitted fit(parts, small_request(), "card-5gb");
  CHECK(fit.levers() == Levers{"recipe", "smaller-batch", "precision", "small-batch"});
  CHECK(fit.chosen().training->precision == Precision::fp32);
  CHECK(fit.chosen().not_needed == Levers{"precision"});
}
