#include "vcgpu/workload.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

// Where neither the user nor the model's entry says.
constexpr Seconds fallback_dataset = minutes(30);
constexpr Seconds fallback_volume = hours(10);
constexpr double fallback_max_rtf = 0.8;

template <class T>
Setting<T> asked_or(const Asked<T>& asked, T otherwise) {
  return asked ? *asked : Setting<T>{otherwise, Origin::model_default};
}

[[noreturn]] void refuse(std::string code, const std::string& message, const std::string& hint) {
  throw Error(ExitCode::usage, std::move(code), message, hint);
}

std::string model_label(const ModelChoice& choice) {
  return choice.model->id + "@" + choice.variant->id;
}

// Tasks that some stage of the variant has a recipe for, and inference where
// known.
std::vector<std::string> tasks_of(const ModelChoice& choice) {
  std::vector<std::string> tasks;
  for (const auto& [name, task] : task_names()) {
    const auto stages = stages_of(*choice.model, *choice.variant);
    const bool trains =
        is_training(task) &&
        std::any_of(stages.begin(), stages.end(), [&, t = task](const Stage* stage) {
          return stage->training.recipes.contains(t);
        });
    if (trains || (!is_training(task) && choice.variant->inference)) tasks.emplace_back(name);
  }
  return tasks;
}

// What an ambiguous name was taken for, and which version of it.
std::string model_note(const std::string& name, const ModelChoice& choice) {
  std::vector<std::string> others;
  for (const Variant& variant : choice.model->variants) {
    if (variant.id != choice.variant->id) others.push_back(variant.id);
  }
  std::string note = fmt::format("'{}' was {}", printable(name, 40), choice.note);
  if (!choice.variant_named && !others.empty())
    note += fmt::format(". Its version {} was taken; others: --model {}@{}", choice.variant->id,
                        choice.model->id, joined(others, "|"));
  return note;
}

// Levers that a stage does not have are refused, not ignored.
void check_levers(const WorkloadRequest& asked, const Stage& stage, const std::string& model) {
  const Training& training = stage.training;
  const auto has_profile = [&](auto matches) {
    return std::any_of(training.profiles.begin(), training.profiles.end(), matches);
  };
  if (asked.lora_rank && asked.lora_rank->value > 0) {
    if (!training.lora)
      refuse("no-lora", fmt::format("{} has no LoRA for stage {}", model, stage.id),
             "leave --lora out");
    const std::vector<int>& ranks = training.lora->ranks;
    if (std::find(ranks.begin(), ranks.end(), asked.lora_rank->value) == ranks.end()) {
      std::vector<std::string> known;
      for (const int rank : ranks) known.push_back(std::to_string(rank));
      refuse("bad-value",
             fmt::format("--lora: {} offers no rank {}", model, asked.lora_rank->value),
             "one of " + joined(known));
    }
  }
  if (asked.lora_rank && asked.lora_rank->value == 0 &&
      !has_profile([](const MemoryProfile& p) { return p.method == Method::full; }))
    refuse("no-full", fmt::format("{} is only known with LoRA for stage {}", model, stage.id),
           "leave --lora out");
  if (asked.checkpointing && asked.checkpointing->value &&
      !has_profile([](const MemoryProfile& p) { return p.checkpointing; }))
    refuse("no-checkpointing",
           fmt::format("the trainer of {} has no gradient checkpointing for stage {}", model,
                       stage.id),
           "leave --grad-checkpoint out");
  if (asked.optimizer) {
    std::vector<std::string> known;
    for (const Optimizer& optimizer : training.optimizers) known.push_back(optimizer.id);
    if (std::find(known.begin(), known.end(), asked.optimizer->value) == known.end())
      refuse("no-optimizer",
             fmt::format("stage {} of {} does not train with {}", stage.id, model,
                         printable(asked.optimizer->value, 40)),
             "one of " + joined(known));
  }
  if (asked.precision) {
    const Precision wanted = asked.precision->value;
    if (!has_profile([&](const MemoryProfile& p) {
          return std::find(p.precisions.begin(), p.precisions.end(), wanted) != p.precisions.end();
        }))
      refuse("no-precision",
             fmt::format("training stage {} of {} in {} is not known", stage.id, model,
                         name_of(wanted)),
             "leave --precision out");
  }
  if (asked.segment_samples &&
      std::none_of(stage.lengths.begin(), stage.lengths.end(), [](const LengthRule& rule) {
        return rule.variable == Variable::segment_frames && rule.samples;
      }))
    refuse("no-segment",
           fmt::format("stage {} of {} does not train on crops of a set length", stage.id, model),
           "leave --segment-samples out");
  if (asked.ema && !asked.ema->value && training.ema_bytes && !training.ema_switch)
    refuse("no-ema-switch",
           fmt::format("the trainer of {} always keeps an averaged copy (EMA) in stage {}", model,
                       stage.id),
           "leave --ema out");
  if (asked.ema && asked.ema->value && !training.ema_bytes)
    refuse(
        "no-ema",
        fmt::format("the trainer of {} keeps no averaged copy (EMA) in stage {}", model, stage.id),
        "leave --ema out");
  if (asked.sharding && asked.sharding->value != Sharding::none &&
      std::find(training.shardings.begin(), training.shardings.end(), asked.sharding->value) ==
          training.shardings.end()) {
    std::vector<std::string> known{"none"};
    for (const Sharding sharding : training.shardings) known.emplace_back(name_of(sharding));
    refuse("no-sharding",
           fmt::format("the trainer of {} has no {} for stage {}: every GPU holds everything",
                       model, name_of(asked.sharding->value), stage.id),
           "one of " + joined(known));
  }
  if (asked.attention && !has_profile([&](const MemoryProfile& p) {
        return !p.attention || *p.attention == asked.attention->value;
      }))
    refuse("no-attention",
           fmt::format("stage {} of {} is not known with {} attention", stage.id, model,
                       name_of(asked.attention->value)),
           "leave --attention out");
  if (asked.grad_accum && asked.grad_accum->value > 1) {
    if (training.accumulation_fixed && *training.accumulation_fixed != asked.grad_accum->value)
      refuse("fixed-accumulation",
             fmt::format("the trainer of {} always accumulates {} batches in stage {}", model,
                         *training.accumulation_fixed, stage.id),
             "leave --grad-accum out");
    if (!training.accumulation_supported && !training.accumulation_fixed)
      refuse("no-accumulation",
             fmt::format("the trainer of {} has no gradient accumulation for stage {}", model,
                         stage.id),
             "leave --grad-accum out");
  }
}

