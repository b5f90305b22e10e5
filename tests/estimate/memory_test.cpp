#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/small_catalog.hpp"
#include "vcgpu/estimate.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// Batches of clips of 10 s: 1000 frames.
StageWorkload ten_seconds(const Stage& stage) {
  StageWorkload workload;
  workload.stage = &stage;
  workload.lengths = lengths_of(stage.lengths, Seconds(10), {});
  return workload;
}

StagePlan plan_of(const Stage& stage, double batch = 1) {
  StagePlan plan;
  plan.precision = Precision::fp16;
  plan.optimizer = &stage.training.optimizers.front();
  plan.batch = batch;
  return plan;
}

MemoryEstimate estimate(const Stage& stage, const StagePlan& plan) {
  return estimate_memory(ten_seconds(stage), plan, small_assumptions());
}

double allocated_gb(const Stage& stage, const StagePlan& plan) {
  return in_gb(estimate(stage, plan).allocated.expected);
}

double component_gb(const MemoryEstimate& estimate, const std::string& name) {
  double bytes = 0;
  for (const MemoryComponent& component : estimate.components) {
    if (component.name == name) bytes += component.bytes.count();
  }
  return bytes / 1e9;
}

double sum_gb(const MemoryEstimate& estimate) {
  double bytes = 0;
  for (const MemoryComponent& component : estimate.components) bytes += component.bytes.count();
  return bytes / 1e9;
}

InferenceWorkload serving(const Inference& inference) {
  InferenceWorkload workload;
  workload.inference = &inference;
  workload.precision.value = Precision::fp16;
  return workload;
}

MemoryEstimate serve(const Inference& inference, int streams) {
  return estimate_memory(serving(inference),
                         InferencePlan{.precision = Precision::fp16, .streams_per_gpu = streams},
                         small_assumptions());
}

Range<Bytes> peak_of(double expected_gb, double high_gb) {
  return {gb(expected_gb * expected_gb / high_gb), gb(expected_gb), gb(high_gb)};
}

Fit judge(const Range<Bytes>& device, double usable_gb, double headroom = 0) {
  return judge_fit(device, gb(usable_gb), headroom, small_assumptions());
}

}  // namespace

TEST_CASE("training holds weights, gradients, optimizer state and the longest clips") {
  const Stage stage = small_stage();
  // 100 M parameters x (4 + 4 + 8) bytes, and 3 clips x 1000 frames x 1 MB.
  CHECK(allocated_gb(stage, plan_of(stage, 3)) == Approx(1.6 + 3));
}

TEST_CASE("the card holds the CUDA context on top of what is allocated") {
  const Stage stage = small_stage();
  CHECK(in_gb(estimate(stage, plan_of(stage, 3)).device.expected) == Approx(4.6 + 0.5));
}

TEST_CASE("the range of memory is as wide as the spread says, around tensors only") {
  const Stage stage = small_stage();
  CHECK(in_gb(estimate(stage, plan_of(stage, 3)).device.high) == Approx(4.6 * 1.05 + 0.5));
}

TEST_CASE("the low end of the memory loses slack, never tensors") {
  const Stage stage = small_stage();
  Assumptions assumptions = small_assumptions();
  assumptions.memory.training[Family::transformer].slack = 0.03;
  const Range<Bytes> device =
      estimate_memory(ten_seconds(stage), plan_of(stage, 3), assumptions).device;
  // 4.6 x 1.03 / 1.05 would be less than is allocated.
  CHECK(in_gb(device.low) == Approx(4.6 + 0.5));
}

TEST_CASE("the spreads of family and basis add as independent errors do") {
  Stage stage = small_stage();
  stage.training.profiles[0].basis = Basis::analytic;
  Assumptions assumptions = small_assumptions();
  assumptions.memory.training[Family::transformer].sigma = 0.3;
  assumptions.memory.basis_sigma[Basis::analytic] = 0.4;
  const Range<Bytes> device =
      estimate_memory(ten_seconds(stage), plan_of(stage), assumptions).device;
  // sqrt(0.3^2 + 0.4^2) = 0.5
  CHECK(in_gb(device.high) == Approx(2.6 * std::exp(percentile_95_z * 0.5) + 0.5));
}

TEST_CASE("slack is a share of what is allocated") {
  const Stage stage = small_stage();
  Assumptions assumptions = small_assumptions();
  assumptions.memory.training[Family::transformer].slack = 0.2;
  const MemoryEstimate result = estimate_memory(ten_seconds(stage), plan_of(stage), assumptions);
  CHECK(in_gb(result.device.expected) == Approx(2.6 * 1.2 + 0.5));
  CHECK(in_gb(result.allocated.expected) == Approx(2.6));
}

