#include <algorithm>

#include "report/entry_json.hpp"
#include "report/json_fields.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

template <class Enum>
Json names_json(const std::vector<Enum>& values) {
  Json names = Json::array();
  for (const Enum value : values) names.push_back(name_of(value));
  return names;
}

template <class Enum>
JsonFields& add_name(JsonFields& fields, const char* key, const std::optional<Enum>& value) {
  return value ? fields.add(key, name_of(*value)) : fields;
}

template <class Value, class Function>
void add_by_task(JsonFields& fields, const char* key, const std::map<Task, Value>& values,
                 Function entry) {
  if (values.empty()) return;
  Json object = Json::object();
  for (const auto& [task, value] : values) object[std::string(name_of(task))] = entry(value);
  fields.add(key, std::move(object));
}

void add_texts(JsonFields& fields, const char* key,
               const std::map<std::string, std::string>& texts) {
  if (!texts.empty()) fields.add(key, Json(texts));
}

// As the catalog's file has it: a key alone is a text.
void add_config_keys(JsonFields& fields, const std::map<std::string, ConfigKey>& keys) {
  if (keys.empty()) return;
  Json object = Json::object();
  for (const auto& [setting, key] : keys) {
    JsonFields entry;
    entry.add("key", key.key);
    add_texts(entry, "values", key.values);
    if (key.unit != ConfigUnit::plain) entry.add("unit", name_of(key.unit));
    entry.add("per_second", key.per_second).add("file", key.file).add("note", key.note);
    Json json = entry.take();
    object[setting] = json.size() == 1 ? json["key"] : json;
  }
  fields.add("config_keys", std::move(object));
}

Json length_entry(const LengthRule& rule) {
  JsonFields fields;
  fields.add("name", name_of(rule.variable))
      .add("per_second", rule.per_second)
      .add("constant", rule.constant);
  if (!rule.sum.empty()) fields.add("sum", names_json(rule.sum));
  return fields.add_unless(1.0, "times", rule.times)
      .add_unless(0.0, "plus", rule.plus)
      .add("max", rule.max)
      .add("samples", rule.samples)
      .add("source", rule.source)
      .take();
}

Json lengths_json(const std::vector<LengthRule>& rules) {
  Json lengths = Json::array();
  for (const LengthRule& rule : rules) lengths.push_back(length_entry(rule));
  return lengths;
}

Json term_entry(const Term& term) {
  return JsonFields()
      .add("name", term.name)
      .add("bytes", term.bytes)
      .add("per", names_json(term.per))
      .add_unless(false, "workspace", term.workspace)
      .take();
}

std::string_view name_of_kind(PhaseKind kind) {
  const auto& names = phase_kind_names();
  return std::find_if(names.begin(), names.end(),
                      [&](const auto& name) { return name.second == kind; })
      ->first;
}

Json phase_entry(const Phase& phase) {
  Json terms = Json::array();
  for (const Term& term : phase.terms) terms.push_back(term_entry(term));
  return JsonFields()
      .add("name", phase.name)
      .add("kind", name_of_kind(phase.kind))
      .add("components", phase.components)
      .add("terms", std::move(terms))
      .take();
}

Json profile_entry(const MemoryProfile& profile) {
  JsonFields fields;
  fields.add("precision", names_json(profile.precisions));
  add_name(fields, "attention", profile.attention);
  fields.add_unless(false, "checkpointing", profile.checkpointing);
  if (profile.method != Method::full) fields.add("method", name_of(profile.method));
  return fields.add_unless(false, "offload", profile.offload)
      .add("runtimes", profile.runtimes)
      .add("streams_share_weights", profile.streams_share_weights)
      .add_unless(false, "autocast_copies", profile.autocast_copies)
      .add("weight_bytes", profile.weight_bytes)
      .add("reservation_share", profile.reservation_share)
      .add_each("phases", profile.phases, phase_entry)
      .add("basis", name_of(profile.basis))
      .add("spread", profile.spread)
      .add("points", profile.points)
      .add("residual_percent", profile.residual_percent)
      .add("source", profile.source)
      .take();
}

Json component_entry(const ModelComponent& component) {
  JsonFields fields;
  fields.add("id", component.id)
      .add("name", component.name)
      .add("parameters", component.parameters);
  if (!component.bytes_per_parameter.empty()) {
    Json bytes = Json::object();
    for (const auto& [precision, value] : component.bytes_per_parameter)
      bytes[std::string(name_of(precision))] = plain_number(value);
    fields.add("bytes_per_parameter", std::move(bytes));
  }
  return fields.add_unless(false, "frozen", component.frozen)
      .add("source", component.source)
      .take();
}

