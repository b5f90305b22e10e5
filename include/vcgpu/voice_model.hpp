// What is known about a voice model (data/models.json).
//
// A pipeline is a list of stages that are trained one after another; a stage is
// the unit of estimation. A stage's memory is a short list of terms, bytes x a
// product of lengths, held in data and fitted to measurements; what follows
// from parameter counts (weights, gradients, optimizer) is added by rule, so
// that nothing is counted twice. A new model is a new entry, not new code.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vcgpu/gpu.hpp"

namespace vcgpu {

enum class Task { train, finetune, realtime, batch };
enum class Precision { fp32, tf32, fp16, bf16, int8, int4 };
enum class Basis { measured, reported, analytic };  // best first
enum class Attention { eager, sdpa };
enum class Method { full, lora };
// What several GPUs share out instead of each holding all of it: zero2 the
// optimizer state and gradients, zero3 (FSDP) the weights as well.
enum class Sharding { none, zero2, zero3 };
// On Windows the desktop holds memory, and a full card spills into host memory
// instead of failing.
enum class HostOs { linux, windows };
enum class BatchUnit { clips, frames, seconds };
// In what a project's configuration counts a value of ours.
enum class ConfigUnit { plain, seconds, samples, frames, effective_batch };
enum class Family { conv_gan, transformer, flow, diffusion };

inline bool is_training(Task task) { return task == Task::train || task == Task::finetune; }
// 16-bit: under autocast in training, as weights in inference.
inline bool is_half(Precision p) { return p == Precision::fp16 || p == Precision::bf16; }

// The variables of memory terms. The *_16 ones are rounded up to 16.
enum class Variable {
  batch,
  streams,
  clip_frames,
  segment_frames,
  mel_frames,
  mel_frames_16,
  text_tokens,
  audio_tokens,
  sequence,
  sequence_16,
  frames,
  output_seconds,
  reference_seconds,  // the clip that a zero-shot model imitates
  context_tokens,     // of a static cache: what it is configured for
};
inline constexpr std::size_t variable_count = 14;

// Values of all variables, 0 where the stage has none.
class Lengths {
 public:
  double& operator[](Variable v) { return m_values[static_cast<std::size_t>(v)]; }
  double operator[](Variable v) const { return m_values[static_cast<std::size_t>(v)]; }