StageWorkload resolve_stage(const WorkloadRequest& asked, const Stage& stage, const Recipe& recipe,
                            Workload& workload) {
  StageWorkload resolved;
  resolved.asked = asked;
  resolved.stage = &stage;
  resolved.recipe = &recipe;
  resolved.max_clip = asked_or(asked.max_clip, recipe.max_clip);
  if (asked.mean_clip && !asked.max_clip && asked.mean_clip->value > resolved.max_clip.value)
    resolved.max_clip = *asked.mean_clip;
  const std::optional<Seconds>& cap = stage.training.cap_clip;
  if (cap && resolved.max_clip.value > *cap) {
    workload.warnings.push_back(
        {"clips-over-cap",
         fmt::format(
             "stage {} cuts, replaces or skips clips longer than {}: memory is sized for {}",
             stage.id, duration_text(*cap), duration_text(*cap))});
    resolved.max_clip.value = *cap;
  }
  resolved.mean_clip = asked_or(asked.mean_clip, recipe.mean_clip);
  resolved.mean_clip.value = std::min(resolved.mean_clip.value, resolved.max_clip.value);
  if (asked.steps) {
    resolved.steps = asked.steps;
  } else if (asked.epochs) {
    resolved.epochs = asked.epochs;
  } else if (recipe.epochs) {
    resolved.epochs = Setting<double>{*recipe.epochs, Origin::model_default};
  } else {
    resolved.steps = Setting<std::int64_t>{*recipe.steps, Origin::model_default};
  }
  resolved.lengths = lengths_of(stage.lengths, resolved.max_clip.value, given_lengths(asked));
  resolved.clips = std::max(1.0, std::floor(workload.dataset.value / resolved.mean_clip.value));
  return resolved;
}

// A lever goes to the stages that have it; one that no stage has is refused.
template <class T>
void settle_lever(Asked<T> WorkloadRequest::*lever, Workload& workload) {
  if (!(workload.asked.*lever)) return;
  WorkloadRequest alone;
  alone.*lever = workload.asked.*lever;
  std::optional<Error> refusal;
  std::size_t takers = 0;
  for (StageWorkload& stage : workload.stages) {
    try {
      check_levers(alone, *stage.stage, model_label(workload.choice));
      ++takers;
    } catch (const Error& error) {
      if (!refusal) refusal = error;
      stage.asked.*lever = std::nullopt;
    }
  }
  if (takers == 0 && refusal) throw Error(*refusal);
}

