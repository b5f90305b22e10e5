#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/card.hpp"
#include "report/entry_json.hpp"
#include "report/listing.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

std::string with_note(const std::string& fact, const std::string& note) {
  return note.empty() ? fact : fact + "; " + note;
}

std::string parameters_text(double count) {
  return count < 1e9 ? fmt::format("{:.1f} M", count / 1e6) : fmt::format("{:.2f} G", count / 1e9);
}

template <class Enum>
std::string names_text(const std::vector<Enum>& values, std::string_view separator = ", ") {
  std::vector<std::string> names;
  for (const Enum value : values) names.emplace_back(name_of(value));
  return joined(names, separator);
}

std::string basis_text(const MemoryProfile& profile) {
  std::string text(name_of(profile.basis));
  if (profile.points)
    text += fmt::format(", {} point{}", *profile.points, *profile.points == 1 ? "" : "s");
  if (profile.residual_percent)
    text += fmt::format(", within {} %", number_text(*profile.residual_percent));
  return text;
}

// "fp16 bf16, sdpa, checkpointing".
std::string settings_text(const MemoryProfile& profile) {
  std::string text = names_text(profile.precisions, " ");
  if (profile.attention) text += fmt::format(", {}", name_of(*profile.attention));
  if (profile.checkpointing) text += ", checkpointing";
  if (profile.method == Method::lora) text += ", LoRA";
  return text;
}

std::string term_text(const Term& term) {
  std::string text = fmt::format("{}: {} bytes", term.name, number_text(term.bytes));
  for (const Variable variable : term.per) text += fmt::format(" x {}", name_of(variable));
  return text;
}

std::string phases_text(const MemoryProfile& profile) {
  std::string text;
  for (const Phase& phase : profile.phases) {
    std::vector<std::string> terms;
    for (const Term& term : phase.terms) terms.push_back(term_text(term));
    text += fmt::format("; in {}: {}", phase.name, terms.empty() ? "nothing" : joined(terms, ", "));
  }
  return text + "; source: " + profile.source;
}

void add_profiles(Card& card, const std::vector<MemoryProfile>& profiles,
                  CardContext::Detail detail) {
  std::vector<std::string> texts;
  for (const MemoryProfile& profile : profiles)
    texts.push_back(fmt::format("{}: {}{}", settings_text(profile), basis_text(profile),
                                detail == CardContext::Detail::usual ? "" : phases_text(profile)));
  card.list("memory", texts);
}

template <class References, class Text>
void add_speed(Card& card, const References& references, CardContext::Detail detail, Text text_of) {
  std::vector<std::string> texts;
  for (const auto& reference : references)
    texts.push_back(
        with_note(text_of(reference), detail == CardContext::Detail::usual ? "" : reference.note));
  card.list("speed", texts);
}

std::string batch_text(const BatchRule& rule, BatchUnit unit) {
  std::string text = rule.value
                         ? fmt::format("batch {} {}", number_text(*rule.value), name_of(unit))
                         : fmt::format("batch of {} {} per GB of the card",
                                       number_text(*rule.per_memory_gb), name_of(unit));
  if (rule.min) text += fmt::format(", at least {}", number_text(*rule.min));
  if (rule.max) text += fmt::format(", at most {}", number_text(*rule.max));
  if (rule.halve_in_fp32) text += ", half of it in fp32";
  return text;
}

std::string recipe_text(const Recipe& recipe, const Stage& stage) {
  std::string text = batch_text(recipe.batch, stage.batch_unit);
  if (recipe.grad_accum > 1) text += fmt::format(", accumulated {} times", recipe.grad_accum);
  text += fmt::format(", {}", name_of(recipe.precision));
  if (recipe.epochs) text += fmt::format(", {} epochs", number_text(*recipe.epochs));
  if (recipe.steps) text += fmt::format(", {} steps", *recipe.steps);
  text += fmt::format(", clips of {}, up to {}", duration_text(recipe.mean_clip),
                      duration_text(recipe.max_clip));
  if (recipe.checkpointing) text += ", checkpointing";
  if (recipe.method == Method::lora) text += ", LoRA";
  return text;
}

