// What the user wants to do: as asked, and resolved against a model.
//
// Defaults are what a person would meet: the training script's own settings and
// a typical data set. Every resolved value keeps where it came from, so that
// outputs can show which default dominates an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vcgpu/catalog.hpp"

namespace vcgpu {

enum class Origin { flag, workload, model_default, automatic };

template <class T>
struct Setting {
  T value{};
  Origin origin = Origin::model_default;
};

template <class T>
using Asked = std::optional<Setting<T>>;  // absent: the default, or "auto"

struct Warning {
  std::string code;
  std::string message;
};

// As asked by flags and a workload file. Ranges are checked where these are
// parsed (src/cli); resolve() checks what depends on the model.
struct WorkloadRequest {
  Setting<Task> task;
  Setting<std::string> model;
  Asked<std::string> stage;

  Asked<Seconds> dataset, max_clip, mean_clip;
  Asked<int> speakers;
  Asked<double> epochs;
  Asked<std::int64_t> steps;  // optimizer steps
  Asked<double> max_text;     // longest text of a clip, in the model's tokens

  // Levers; absent: the planner chooses.
  Asked<double> batch_size;  // per GPU, in the stage's unit
  Asked<int> grad_accum;
  Asked<Precision> precision;
  Asked<bool> checkpointing;
  Asked<int> lora_rank;  // 0: off
  Asked<std::string> optimizer;
  Asked<double> segment_samples;  // crop that decoder and discriminators see
  Asked<Attention> attention;
  Asked<bool> ema;
  Asked<Sharding> sharding;

  // Inference.
  Asked<Seconds> output;  // audio per request
  Asked<Seconds> volume;  // audio to make
  Asked<int> streams;
  Asked<double> duty;  // share of time that a stream speaks
  Asked<double> max_rtf;
  Asked<Seconds> latency;  // to the first audio
  Asked<double> hours_per_day;
  Asked<std::string> runtime;
  Asked<bool> offload;
  Asked<Seconds> reference;  // the clip that a zero-shot model imitates
  Asked<double> context;     // tokens of a static cache

  Setting<HostOs> os{HostOs::linux, Origin::automatic};
  Setting<Bytes> reserve{Bytes(0), Origin::automatic};
  Setting<double> headroom{0.05, Origin::automatic};
  Setting<bool> commercial{false, Origin::automatic};
};

// One stage with everything that does not depend on the GPU.
struct StageWorkload {
  const Stage* stage = nullptr;
  const Recipe* recipe = nullptr;
  Setting<Seconds> max_clip, mean_clip;
  Asked<double> epochs;  // one of the two is there
  Asked<std::int64_t> steps;
  Lengths lengths;   // of the longest clip; batch is 0
  double clips = 0;  // in the data set
  // As asked, less the levers that this stage lacks and another has.
  WorkloadRequest asked;
};

struct InferenceWorkload {
  const Inference* inference = nullptr;
  Setting<Precision> precision;
  Setting<Seconds> output;
  Setting<Seconds> volume;  // batch
  Setting<int> streams;     // realtime
  Setting<double> duty, max_rtf, hours_per_day;
  Asked<Seconds> latency;
  Setting<std::string> runtime;
  Setting<bool> offload;
  HostOs os = HostOs::linux;
  Lengths lengths;  // of one request; streams is 0
};

struct Workload {
  Task task{};
  ModelChoice choice;
  WorkloadRequest asked;
  Setting<Seconds> dataset;
  Setting<int> speakers;
  std::vector<StageWorkload> stages;           // training
  std::optional<InferenceWorkload> inference;  // realtime and batch
  std::vector<Warning> warnings;

  [[nodiscard]] const VoiceModel& model() const { return *choice.model; }
  [[nodiscard]] const Variant& variant() const { return *choice.variant; }
};

// Memory of `gpu` that others hold: as asked, else what a Windows desktop takes
// of a card that drives a screen, else nothing.
Bytes reserve_on(const Gpu& gpu, const WorkloadRequest& asked, const Assumptions& assumptions);

// What a full card does on the workload's system, as the end of a sentence;
// empty where it fails.
std::string spill_note(const Workload& workload);

// Fills in what was not asked. Throws Error (usage): a task that the model has
// no stage or recipe for, an unknown stage, a lever that the model does not
// have. The result points into `catalog`.
Workload resolve(const WorkloadRequest& asked, const Catalog& catalog);

// By id or alias, whatever the case and punctuation.
bool is_named(const Stage& stage, std::string_view name);

// What the user gives in place of a length rule.
struct GivenLengths {
  std::optional<double> text_tokens{}, context_tokens{};
  std::optional<Seconds> reference{};
  std::optional<double> segment_samples{};
};
GivenLengths given_lengths(const WorkloadRequest& asked);

// The lengths of a clip or request of `duration`, by the rules of a stage.
Lengths lengths_of(const std::vector<LengthRule>& rules, Seconds duration,
                   const GivenLengths& given);

}  // namespace vcgpu