void resolve_training(const WorkloadRequest& asked, Workload& workload) {
  std::vector<std::string> known;
  for (const Stage* stage : stages_of(workload.model(), workload.variant())) {
    const auto recipe = stage->training.recipes.find(workload.task);
    if (recipe == stage->training.recipes.end()) continue;
    known.push_back(stage->id);
    if (asked.stage ? !is_named(*stage, asked.stage->value) : stage->optional) continue;
    workload.stages.push_back(resolve_stage(asked, *stage, recipe->second, workload));
  }
  if (workload.stages.empty() && !known.empty())
    refuse("unknown-stage",
           fmt::format("{} has no stage '{}'", model_label(workload.choice),
                       printable(asked.stage->value, 40)),
           did_you_mean(asked.stage->value, known, "stages: " + joined(known)));
  settle_lever(&WorkloadRequest::lora_rank, workload);
  settle_lever(&WorkloadRequest::checkpointing, workload);
  settle_lever(&WorkloadRequest::optimizer, workload);
  settle_lever(&WorkloadRequest::precision, workload);
  settle_lever(&WorkloadRequest::attention, workload);
  settle_lever(&WorkloadRequest::grad_accum, workload);
  settle_lever(&WorkloadRequest::segment_samples, workload);
  settle_lever(&WorkloadRequest::ema, workload);
  settle_lever(&WorkloadRequest::sharding, workload);
}

void resolve_inference(const WorkloadRequest& asked, Workload& workload,
                       const std::optional<TaskDefaults>& defaults) {
  const Inference& inference = *workload.variant().inference;
  InferenceWorkload resolved;
  resolved.inference = &inference;
  resolved.precision = asked_or(asked.precision, inference.default_precision);
  // A runtime may know other precisions than the model's own code.
  if (asked.runtime && !asked.precision) {
    const MemoryProfile* own = nullptr;
    bool has_default = false;
    for (const MemoryProfile& profile : inference.profiles) {
      if (std::find(profile.runtimes.begin(), profile.runtimes.end(), asked.runtime->value) ==
          profile.runtimes.end())
        continue;
      if (own == nullptr) own = &profile;
      has_default = has_default || std::find(profile.precisions.begin(), profile.precisions.end(),
                                             resolved.precision.value) != profile.precisions.end();
    }
    if (own != nullptr && !has_default) resolved.precision.value = own->precisions.front();
  }
  const auto matches = [&](const MemoryProfile& profile) {
    return std::find(profile.precisions.begin(), profile.precisions.end(),
                     resolved.precision.value) != profile.precisions.end();
  };
  if (std::none_of(inference.profiles.begin(), inference.profiles.end(), matches))
    refuse("no-precision",
           fmt::format("inference of {} in {} is not known", model_label(workload.choice),
                       name_of(resolved.precision.value)),
           "leave --precision out");
  resolved.output =
      asked_or(asked.output, defaults && defaults->output ? *defaults->output : inference.output);
  resolved.volume =
      asked_or(asked.volume, defaults && defaults->volume ? *defaults->volume : fallback_volume);
  resolved.streams = asked_or(asked.streams, 1);
  resolved.duty = asked_or(asked.duty, 1.0);
  resolved.max_rtf = asked_or(asked.max_rtf, fallback_max_rtf);
  resolved.hours_per_day = asked_or(asked.hours_per_day, 24.0);
  resolved.latency = asked.latency;
  resolved.runtime = asked_or(asked.runtime, std::string("pytorch"));
  std::vector<std::string> runtimes;
  for (const InferenceReference& reference : inference.references)
    runtimes.push_back(reference.runtime);
  if (asked.runtime &&
      std::find(runtimes.begin(), runtimes.end(), asked.runtime->value) == runtimes.end()) {
    std::sort(runtimes.begin(), runtimes.end());
    runtimes.erase(std::unique(runtimes.begin(), runtimes.end()), runtimes.end());
    refuse("no-runtime",
           fmt::format("nothing is known of {} on runtime '{}'", model_label(workload.choice),
                       printable(asked.runtime->value, 40)),
           runtimes.empty() ? "leave --runtime out" : "known: " + joined(runtimes));
  }
  resolved.os = asked.os.value;
  resolved.offload = asked_or(asked.offload, false);
  if (resolved.offload.value &&
      std::none_of(inference.profiles.begin(), inference.profiles.end(),
                   [](const MemoryProfile& profile) { return profile.offload; }))
    refuse("no-offload",
           fmt::format("nothing is known of offloading parts of {}", model_label(workload.choice)),
           "leave --offload out");
  const auto has_rule = [&](Variable variable) {
    return std::any_of(inference.lengths.begin(), inference.lengths.end(),
                       [&](const LengthRule& rule) { return rule.variable == variable; });
  };
  if (asked.context && !has_rule(Variable::context_tokens))
    refuse("no-context",
           fmt::format("the memory of {} does not depend on a configured context, or it is not "
                       "known how",
                       model_label(workload.choice)),
           "leave --context out");
  if (asked.reference && !has_rule(Variable::reference_seconds))
    refuse("no-reference",
           fmt::format("the memory of {} does not depend on a reference clip, or it is not known "
                       "how",
                       model_label(workload.choice)),
           "leave --reference out");
  resolved.lengths = lengths_of(inference.lengths, resolved.output.value, given_lengths(asked));
  // Where the project cuts a request into chunks, the rule caps it.
  if (resolved.lengths[Variable::output_seconds] == 0)
    resolved.lengths[Variable::output_seconds] = resolved.output.value.count();
  workload.inference = resolved;
}

}  // namespace