TEST_CASE("without activations to speak of, the optimizer step is the peak") {
  Stage stage = small_stage();
  stage.training.optimizers[0].step_temporary_bytes = 4;
  stage.training.profiles[0].phases[0].terms[0].bytes = 1;
  const MemoryEstimate result = estimate(stage, plan_of(stage));
  CHECK(result.peak_phase == "optimizer step");
  CHECK(in_gb(result.allocated.expected) == Approx(1.6 + 0.4));
  CHECK(component_gb(result, "optimizer temporaries") == Approx(0.4));
}

TEST_CASE("the optimizer's temporaries do not meet the forward pass") {
  Stage stage = small_stage();
  stage.training.optimizers[0].step_temporary_bytes = 4;
  const MemoryEstimate result = estimate(stage, plan_of(stage, 3));
  CHECK(result.peak_phase == "forward pass");
  CHECK(in_gb(result.allocated.expected) == Approx(4.6));
}

TEST_CASE("the largest phase is the peak") {
  Stage stage = small_stage();
  std::vector<Phase>& phases = stage.training.profiles[0].phases;
  phases.push_back({"discriminator", PhaseKind::backward, {}, {{"maps", 5e9, {}}}});
  CHECK(estimate(stage, plan_of(stage, 4)).peak_phase == "discriminator");
  CHECK(estimate(stage, plan_of(stage, 6)).peak_phase == "forward pass");
}

TEST_CASE("a trainer that frees gradients has none in the forward pass") {
  Stage stage = small_stage();
  stage.training.gradients_always_resident = false;
  CHECK(allocated_gb(stage, plan_of(stage, 3)) == Approx(1.2 + 3));
}

TEST_CASE("accumulation keeps the gradients in the forward pass") {
  Stage stage = small_stage();
  stage.training.gradients_always_resident = false;
  StagePlan plan = plan_of(stage, 3);
  plan.grad_accum = 2;
  CHECK(allocated_gb(stage, plan) == Approx(1.6 + 3));
}

TEST_CASE("gradients are there in the backward pass however the trainer frees them") {
  Stage stage = small_stage();
  stage.training.gradients_always_resident = false;
  stage.training.profiles[0].phases[0].kind = PhaseKind::backward;
  CHECK(allocated_gb(stage, plan_of(stage, 3)) == Approx(1.6 + 3));
}

TEST_CASE("parameters that never get a gradient have no optimizer state either") {
  Stage stage = small_stage();
  stage.training.without_gradient = 10e6;
  CHECK(allocated_gb(stage, plan_of(stage, 3)) == Approx(1.6 - 0.04 - 0.08 + 3));
}

TEST_CASE("frozen weights, buffers and the averaged copy are held") {
  Stage stage = small_stage();
  stage.training.frozen = 50e6;
  stage.training.frozen_bytes = 2;
  stage.training.buffers_bytes = 0.01e9;
  stage.training.ema_bytes = 4;
  const MemoryEstimate result = estimate(stage, plan_of(stage, 1));
  CHECK(component_gb(result, "frozen weights") == Approx(0.1));
  CHECK(component_gb(result, "averaged weights (EMA)") == Approx(0.4));
  CHECK(component_gb(result, "weights") == Approx(0.41));
  CHECK(in_gb(result.allocated.expected) == Approx(2.6 + 0.1 + 0.01 + 0.4));
}

TEST_CASE("autocast keeps half-precision copies of matrix weights in the forward pass") {
  Stage stage = small_stage();
  stage.training.matmul = 90e6;
  stage.training.profiles[0].autocast_copies = true;
  CHECK(component_gb(estimate(stage, plan_of(stage)), "half-precision weight copies") ==
        Approx(0.18));
}

TEST_CASE("an 8-bit optimizer needs a quarter of the state") {
  const Stage stage = small_stage();
  StagePlan plan = plan_of(stage, 1);
  plan.optimizer = &stage.training.optimizers.at(1);
  CHECK(component_gb(estimate(stage, plan), "optimizer state") == Approx(0.2));
}

TEST_CASE("LoRA has gradients and optimizer state for its adapters only") {
  Stage stage = small_stage();
  Lora lora;
  lora.ranks = {8, 16};
  lora.default_rank = 8;
  lora.parameters_per_rank = 1e6;
  lora.also_trainable = 2e6;
  lora.frozen = 100e6;
  stage.training.lora = lora;
  stage.training.ema_bytes = 4;
  MemoryProfile profile = stage.training.profiles[0];
  profile.method = Method::lora;
  stage.training.profiles.push_back(profile);
  StagePlan plan = plan_of(stage, 1);
  plan.method = Method::lora;
  plan.lora_rank = 8;
  // 10 M adapters x 16 bytes, 0.4 GB frozen, no averaged copy, 1 GB activations.
  CHECK(allocated_gb(stage, plan) == Approx(0.16 + 0.4 + 1));
}