std::string size_text(const Training& training) {
  std::string text = parameters_text(training.trainable) + " trained";
  if (training.frozen > 0) text += ", " + parameters_text(training.frozen) + " frozen";
  if (training.ema_bytes) text += ", an averaged copy";
  return text;
}

std::string levers_text(const Training& training) {
  std::vector<std::string> levers;
  for (const Optimizer& optimizer : training.optimizers) levers.push_back(optimizer.id);
  if (training.lora) {
    std::vector<std::string> ranks;
    for (const int rank : training.lora->ranks) ranks.push_back(std::to_string(rank));
    levers.push_back("LoRA of rank " + joined(ranks, " "));
  }
  if (training.accumulation_supported) levers.emplace_back("gradient accumulation");
  if (training.accumulation_fixed)
    levers.push_back(fmt::format("always accumulates {}", *training.accumulation_fixed));
  levers.emplace_back(training.multi_gpu ? "several GPUs" : "one GPU");
  return joined(levers);
}

std::string speed_text(const SpeedReference& reference, const Stage& stage) {
  return fmt::format("{} {}: {} steps/s at batch {} {} of {} ({}, {}, {})", reference.gpu,
                     name_of(reference.precision), number_text(reference.steps_per_s),
                     number_text(reference.batch), name_of(stage.batch_unit),
                     duration_text(reference.mean_clip), name_of(reference.basis), reference.source,
                     reference.as_of);
}

// "batch = train.batch_size", and the file where all have one.
std::string config_text(const Stage& stage) {
  std::vector<std::string> parts;
  std::string file;
  bool same = true;
  for (const auto& [setting, key] : stage.config_keys) {
    parts.push_back(fmt::format("{} = {}", setting, key.key));
    if (!file.empty() && !key.file.empty() && key.file != file) same = false;
    if (!key.file.empty()) file = key.file;
  }
  return joined(parts) + (same && !file.empty() ? fmt::format(" ({})", file) : "");
}

void add_stage(Card& card, const Stage& stage, CardContext::Detail detail) {
  const Training& training = stage.training;
  card.section(fmt::format("Stage {}: {}{}", printable(stage.id), printable(stage.name),
                           stage.optional ? " (only with --stage)" : ""))
      .field("size", size_text(training))
      .field("levers", levers_text(training));
  if (training.cap_clip)
    card.field("longest clip",
               duration_text(*training.cap_clip) + "; longer ones are cut or left out");
  if (!stage.config_keys.empty()) card.field("settings", config_text(stage));
  for (const auto& [task, recipe] : training.recipes)
    card.field(name_of(task), recipe_text(recipe, stage));
  add_profiles(card, training.profiles, detail);
  add_speed(card, training.speed.references, detail,
            [&](const SpeedReference& reference) { return speed_text(reference, stage); });
}

std::string speed_text(const InferenceReference& reference) {
  std::string text =
      fmt::format("{} {} {}", reference.gpu, name_of(reference.precision), reference.runtime);
  if (reference.streams && *reference.streams > 1)
    text += fmt::format(", {} streams", *reference.streams);
  text += ":";
  if (reference.rtf) text += fmt::format(" RTF {}", number_text(*reference.rtf));
  if (reference.first_audio_ms)
    text += fmt::format(" first audio after {} ms", number_text(*reference.first_audio_ms));
  return text +
         fmt::format(" ({}, {}, {})", name_of(reference.basis), reference.source, reference.as_of);
}

