#include "vcgpu/workload.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "estimate/workload_levers.hpp"
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
  // What most people skip changes the answer for those who do not.
  const bool chosen = std::any_of(workload.stages.begin(), workload.stages.end(),
                                  [](const StageWorkload& stage) { return stage.stage->optional; });
  if (!chosen) {
    for (const Stage* stage : stages_of(workload.model(), workload.variant())) {
      if (stage->optional && stage->training.recipes.contains(workload.task))
        workload.warnings.push_back(
            {"optional-stage",
             fmt::format("not in this answer: {}, --stage {}", stage->name, stage->id)});
    }
  }
  settle_levers(workload);
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
      has_default = has_default || is_of(profile, resolved.precision.value);
    }
    if (own != nullptr && !has_default) resolved.precision.value = own->precisions.front();
  }
  const auto matches = [&](const MemoryProfile& profile) {
    return is_of(profile, resolved.precision.value);
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
  if (asked.context && !has_rule(inference.lengths, Variable::context_tokens))
    refuse("no-context",
           fmt::format("the memory of {} does not depend on a configured context, or it is not "
                       "known how",
                       model_label(workload.choice)),
           "leave --context out");
  if (asked.reference && !has_rule(inference.lengths, Variable::reference_seconds))
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