TEST_CASE("several GPUs each hold everything, a gradient bucket and communication buffers") {
  const Stage stage = small_stage();
  StagePlan plan = plan_of(stage, 1);
  plan.gpus = 2;
  const MemoryEstimate result = estimate(stage, plan);
  CHECK(in_gb(result.device.expected) == Approx(2.6 + 0.5 + 0.4 + 0.3));
  CHECK(component_gb(result, "DDP gradient bucket") == Approx(0.4));
  CHECK(component_gb(result, "communication buffers") == Approx(0.3));
}

TEST_CASE("a trainer that wraps one GPU in DDP pays for the bucket alone") {
  Stage stage = small_stage();
  stage.training.ddp_on_one_gpu = true;
  const MemoryEstimate result = estimate(stage, plan_of(stage, 1));
  CHECK(in_gb(result.device.expected) == Approx(2.6 + 0.5 + 0.4));
  CHECK(component_gb(result, "communication buffers") == 0);
}

TEST_CASE("three GPUs need the communication buffers of four") {
  const Stage stage = small_stage();
  StagePlan plan = plan_of(stage, 1);
  plan.gpus = 3;
  CHECK(component_gb(estimate(stage, plan), "communication buffers") == Approx(0.4));
}

TEST_CASE("checkpointing takes its own profile") {
  const Stage stage = small_stage();
  StagePlan plan = plan_of(stage, 5);
  plan.checkpointing = true;
  CHECK(allocated_gb(stage, plan) == Approx(1.6 + 1));
}

TEST_CASE("a batch counted in frames holds the longest clip even above its budget") {
  Stage stage = small_stage();
  stage.batch_unit = BatchUnit::frames;
  stage.training.profiles[0].phases[0].terms[0].per = {Variable::frames};
  CHECK(allocated_gb(stage, plan_of(stage, 3000)) == Approx(1.6 + 3));
  CHECK(allocated_gb(stage, plan_of(stage, 10)) == Approx(1.6 + 1));
}

TEST_CASE("settings that nobody measured are refused, not guessed") {
  Stage stage = small_stage();
  stage.training.profiles.resize(1);
  StagePlan plan = plan_of(stage);
  plan.checkpointing = true;
  const Error error = error_of([&] { (void)estimate(stage, plan); });
  CHECK(error.code() == "unknown-memory");
  CHECK(std::string(error.what()) ==
        "the memory of stage main in fp16 with checkpointing is not known");
}

TEST_CASE("a profile for one attention is not taken for another") {
  Stage stage = small_stage();
  std::vector<MemoryProfile>& profiles = stage.training.profiles;
  profiles.resize(1);
  profiles[0].attention = Attention::sdpa;
  const auto found = [&](std::optional<Attention> attention) {
    return find_profile(profiles, {.precision = Precision::fp16, .attention = attention}) !=
           nullptr;
  };
  CHECK(found(Attention::sdpa));
  CHECK(found(std::nullopt));
  CHECK_FALSE(found(Attention::eager));
}

TEST_CASE("a profile that names no attention serves for each") {
  const Stage stage = small_stage();
  CHECK(find_profile(stage.training.profiles,
                     {.precision = Precision::fp16, .attention = Attention::eager}) ==
        stage.training.profiles.data());
}

TEST_CASE("components add up to the device peak in every profile of every model") {
  const Assumptions& assumptions = embedded_catalog().assumptions();
  for (const ModelStage& known : all_stages(embedded_catalog())) {
    StageWorkload workload;
    workload.stage = known.stage;
    workload.lengths = lengths_of(known.stage->lengths, Seconds(8), {});
    for (const MemoryProfile& profile : known.stage->training.profiles) {
      StagePlan plan = plan_of(*known.stage, 4);
      plan.precision = profile.precisions.front();
      plan.attention = profile.attention;
      plan.checkpointing = profile.checkpointing;
      plan.method = profile.method;
      plan.lora_rank =
          profile.method == Method::lora ? known.stage->training.lora->default_rank : 0;
      plan.gpus = 2;
      const MemoryEstimate result = estimate_memory(workload, plan, assumptions);
      CAPTURE(known.model->id, known.stage->key, profile.checkpointing);
      CHECK(sum_gb(result) == Approx(in_gb(result.device.expected)));
      CHECK(device_peak(workload, plan, assumptions) == result.device);
    }
  }
}