void add_inference(Card& card, const Variant& variant, CardContext::Detail detail) {
  if (!variant.inference) return;
  const Inference& inference = *variant.inference;
  std::vector<std::string> parts;
  for (const ModelComponent& component : inference.components)
    parts.push_back(fmt::format("{} {}", component.name, parameters_text(component.parameters)));
  card.field("inference",
             fmt::format("{}; {} a request, {}", name_of(inference.default_precision),
                         duration_text(inference.output),
                         inference.streams_share_weights ? "streams share the weights"
                                                         : "one process for each stream"))
      .field("networks", joined(parts));
  add_profiles(card, inference.profiles, detail);
  add_speed(card, inference.references, detail,
            [](const InferenceReference& reference) { return speed_text(reference); });
}

std::string pins_text(const Pins& pins) {
  std::vector<std::string> parts;
  if (pins.min_compute_capability)
    parts.push_back("compute capability from " + capability_text(*pins.min_compute_capability));
  if (pins.max_compute_capability)
    parts.push_back("compute capability to " + capability_text(*pins.max_compute_capability));
  if (!pins.framework.empty()) parts.push_back(pins.framework);
  if (!pins.note.empty()) parts.push_back(pins.note);
  return joined(parts, "; ") + fmt::format(" ({})", pins.source);
}

void add_variant(Card& card, const VoiceModel& model, const Variant& variant,
                 CardContext::Detail detail) {
  card.section(fmt::format("Variant {}@{}: {}{}", printable(model.id), printable(variant.id),
                           printable(variant.name),
                           variant.id == model.default_variant ? " (default)" : ""))
      .field("also", joined(variant.aliases));
  std::vector<std::string> stages;
  for (const Stage* stage : stages_of(model, variant))
    stages.push_back(fmt::format("{} ({})", stage->id, stage->name));
  card.field("trained in", joined(stages, ", then "));
  std::vector<std::string> before;
  for (const Preprocess& step : variant.preprocess)
    before.push_back(
        fmt::format("{}: RTF {} ({})", step.name, number_text(step.rtf), name_of(step.basis)));
  card.list("before training", before);
  add_inference(card, variant, detail);
  if (variant.pins) card.field("needs", pins_text(*variant.pins));
  card.list("not known", variant.unknown);
}

std::string licence_text(const Licence& licence) {
  return with_note(fmt::format("code {}, weights {}", licence.code, licence.weights),
                   fmt::format("commercial use: {}", licence.commercial));
}

std::string defaults_text(const TaskDefaults& defaults) {
  std::vector<std::string> parts;
  if (defaults.dataset)
    parts.push_back(fmt::format("{} of audio to train on", duration_text(*defaults.dataset)));
  if (defaults.speakers)
    parts.push_back(
        fmt::format("{} speaker{}", *defaults.speakers, *defaults.speakers == 1 ? "" : "s"));
  if (defaults.volume)
    parts.push_back(fmt::format("{} of audio to make", duration_text(*defaults.volume)));
  if (defaults.output)
    parts.push_back(fmt::format("{} a request", duration_text(*defaults.output)));
  return with_note(joined(parts), defaults.source);
}

}  // namespace

std::string voice_model_card(const VoiceModel& model, const std::string& note,
                             const CardContext& context) {
  std::vector<Task> tasks = tasks_of(model);
  Card card(*context.style, model.name, model.id);
  card.field("also", joined(model.aliases))
      .field("note", note)
      .field("what", model.summary)
      .field("tasks", names_text(tasks))
      .field("licence", with_note(licence_text(model.licence), model.licence.note))
      .field("GPUs of", names_text(model.vendors));
  card.section("Defaults");
  for (const auto& [task, defaults] : model.defaults)
    card.field(name_of(task), defaults_text(defaults));
  for (const Variant& variant : model.variants) add_variant(card, model, variant, context.detail);
  for (const Stage& stage : model.stages) add_stage(card, stage, context.detail);
  return card.section("Where this is from")
      .field("sources", joined(model.sources))
      .field("as of", dated_text(model.as_of, context))
      .take();
}

}  // namespace vcgpu
