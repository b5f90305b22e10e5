#include "vcgpu/workload.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/small_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

Error refusal(const WorkloadRequest& request, const Catalog& catalog) {
  return error_of([&] { (void)resolve(request, catalog); });
}

Error refusal(const WorkloadRequest& request) { return refusal(request, embedded_catalog()); }

// What a lever that the model does not have is refused with.
struct Refusal {
  const char* code;
  const char* message;
  const char* hint;
};

void check_refusal(const WorkloadRequest& request, const Refusal& expected) {
  const Error error = refusal(request);
  CHECK(error.exit_code() == ExitCode::usage);
  CHECK(error.code() == expected.code);
  CHECK(std::string(error.what()) == expected.message);
  CHECK(error.hint() == expected.hint);
}

LengthRule per_second(Variable variable, double rate) {
  LengthRule rule;
  rule.variable = variable;
  rule.per_second = rate;
  return rule;
}

bool warned(const Workload& workload, const std::string& code) {
  for (const Warning& warning : workload.warnings) {
    if (warning.code == code) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("what is not asked is the model's default, and says so") {
  const Workload workload = resolve(request_for(Task::finetune, "xtts"), embedded_catalog());
  REQUIRE(workload.stages.size() == 1);
  const StageWorkload& stage = workload.stages[0];
  // data/models.json, recipe of XTTS's gpt stage.
  CHECK(stage.max_clip.value.count() == 11.6);
  CHECK(stage.max_clip.origin == Origin::model_default);
  CHECK(stage.epochs.value().value == 10);
  CHECK(workload.dataset.value.count() == 1800);
  CHECK(workload.dataset.origin == Origin::model_default);
}

TEST_CASE("what is asked is kept with its origin") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  request.dataset = flag(hours(2));
  request.epochs = flag(3.0);
  const Workload workload = resolve(request, embedded_catalog());
  CHECK(workload.dataset.value == hours(2));
  CHECK(workload.dataset.origin == Origin::flag);
  CHECK(workload.stages[0].epochs.value().value == 3);
}

TEST_CASE("XTTS's longest clip makes the sequence that its caps allow") {
  // measured-transformers: 11.6 s are 200 text and 255 audio tokens, s = 489.
  const Workload workload = resolve(request_for(Task::finetune, "xtts"), embedded_catalog());
  const Lengths& lengths = workload.stages[0].lengths;
  CHECK(lengths[Variable::text_tokens] == 200);
  CHECK(lengths[Variable::audio_tokens] == 255);
  CHECK(lengths[Variable::sequence] == 489);
}

TEST_CASE("a data set is cut into as many clips as its mean length gives") {
  const Catalog catalog(small_parts());
  WorkloadRequest request = small_request();
  request.dataset = flag(Seconds(64));
  CHECK(resolve(request, catalog).stages[0].clips == 12);
}

TEST_CASE("a data set shorter than a clip is one clip") {
  const Catalog catalog(small_parts());
  WorkloadRequest request = small_request();
  request.dataset = flag(Seconds(2));
  CHECK(resolve(request, catalog).stages[0].clips == 1);
}

TEST_CASE("a mean clip above the usual longest one raises the longest") {
  const Catalog catalog(small_parts());
  WorkloadRequest request = small_request();
  request.mean_clip = flag(Seconds(15));
  const Workload workload = resolve(request, catalog);
  CHECK(workload.stages[0].max_clip.value == Seconds(15));
  CHECK(workload.stages[0].max_clip.origin == Origin::flag);
}

TEST_CASE("a longest clip below the usual mean lowers the mean") {
  const Catalog catalog(small_parts());
  WorkloadRequest request = small_request();
  request.max_clip = flag(Seconds(3));
  CHECK(resolve(request, catalog).stages[0].mean_clip.value == Seconds(3));
}

TEST_CASE("clips over the trainer's cap are sized at the cap, with a warning") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.cap_clip = Seconds(8);
  const Catalog catalog(parts);
  const Workload workload = resolve(small_request(), catalog);
  CHECK(workload.stages[0].max_clip.value == Seconds(8));
  CHECK(workload.stages[0].lengths[Variable::clip_frames] == 800);
  CHECK(warned(workload, "clips-over-cap"));
}