TEST_CASE("components add up to the device peak in every inference profile") {
  const Assumptions& assumptions = embedded_catalog().assumptions();
  for (const VoiceModel& model : embedded_catalog().models()) {
    for (const Variant& variant : model.variants) {
      if (!variant.inference) continue;
      InferenceWorkload workload;
      workload.inference = &*variant.inference;
      workload.lengths = lengths_of(variant.inference->lengths, Seconds(10), {});
      for (const MemoryProfile& profile : variant.inference->profiles) {
        if (!profile.runtimes.empty()) workload.runtime.value = profile.runtimes.front();
        const InferencePlan plan{.precision = profile.precisions.front(),
                                 .offload = profile.offload,
                                 .streams_per_gpu = 3};
        const MemoryEstimate result = estimate_memory(workload, plan, assumptions);
        CAPTURE(model.id, variant.id);
        CHECK(sum_gb(result) == Approx(in_gb(result.device.expected)));
      }
    }
  }
}

TEST_CASE("streams of a model that batches share its weights") {
  // 1 GB weights, 0.1 GB a stream, one context.
  CHECK(in_gb(serve(small_inference(), 3).device.expected) == Approx(1.3 + 0.5));
}

TEST_CASE("streams of a model that cannot batch pay for everything again") {
  Inference inference = small_inference();
  inference.streams_share_weights = false;
  CHECK(in_gb(serve(inference, 3).device.expected) == Approx(3 * 1.1 + 3 * 0.5));
}

TEST_CASE("a component with its own bytes per parameter ignores the precision flag") {
  Inference inference = small_inference();
  inference.components[0].bytes_per_parameter[Precision::fp16] = 4;
  CHECK(in_gb(serve(inference, 1).allocated.expected) == Approx(2.1));
}

TEST_CASE("int8 weights are a byte each") {
  Inference inference = small_inference();
  inference.profiles[0].precisions.push_back(Precision::int8);
  const MemoryEstimate result = estimate_memory(
      serving(inference), InferencePlan{.precision = Precision::int8}, small_assumptions());
  CHECK(in_gb(result.allocated.expected) == Approx(0.5 + 0.1));
}

TEST_CASE("components that a phase does not name are off the card in it") {
  Inference inference = small_inference();
  ModelComponent vocoder;
  vocoder.id = vocoder.name = "vocoder";
  vocoder.parameters = 200e6;
  inference.components.push_back(vocoder);
  std::vector<Phase>& phases = inference.profiles[0].phases;
  phases[0].components = {"lm"};
  phases.push_back({"decode", PhaseKind::run, {"vocoder"}, {}});
  const MemoryEstimate result = serve(inference, 1);
  CHECK(result.peak_phase == "generate");
  CHECK(in_gb(result.allocated.expected) == Approx(1.1));
}

TEST_CASE("inference in a precision that nobody measured is refused") {
  const Inference inference = small_inference();
  const Error error = error_of([&] {
    (void)estimate_memory(serving(inference), InferencePlan{.precision = Precision::int8},
                          small_assumptions());
  });
  CHECK(error.code() == "unknown-memory");
}

TEST_CASE("a peak whose high end is just usable fits") {
  const Fit fit = judge(peak_of(9, 10), 10);
  CHECK(fit.verdict == Verdict::fits);
  CHECK(fit.oom_probability == Approx(0.05).margin(1e-6));
}

TEST_CASE("a peak whose high end is just too high is tight") {
  CHECK(judge(peak_of(9, 10.001), 10).verdict == Verdict::tight);
}

TEST_CASE("a peak that is expected to take all of the memory is tight") {
  const Fit fit = judge(peak_of(9.9999, 11), 10);
  CHECK(fit.verdict == Verdict::tight);
  CHECK(fit.oom_probability == Approx(0.5).margin(0.001));
}

TEST_CASE("a peak that is expected above the memory does not fit") {
  CHECK(judge(peak_of(10.001, 11), 10).verdict == Verdict::does_not_fit);
}

TEST_CASE("headroom turns a fit with too little to spare into a tight one") {
  CHECK(judge(peak_of(9.4, 9.6), 10, 0.05).verdict == Verdict::fits);
  CHECK(judge(peak_of(9.6, 9.7), 10, 0.05).verdict == Verdict::tight);
}

TEST_CASE("nothing fits where no memory is usable") {
  const Fit fit = judge(peak_of(1, 1.1), 0);
  CHECK(fit.verdict == Verdict::does_not_fit);
  CHECK(fit.oom_probability == 1);
}

TEST_CASE("the chance to run out of memory falls with the memory") {
  double before = 1;
  for (double usable = 5; usable <= 15; usable += 0.5) {
    const double now = judge(peak_of(9, 10), usable).oom_probability;
    CHECK(now <= before);
    CHECK(now >= 0);
    before = now;
  }
}

TEST_CASE("verdicts have the words of the contract") {
  CHECK(name_of(Verdict::fits) == "fits");
  CHECK(name_of(Verdict::tight) == "tight");
  CHECK(name_of(Verdict::does_not_fit) == "does-not-fit");
}