Json batch_entry(const BatchRule& rule) {
  return JsonFields()
      .add("value", rule.value)
      .add("per_memory_gb", rule.per_memory_gb)
      .add("min", rule.min)
      .add("max", rule.max)
      .add_unless(false, "halve_in_fp32", rule.halve_in_fp32)
      .add("max_share_of_clips", rule.max_share_of_clips)
      .add("source", rule.source)
      .take();
}

Json recipe_entry(const Recipe& recipe) {
  JsonFields fields;
  fields.add("batch", batch_entry(recipe.batch))
      .add("grad_accum", recipe.grad_accum)
      .add("precision", name_of(recipe.precision));
  add_name(fields, "unconfigured_precision", recipe.unconfigured_precision);
  fields.add("epochs", recipe.epochs);
  if (recipe.steps) fields.add("steps", Json(*recipe.steps));
  fields.add("max_clip_s", recipe.max_clip).add("mean_clip_s", recipe.mean_clip);
  add_name(fields, "attention", recipe.attention);
  fields.add_unless(false, "checkpointing", recipe.checkpointing);
  if (recipe.method != Method::full) fields.add("method", name_of(recipe.method));
  return fields.add("source", recipe.source).take();
}

Json optimizer_entry(const Optimizer& optimizer) {
  return JsonFields()
      .add("id", optimizer.id)
      .add("state_bytes", optimizer.state_bytes)
      .add("step_temporary_bytes", optimizer.step_temporary_bytes)
      .add("source", optimizer.source)
      .take();
}

Json lora_entry(const Lora& lora) {
  return JsonFields()
      .add("ranks", Json(lora.ranks))
      .add("default_rank", lora.default_rank)
      .add("parameters_per_rank", lora.parameters_per_rank)
      .add_unless(0.0, "also_trainable", lora.also_trainable)
      .add("frozen", lora.frozen)
      .add("ddp_on_one_gpu", lora.ddp_on_one_gpu)
      .add("source", lora.source)
      .take();
}

Json speed_reference_entry(const SpeedReference& reference) {
  JsonFields fields;
  fields.add("gpu", reference.gpu).add("precision", name_of(reference.precision));
  add_name(fields, "method", reference.method);
  return fields.add("batch", reference.batch)
      .add("mean_clip_s", reference.mean_clip)
      .add("steps_per_s", reference.steps_per_s)
      .add("basis", name_of(reference.basis))
      .add("note", reference.note)
      .add("source", reference.source)
      .add("as_of", reference.as_of)
      .take();
}

Json training_speed_entry(const TrainingSpeed& speed) {
  return JsonFields()
      .add("gpu_exponent", speed.gpu_exponent)
      .add("host_s_per_step", speed.host_per_step)
      .add("clip_share", speed.clip_share)
      .add("checkpointing_factor", speed.checkpointing_factor)
      .add_each("references", speed.references, speed_reference_entry)
      .take();
}

Json parameters_entry(const Training& training) {
  return JsonFields()
      .add("trainable", training.trainable)
      .add_unless(0.0, "without_gradient", training.without_gradient)
      .add_unless(0.0, "frozen", training.frozen)
      .add("matmul", training.matmul)
      .add_unless(0.0, "buffers_bytes", training.buffers_bytes)
      .take();
}

Json training_entry(const Training& training) {
  JsonFields fields;
  fields.add("parameters", parameters_entry(training))
      .add_each("components", training.components, component_entry)
      .add_unless(4.0, "weight_bytes", training.weight_bytes)
      .add_unless(4.0, "gradient_bytes", training.gradient_bytes)
      .add_unless(4.0, "frozen_bytes", training.frozen_bytes)
      .add("ema_bytes", training.ema_bytes)
      .add_unless(false, "ema_switch", training.ema_switch)
      .add_each("optimizers", training.optimizers, optimizer_entry)
      .add("gradients_resident",
           Json(training.gradients_always_resident ? "always" : "when-accumulating"))
      .add("ddp_on_one_gpu", training.ddp_on_one_gpu)
      .add("multi_gpu", Json(training.multi_gpu ? "ddp" : "none"));
  if (training.batch_is_total) fields.add("batch_scope", Json("total"));
  if (!training.shardings.empty())
    fields.add("sharding", names_json(training.shardings))
        .add("sharding_source", training.sharding_source);
  fields.add("accumulation", JsonFields()
                                 .add("supported", training.accumulation_supported)
                                 .add("fixed", training.accumulation_fixed)
                                 .add("source", training.accumulation_source)
                                 .take());
  if (training.lora) fields.add("lora", lora_entry(*training.lora));
  fields.add("cap_clip_s", training.cap_clip).add("max_items", training.max_items);
  add_by_task(fields, "recipes", training.recipes, recipe_entry);
  return fields.add_each("profiles", training.profiles, profile_entry)
      .add("speed", training_speed_entry(training.speed))
      .take();
}