TEST_CASE("steps that are asked for replace the recipe's epochs") {
  const Catalog catalog(small_parts());
  WorkloadRequest request = small_request();
  request.steps = flag<std::int64_t>(1000);
  const Workload workload = resolve(request, catalog);
  CHECK(workload.stages[0].steps.value().value == 1000);
  CHECK_FALSE(workload.stages[0].epochs);
}

TEST_CASE("epochs that are asked for replace the recipe's steps") {
  WorkloadRequest request = request_for(Task::train, "vits");
  request.epochs = flag(5.0);
  const Workload workload = resolve(request, embedded_catalog());
  CHECK(workload.stages[0].epochs.value().value == 5);
  CHECK_FALSE(workload.stages[0].steps);
}

TEST_CASE("all stages of a variant are trained, in order") {
  const Workload workload = resolve(request_for(Task::finetune, "gpt-sovits"), embedded_catalog());
  REQUIRE(workload.stages.size() == 2);
  CHECK(workload.stages[0].stage->id == "s2");
  CHECK(workload.stages[1].stage->id == "s1");
}

TEST_CASE("one stage alone is trained where it is asked for") {
  WorkloadRequest request = request_for(Task::finetune, "gpt-sovits");
  request.stage = flag<std::string>("S1");
  const Workload workload = resolve(request, embedded_catalog());
  REQUIRE(workload.stages.size() == 1);
  CHECK(workload.stages[0].stage->id == "s1");
}

TEST_CASE("an optional stage is trained only where it is asked for") {
  CatalogParts parts = small_parts();
  Stage optional = small_stage("extra");
  optional.optional = true;
  parts.models = {small_model({small_stage(), optional})};
  const Catalog catalog(parts);
  CHECK(resolve(small_request(), catalog).stages.size() == 1);
  WorkloadRequest request = small_request();
  request.stage = flag<std::string>("extra");
  CHECK(resolve(request, catalog).stages.at(0).stage->id == "extra");
}

TEST_CASE("an unknown stage is refused with the model's own") {
  WorkloadRequest request = request_for(Task::finetune, "gpt-sovits");
  request.stage = flag<std::string>("vocoder");
  check_refusal(request, {"unknown-stage", "gpt-sovits@v2pro has no stage 'vocoder'",
                          "stages: s2, s1, s1-dpo"});
}

TEST_CASE("a task that nobody has a recipe for is refused with those that are known") {
  check_refusal(request_for(Task::finetune, "bark"),
                {"unsupported-task", "vcgpu knows no recipe to finetune bark@full",
                 "tasks it knows: realtime, batch"});
}

TEST_CASE("LoRA is refused where the trainer has none") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  request.lora_rank = flag(16);
  check_refusal(request, {"no-lora", "xtts@v2 has no LoRA for stage gpt", "leave --lora out"});
}

TEST_CASE("a LoRA rank that the trainer does not offer is refused with those it does") {
  WorkloadRequest request = request_for(Task::finetune, "gpt-sovits@v3");
  request.stage = flag<std::string>("s2");
  request.lora_rank = flag(7);
  const Error error = refusal(request);
  CHECK(std::string(error.what()) == "--lora: gpt-sovits@v3 offers no rank 7");
  CHECK_THAT(error.hint(), StartsWith("one of ") && ContainsSubstring("32"));
}

TEST_CASE("gradient checkpointing is refused where the trainer has none") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  request.checkpointing = flag(true);
  check_refusal(request, {"no-checkpointing",
                          "the trainer of xtts@v2 has no gradient checkpointing for stage gpt",
                          "leave --grad-checkpoint out"});
}

TEST_CASE("leaving checkpointing off is no lever") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  request.checkpointing = flag(false);
  CHECK_NOTHROW(resolve(request, embedded_catalog()));
}

TEST_CASE("an optimizer that the trainer does not have is refused with those it has") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  request.optimizer = flag<std::string>("lion");
  check_refusal(request,
                {"no-optimizer", "stage gpt of xtts@v2 does not train with lion", "one of adamw"});
}

TEST_CASE("a precision that nobody measured is refused") {
  WorkloadRequest request = request_for(Task::finetune, "xtts");
  request.precision = flag(Precision::int8);
  check_refusal(request, {"no-precision", "training stage gpt of xtts@v2 in int8 is not known",
                          "leave --precision out"});
}

TEST_CASE("accumulation is refused where the trainer has none") {
  WorkloadRequest request = request_for(Task::finetune, "rvc");
  request.grad_accum = flag(4);
  check_refusal(request, {"no-accumulation",
                          "the trainer of rvc@v2 has no gradient accumulation for stage gan",
                          "leave --grad-accum out"});
}