 private:
  std::array<double, variable_count> m_values{};
};

// value = constant, or min(max, plus + per_second x seconds + times x sum of
// others).
struct LengthRule {
  Variable variable{};
  std::optional<double> per_second, constant, max;
  std::optional<double> samples;  // of audio in one, for what is configured in samples
  std::vector<Variable> sum;
  double times = 1;
  double plus = 0;
  std::string source;
};

struct Term {
  std::string name;
  double bytes = 0;
  std::vector<Variable> per;
  bool workspace = false;  // of a library, not a tensor: on the card, not live
};

// A moment of a step; the peak is the largest. `forward` holds gradients only
// where the trainer keeps them, `backward` and `step` always, `step` also the
// optimizer's temporaries. `run` is inference.
enum class PhaseKind { forward, backward, step, run };

struct Phase {
  std::string name;
  PhaseKind kind{};
  std::vector<std::string> components;  // on the device then; empty: all
  std::vector<Term> terms;
};

// The memory of one combination of settings.
struct MemoryProfile {
  std::vector<Precision> precisions;
  std::optional<Attention> attention;  // absent: does not matter
  bool checkpointing = false;
  Method method = Method::full;
  bool offload = false;                       // parts wait in host memory until they run
  std::vector<std::string> runtimes;          // empty: those without a profile of their own
  std::optional<bool> streams_share_weights;  // where not as the model's own code
  bool autocast_copies = false;
  std::optional<double> weight_bytes;
  // A server that takes this share of the card whatever it needs.
  std::optional<double> reservation_share;
  std::vector<Phase> phases;
  Basis basis{};
  std::optional<double> spread;  // of the logarithm of the error, where not the basis's
  std::optional<int> points;
  std::optional<double> residual_percent;
  std::string source;
};

struct ModelComponent {
  std::string id;
  std::string name;
  double parameters = 0;
  std::map<Precision, double> bytes_per_parameter;  // where not the usual
  bool frozen = false;
  std::string source;
};

// The batch that the training code takes by itself.
struct BatchRule {
  std::optional<double> value, per_memory_gb, min, max, max_share_of_clips;
  bool halve_in_fp32 = false;
  std::string source;
};

// The training code's own defaults for a task.
struct Recipe {
  BatchRule batch;
  int grad_accum = 1;
  Precision precision{};
  // What it runs in where the instructions' set-up was left out.
  std::optional<Precision> unconfigured_precision;
  std::optional<double> epochs;
  std::optional<std::int64_t> steps;
  Seconds max_clip, mean_clip;
  std::optional<Attention> attention;
  bool checkpointing = false;
  Method method = Method::full;
  std::string source;
};

struct Optimizer {
  std::string id;
  double state_bytes = 0;           // per trained parameter, resident
  double step_temporary_bytes = 0;  // per trained parameter, during the step
  std::string source;
};

struct Lora {
  std::vector<int> ranks;
  int default_rank = 0;
  double parameters_per_rank = 0;
  double also_trainable = 0;
  double frozen = 0;
  bool ddp_on_one_gpu = false;
  std::string source;
};

struct SpeedReference {
  std::string gpu;
  Precision precision{};
  std::optional<Method> method;
  double batch = 0;
  Seconds mean_clip;
  double steps_per_s = 0;
  Basis basis{};
  std::string note, source, as_of;
};

// t_step = host + work x (speed(reference GPU) / speed(GPU))^gpu_exponent.
struct TrainingSpeed {
  double gpu_exponent = 1;
  Seconds host_per_step;
  double clip_share = 0;  // part of a clip's work that grows with its length
  std::optional<double> checkpointing_factor;
  std::vector<SpeedReference> references;
};

struct Training {
  double trainable = 0, without_gradient = 0, frozen = 0;
  std::optional<double> matmul;
  double buffers_bytes = 0;
  std::vector<ModelComponent> components;
  double weight_bytes = 4, gradient_bytes = 4, frozen_bytes = 4;
  std::optional<double> ema_bytes;
  bool ema_switch = false;            // the trainer can leave it out
  std::vector<Optimizer> optimizers;  // first is the default
  bool gradients_always_resident = false;
  bool ddp_on_one_gpu = false;
  bool multi_gpu = false;
  bool batch_is_total = false;  // divided over the GPUs by the trainer
  std::vector<Sharding> shardings;
  std::string sharding_source;
  bool accumulation_supported = false;
  std::optional<int> accumulation_fixed;
  std::string accumulation_source;
  std::optional<Lora> lora;
  std::optional<Seconds> cap_clip;
  std::optional<int> max_items;
  std::map<Task, Recipe> recipes;
  std::vector<MemoryProfile> profiles;
  TrainingSpeed speed;
};

// How a project's own configuration writes one of our settings.
struct ConfigKey {
  std::string key;                            // "train.fp16_run"
  std::map<std::string, std::string> values;  // ours -> theirs: fp16 -> true
  // effective_batch: batch and accumulation in one number, the whole batch.
  ConfigUnit unit{};
  std::optional<double> per_second;  // samples or frames of a second
  std::string file, note;            // where it stands; may be empty
};

struct Stage {
  std::string key;  // unique in the model
  std::string id;   // what users call it
  std::string name;
  std::vector<std::string> aliases;
  Family family{};
  bool optional = false;  // trained only when asked for
  BatchUnit batch_unit{};
  std::vector<LengthRule> lengths;
  Training training;
  std::map<std::string, ConfigKey> config_keys;  // by setting: batch, precision, ...
};

struct InferenceReference {
  std::string gpu;
  Precision precision{};
  std::string runtime;
  std::optional<int> streams;
  std::optional<double> rtf;  // seconds of compute per second of audio
  std::optional<double> first_audio_ms;
  Basis basis{};
  std::string note, source, as_of;
};

struct Inference {
  std::vector<ModelComponent> components;
  Precision default_precision{};
  Seconds output;
  bool streams_share_weights = false;
  std::vector<LengthRule> lengths;
  std::vector<MemoryProfile> profiles;
  double gpu_exponent = 1;
  std::vector<InferenceReference> references;
};

struct Preprocess {
  std::string id;
  std::string name;
  double rtf = 0;
  Basis basis{};
  std::string source;
};

struct Pins {
  std::optional<ComputeCapability> min_compute_capability, max_compute_capability;
  std::string framework, note, source;
};

struct Variant {
  std::string id;
  std::string name;
  std::vector<std::string> aliases;
  std::vector<std::string> stages;  // keys
  std::vector<Preprocess> preprocess;
  std::optional<Inference> inference;
  std::optional<Pins> pins;
  std::vector<std::string> unknown;
};

struct Licence {
  std::string code, weights, commercial, note, source;
};

struct TaskDefaults {
  std::optional<Seconds> dataset, volume, output;
  std::optional<int> speakers;
  std::string source;
};

struct VoiceModel {
  std::string id;
  std::string name;
  std::vector<std::string> aliases;
  std::map<std::string, std::string> alias_notes;
  std::string summary;
  Family family{};
  Licence licence;
  std::vector<Vendor> vendors;
  std::string default_variant;
  std::map<Task, TaskDefaults> defaults;
  std::vector<Variant> variants;
  std::vector<Stage> stages;
  std::vector<std::string> sources;
  std::string as_of;
};

}  // namespace vcgpu