Json stage_entry(const Stage& stage, Family family_of_model) {
  JsonFields fields;
  fields.add("key", stage.key)
      .add("id", stage.id)
      .add("name", stage.name)
      .add("aliases", stage.aliases);
  if (stage.family != family_of_model) fields.add("family", name_of(stage.family));
  fields.add_unless(false, "optional", stage.optional)
      .add("batch_unit", name_of(stage.batch_unit))
      .add("lengths", lengths_json(stage.lengths))
      .add("training", training_entry(stage.training));
  add_config_keys(fields, stage.config_keys);
  return fields.take();
}

Json inference_reference_entry(const InferenceReference& reference) {
  return JsonFields()
      .add("gpu", reference.gpu)
      .add("precision", name_of(reference.precision))
      .add("runtime", reference.runtime)
      .add("streams", reference.streams)
      .add("rtf", reference.rtf)
      .add("first_audio_ms", reference.first_audio_ms)
      .add("basis", name_of(reference.basis))
      .add("note", reference.note)
      .add("source", reference.source)
      .add("as_of", reference.as_of)
      .take();
}

Json inference_entry(const Inference& inference) {
  Json references = Json::array();
  for (const InferenceReference& reference : inference.references)
    references.push_back(inference_reference_entry(reference));
  return JsonFields()
      .add_each("components", inference.components, component_entry)
      .add("default_precision", name_of(inference.default_precision))
      .add("output_s", inference.output)
      .add("streams_share_weights", inference.streams_share_weights)
      .add("lengths", lengths_json(inference.lengths))
      .add_each("profiles", inference.profiles, profile_entry)
      .add("speed", JsonFields()
                        .add("gpu_exponent", inference.gpu_exponent)
                        .add("references", std::move(references))
                        .take())
      .take();
}

Json preprocess_entry(const Preprocess& step) {
  return JsonFields()
      .add("id", step.id)
      .add("name", step.name)
      .add("rtf", step.rtf)
      .add("basis", name_of(step.basis))
      .add("source", step.source)
      .take();
}

Json pins_entry(const Pins& pins) {
  JsonFields fields;
  if (pins.min_compute_capability)
    fields.add("min_compute_capability", capability_text(*pins.min_compute_capability));
  if (pins.max_compute_capability)
    fields.add("max_compute_capability", capability_text(*pins.max_compute_capability));
  return fields.add("framework", pins.framework)
      .add("note", pins.note)
      .add("source", pins.source)
      .take();
}

Json variant_entry(const Variant& variant) {
  JsonFields fields;
  fields.add("id", variant.id)
      .add("name", variant.name)
      .add("aliases", variant.aliases)
      .add("stages", Json(variant.stages))
      .add_each("preprocess", variant.preprocess, preprocess_entry);
  if (variant.inference) fields.add("inference", inference_entry(*variant.inference));
  if (variant.pins) fields.add("pins", pins_entry(*variant.pins));
  return fields.add("unknown", Json(variant.unknown)).take();
}

Json defaults_entry(const TaskDefaults& defaults) {
  return JsonFields()
      .add("dataset_s", defaults.dataset)
      .add("speakers", defaults.speakers)
      .add("volume_s", defaults.volume)
      .add("output_s", defaults.output)
      .add("source", defaults.source)
      .take();
}

Json licence_entry(const Licence& licence) {
  return JsonFields()
      .add("code", licence.code)
      .add("weights", licence.weights)
      .add("commercial", licence.commercial)
      .add("note", licence.note)
      .add("source", licence.source)
      .take();
}

}  // namespace

Json voice_model_entry(const VoiceModel& model) {
  JsonFields fields;
  fields.add("id", model.id).add("name", model.name).add("aliases", model.aliases);
  add_texts(fields, "alias_notes", model.alias_notes);
  fields.add("summary", model.summary)
      .add("family", name_of(model.family))
      .add("licence", licence_entry(model.licence))
      .add("vendors", names_json(model.vendors))
      .add("default_variant", model.default_variant);
  add_by_task(fields, "defaults", model.defaults, defaults_entry);
  Json stages = Json::array();
  for (const Stage& stage : model.stages) stages.push_back(stage_entry(stage, model.family));
  return fields.add_each("variants", model.variants, variant_entry)
      .add("stages", std::move(stages))
      .add("sources", model.sources)
      .add("as_of", model.as_of)
      .take();
}

}  // namespace vcgpu