TEST_CASE("an accumulation other than the trainer's fixed one is refused") {
  WorkloadRequest request = request_for(Task::finetune, "gpt-sovits");
  request.stage = flag<std::string>("s1");
  request.grad_accum = flag(8);
  check_refusal(request,
                {"fixed-accumulation",
                 "the trainer of gpt-sovits@v2pro always accumulates 4 batches in stage s1",
                 "leave --grad-accum out"});
}

TEST_CASE("an inference precision that nobody measured is refused") {
  WorkloadRequest request = request_for(Task::realtime, "gpt-sovits");
  request.precision = flag(Precision::int8);
  CHECK(refusal(request).code() == "no-precision");
}

TEST_CASE("a runtime that nothing is known of is refused") {
  WorkloadRequest request = request_for(Task::realtime, "small");
  request.runtime = flag<std::string>("vllm");
  const Catalog catalog(small_parts());
  const Error error = refusal(request, catalog);
  CHECK(error.code() == "no-runtime");
  CHECK(error.hint() == "known: pytorch");
}

TEST_CASE("an unknown model is refused") {
  CHECK(refusal(request_for(Task::finetune, "xtst")).code() == "unknown-model");
}

TEST_CASE("commercial use of conditional weights is warned of") {
  WorkloadRequest request = request_for(Task::finetune, "so-vits-svc");
  request.commercial = flag(true);
  CHECK(warned(resolve(request, embedded_catalog()), "licence"));
  request.commercial = flag(false);
  CHECK_FALSE(warned(resolve(request, embedded_catalog()), "licence"));
}

TEST_CASE("an ambiguous model name is warned of") {
  CHECK(warned(resolve(request_for(Task::finetune, "sovits"), embedded_catalog()), "model-name"));
}

TEST_CASE("lengths follow the rates and are rounded up") {
  const Lengths lengths = lengths_of({per_second(Variable::clip_frames, 93.75)}, Seconds(10), {});
  CHECK(lengths[Variable::clip_frames] == 938);
  CHECK(lengths[Variable::text_tokens] == 0);
}

TEST_CASE("a length stays below its cap") {
  LengthRule rule = per_second(Variable::clip_frames, 50);
  rule.max = 1900;
  CHECK(lengths_of({rule}, Seconds(38), {})[Variable::clip_frames] == 1900);
  CHECK(lengths_of({rule}, Seconds(100), {})[Variable::clip_frames] == 1900);
}

TEST_CASE("a constant length does not grow with the clip") {
  LengthRule rule;
  rule.variable = Variable::segment_frames;
  rule.constant = 32;
  CHECK(lengths_of({rule}, Seconds(1), {})[Variable::segment_frames] == 32);
  CHECK(lengths_of({rule}, Seconds(99), {})[Variable::segment_frames] == 32);
}

TEST_CASE("a sum takes the capped lengths before it") {
  LengthRule text = per_second(Variable::text_tokens, 20);
  text.max = 100;
  LengthRule sequence;
  sequence.variable = Variable::sequence;
  sequence.sum = {Variable::text_tokens, Variable::audio_tokens};
  sequence.plus = 34;
  const Lengths lengths =
      lengths_of({text, per_second(Variable::audio_tokens, 25), sequence}, Seconds(10), {});
  CHECK(lengths[Variable::sequence] == 100 + 250 + 34);
}

TEST_CASE("a stated longest text replaces the rate, not the cap") {
  LengthRule text = per_second(Variable::text_tokens, 20);
  text.max = 150;
  CHECK(lengths_of({text}, Seconds(10), {.text_tokens = 40})[Variable::text_tokens] == 40);
  CHECK(lengths_of({text}, Seconds(10), {.text_tokens = 400})[Variable::text_tokens] == 150);
}

TEST_CASE("sequence and mel lengths are also kept rounded up to 16") {
  const Lengths lengths = lengths_of(
      {per_second(Variable::sequence, 10), per_second(Variable::mel_frames, 16)}, Seconds(1.1), {});
  CHECK(lengths[Variable::sequence] == 11);
  CHECK(lengths[Variable::sequence_16] == 16);
  CHECK(lengths[Variable::mel_frames] == 18);
  CHECK(lengths[Variable::mel_frames_16] == 32);
}