bool is_named(const Stage& stage, std::string_view name) {
  const std::string wanted = normalised_name(name);
  return normalised_name(stage.id) == wanted ||
         std::any_of(stage.aliases.begin(), stage.aliases.end(),
                     [&](const std::string& alias) { return normalised_name(alias) == wanted; });
}

GivenLengths given_lengths(const WorkloadRequest& asked) {
  GivenLengths given;
  if (asked.max_text) given.text_tokens = asked.max_text->value;
  if (asked.context) given.context_tokens = asked.context->value;
  if (asked.reference) given.reference = asked.reference->value;
  if (asked.segment_samples) given.segment_samples = asked.segment_samples->value;
  return given;
}

Lengths lengths_of(const std::vector<LengthRule>& rules, Seconds duration,
                   const GivenLengths& given) {
  Lengths lengths;
  for (const LengthRule& rule : rules) {
    double value =
        rule.constant.value_or(rule.plus + rule.per_second.value_or(0) * duration.count());
    if (rule.variable == Variable::text_tokens && given.text_tokens)
      value = rule.plus + *given.text_tokens;
    if (rule.variable == Variable::context_tokens && given.context_tokens)
      value = *given.context_tokens;
    if (rule.variable == Variable::reference_seconds && given.reference)
      value = given.reference->count();
    for (const Variable part : rule.sum) value += rule.times * lengths[part];
    std::optional<double> most = rule.max;
    if (rule.variable == Variable::segment_frames && rule.samples && given.segment_samples) {
      most = *given.segment_samples / *rule.samples;
      if (rule.constant) value = *most;
    }
    if (most) value = std::min(value, *most);
    lengths[rule.variable] = std::ceil(value - 1e-9);
  }
  const auto rounded_up = [](double value) { return std::ceil(value / 16) * 16; };
  lengths[Variable::sequence_16] = rounded_up(lengths[Variable::sequence]);
  lengths[Variable::mel_frames_16] = rounded_up(lengths[Variable::mel_frames]);
  return lengths;
}

Bytes reserve_on(const Gpu& gpu, const WorkloadRequest& asked, const Assumptions& assumptions) {
  const bool screen = gpu.form == Form::consumer || gpu.form == Form::workstation;
  if (asked.reserve.origin != Origin::automatic || asked.os.value != HostOs::windows || !screen)
    return asked.reserve.value;
  return assumptions.memory.windows_reserve;
}

std::string spill_note(const Workload& workload) {
  if (workload.asked.os.value != HostOs::windows) return "";
  return ": on Windows it spills into host memory and runs 5 to 10 times slower";
}

Workload resolve(const WorkloadRequest& asked, const Catalog& catalog) {
  Workload workload;
  workload.task = asked.task.value;
  workload.asked = asked;
  workload.choice = catalog.model(asked.model.value);

  const Licence& licence = workload.model().licence;
  if (asked.commercial.value &&
      (licence.commercial == "conditional" || licence.commercial == "unclear"))
    workload.warnings.push_back(
        {"licence",
         fmt::format("commercial use of {} is {}: {}", workload.model().name, licence.commercial,
                     licence.note.empty() ? licence.weights : licence.note)});
  if (!workload.choice.note.empty())
    workload.warnings.push_back({"model-name", model_note(asked.model.value, workload.choice)});
  const std::vector<std::string> tasks = tasks_of(workload.choice);
  if (std::find(tasks.begin(), tasks.end(), name_of(workload.task)) == tasks.end())
    refuse("unsupported-task",
           fmt::format("vcgpu knows no recipe to {} {}", name_of(workload.task),
                       model_label(workload.choice)),
           tasks.empty() ? "see: vcgpu models show " + workload.model().id
                         : "tasks it knows: " + joined(tasks));
  const auto found = workload.model().defaults.find(workload.task);
  const std::optional<TaskDefaults> defaults =
      found == workload.model().defaults.end() ? std::nullopt : std::optional(found->second);
  workload.dataset = asked_or(
      asked.dataset, defaults && defaults->dataset ? *defaults->dataset : fallback_dataset);
  workload.speakers =
      asked_or(asked.speakers, defaults && defaults->speakers ? *defaults->speakers : 1);
  if (is_training(workload.task)) {
    resolve_training(asked, workload);
  } else {
    resolve_inference(asked, workload, defaults);
  }
  return workload;
}

}  // namespace vcgpu
