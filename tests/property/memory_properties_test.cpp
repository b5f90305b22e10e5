// What must hold for the memory of every model, whatever the lengths.
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "support/random_catalog.hpp"
#include "vcgpu/estimate.hpp"
#include "vcgpu/names.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

struct Case {
  StageWorkload workload;
  StagePlan plan;
  const MemoryProfile* profile = nullptr;
  double seconds = 0;

  [[nodiscard]] Range<Bytes> device() const {
    return device_peak(workload, plan, embedded_catalog().assumptions());
  }
  [[nodiscard]] double expected() const { return device().expected.count(); }
  void set_clip(double clip_seconds, std::optional<double> text) {
    seconds = clip_seconds;
    workload.lengths =
        lengths_of(workload.stage->lengths, Seconds(clip_seconds), {.text_tokens = text});
  }
  [[nodiscard]] std::string name() const {
    return workload.stage->key + " " + std::string(name_of(plan.precision)) + " batch " +
           std::to_string(plan.batch) + " seconds " + std::to_string(seconds);
  }
};

// A random setting of a random stage and profile of the embedded models.
Case random_case(Random& random) {
  static const std::vector<ModelStage> stages = all_stages(embedded_catalog());
  Case made;
  const Stage& stage = *random.pick(stages).stage;
  made.workload.stage = &stage;
  made.profile = &random.pick(stage.training.profiles);
  made.plan.precision = random.pick(made.profile->precisions);
  made.plan.attention = made.profile->attention;
  made.plan.checkpointing = made.profile->checkpointing;
  made.plan.method = made.profile->method;
  if (made.plan.method == Method::lora) made.plan.lora_rank = stage.training.lora->default_rank;
  made.plan.optimizer = &random.pick(stage.training.optimizers);
  made.plan.batch =
      stage.batch_unit == BatchUnit::frames ? random.integer(500, 40'000) : random.integer(1, 64);
  made.plan.grad_accum = random.pick({1, 1, 2, 8});
  made.plan.gpus = random.pick({1, 1, 2, 4, 8});
  made.set_clip(random.between(0.5, 60), std::nullopt);
  return made;
}

void for_cases(unsigned seed, const std::function<void(Random&, Case&)>& check) {
  Random random(seed);
  for (int i = 0; i < 500; ++i) {
    Case made = random_case(random);
    check(random, made);
  }
}

const MemoryProfile* sibling(const Case& made, Precision precision, bool checkpointing,
                             Method method) {
  return find_profile(made.workload.stage->training.profiles, {.precision = precision,
                                                               .attention = made.plan.attention,
                                                               .checkpointing = checkpointing,
                                                               .method = method});
}

}  // namespace

TEST_CASE("a larger batch never needs less memory") {
  for_cases(1, [](Random& random, Case& made) {
    const double before = made.expected();
    made.plan.batch += random.integer(1, 10);
    CAPTURE(made.name());
    CHECK(made.expected() >= before);
  });
}

TEST_CASE("a longer clip never needs less memory") {
  for_cases(2, [](Random& random, Case& made) {
    const double before = made.expected();
    made.set_clip(made.seconds + random.between(0.1, 20), std::nullopt);
    CAPTURE(made.name());
    CHECK(made.expected() >= before);
  });
}

TEST_CASE("more text never needs less memory") {
  for_cases(3, [](Random& random, Case& made) {
    const double text = random.between(1, 500);
    made.set_clip(made.seconds, text);
    const double before = made.expected();
    made.set_clip(made.seconds, text + random.between(1, 200));
    CAPTURE(made.name());
    CHECK(made.expected() >= before);
  });
}

TEST_CASE("more accumulation or more GPUs never need less memory on each") {
  for_cases(4, [](Random&, Case& made) {
    const double before = made.expected();
    made.plan.grad_accum *= 2;
    CAPTURE(made.name());
    CHECK(made.expected() >= before);
    made.plan.gpus = std::min(8, made.plan.gpus * 2);
    CHECK(made.expected() >= before);
  });
}

TEST_CASE("fp32 never needs less memory than half precision in convolutional GANs") {
  // Only there: with autocast's copies of the weights, transformers at batch 1
  // need more in half precision (measured-transformers, F5-TTS at 1,000 frames).
  for_cases(5, [](Random&, Case& made) {
    if (made.workload.stage->family != Family::conv_gan) return;
    if (sibling(made, Precision::fp32, made.plan.checkpointing, made.plan.method) == nullptr)
      return;
    // Unfused attention under autocast keeps its scores in both widths.
    if (made.plan.attention == Attention::eager || made.profile->basis != Basis::measured) return;
    made.plan.precision = Precision::fp16;
    const double half = made.expected();
    made.plan.precision = Precision::fp32;
    CAPTURE(made.name());
    CHECK(made.expected() >= half);
  });
}

TEST_CASE("half precision never needs more than fp32 and the copies of the weights") {
  for_cases(6, [](Random&, Case& made) {
    if (sibling(made, Precision::fp32, made.plan.checkpointing, made.plan.method) == nullptr ||
        sibling(made, Precision::fp16, made.plan.checkpointing, made.plan.method) == nullptr)
      return;
    // Unfused attention under autocast keeps its scores in both widths.
    if (made.plan.attention == Attention::eager || made.profile->basis != Basis::measured) return;
    made.plan.precision = Precision::fp16;
    const double half = made.expected();
    made.plan.precision = Precision::fp32;
    const Training& training = made.workload.stage->training;
    CAPTURE(made.name());
    // All that autocast could keep a half copy of, and the slack on top.
    CHECK(half <= made.expected() + 2 * 1.25 * (training.trainable + training.frozen));
  });
}

TEST_CASE("checkpointing never needs more memory than doing without") {
  for_cases(7, [](Random&, Case& made) {
    if (sibling(made, made.plan.precision, true, made.plan.method) == nullptr ||
        sibling(made, made.plan.precision, false, made.plan.method) == nullptr)
      return;
    made.plan.checkpointing = false;
    const double without = made.expected();
    made.plan.checkpointing = true;
    CAPTURE(made.name());
    CHECK(made.expected() <= without * 1.0001);
  });
}

TEST_CASE("an optimizer with less state never needs more memory") {
  for_cases(8, [](Random&, Case& made) {
    for (const Optimizer& one : made.workload.stage->training.optimizers) {
      for (const Optimizer& other : made.workload.stage->training.optimizers) {
        if (one.state_bytes > other.state_bytes ||
            one.step_temporary_bytes > other.step_temporary_bytes)
          continue;
        made.plan.optimizer = &one;
        const double less = made.expected();
        made.plan.optimizer = &other;
        CAPTURE(made.name());
        CHECK(less <= made.expected());
      }
    }
  });
}

TEST_CASE("low, expected and high of every training's memory are in order and finite") {
  for_cases(9, [](Random&, Case& made) {
    const Range<Bytes> device = made.device();
    CAPTURE(made.name());
    CHECK(device.low.count() > 0);
    CHECK(device.low <= device.expected);
    CHECK(device.expected <= device.high);
    CHECK(std::isfinite(device.high.count()));
  });
}

TEST_CASE("more streams or longer audio never need less memory to serve") {
  Random random(10);
  for (int i = 0; i < 300; ++i) {
    const auto models = embedded_catalog().models();
    const VoiceModel& model =
        models[static_cast<std::size_t>(random.integer(0, static_cast<int>(models.size()) - 1))];
    const Variant& variant = random.pick(model.variants);
    if (!variant.inference) continue;
    InferenceWorkload workload;
    workload.inference = &*variant.inference;
    const auto device = [&](double seconds, int streams) {
      workload.lengths = lengths_of(variant.inference->lengths, Seconds(seconds), {});
      workload.lengths[Variable::output_seconds] = seconds;
      const InferencePlan plan{.precision = variant.inference->default_precision,
                               .streams_per_gpu = streams};
      return estimate_memory(workload, plan, embedded_catalog().assumptions()).device.expected;
    };
    const double seconds = random.between(0.5, 60);
    const int streams = random.integer(1, 30);
    CAPTURE(model.id, variant.id, seconds, streams);
    CHECK(device(seconds + 5, streams) >= device(seconds, streams));
    CHECK(device(seconds, streams + 1) >= device(seconds, streams));
  }
}
