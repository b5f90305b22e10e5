#include <algorithm>

#include "catalog/readers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

// Bounds that catch a wrong unit, not a large model.
constexpr double max_parameters = 1e12;
constexpr double max_term_bytes = 1e12;
constexpr double max_audio_s = 1e9;
constexpr double max_length = 1e9;

template <class Value, class Reader>
std::map<Task, Value> read_by_task(const JsonNode& node, std::string_view key, Reader read) {
  std::map<Task, Value> values;
  if (!node.has(key)) return values;
  const JsonNode tasks = node.at(key);
  tasks.only({"train", "finetune", "realtime", "batch"});
  for (const auto& [name, task] : task_names()) {
    if (tasks.has(name)) values.emplace(task, read(tasks.at(name)));
  }
  return values;
}

std::optional<Seconds> optional_seconds(const JsonNode& node, std::string_view key) {
  const std::optional<double> value = node.optional_number(key, 0.01, max_audio_s);
  return value ? std::optional(Seconds(*value)) : std::nullopt;
}

Seconds seconds(const JsonNode& node, std::string_view key) {
  return Seconds(node.number(key, 0.01, max_audio_s));
}

LengthRule read_length(const JsonNode& node) {
  node.only({"name", "per_second", "constant", "sum", "times", "plus", "max", "samples", "source"});
  LengthRule rule;
  rule.variable = node.choice("name", variable_names());
  rule.per_second = node.optional_number("per_second", 1e-6, 1e6);
  rule.constant = node.optional_number("constant", 1e-6, max_length);
  rule.max = node.optional_number("max", 1, max_length);
  rule.samples = node.optional_number("samples", 1, 1e6);
  for (const JsonNode& part : node.items("sum"))
    rule.sum.push_back(part.as_choice(variable_names()));
  rule.times = node.number_or("times", 0, 1e6, 1);
  rule.plus = node.number_or("plus", -max_length, max_length, 0);
  rule.source = node.text("source");
  if (!rule.constant && !rule.per_second && rule.sum.empty())
    node.fail("says no value", "give per_second, constant or sum");
  return rule;
}

Term read_term(const JsonNode& node) {
  node.only({"name", "bytes", "per", "workspace"});
  Term term;
  term.name = node.text("name");
  // Not negative: more batch or longer clips never need less memory.
  term.bytes = node.number("bytes", 0, max_term_bytes);
  for (const JsonNode& variable : node.items("per"))
    term.per.push_back(variable.as_choice(variable_names()));
  term.workspace = node.boolean_or("workspace", false);
  return term;
}

Phase read_phase(const JsonNode& node) {
  node.only({"name", "kind", "components", "terms"});
  Phase phase;
  phase.name = node.text("name");
  phase.kind = node.choice("kind", phase_kind_names());
  phase.components = node.texts("components");
  for (const JsonNode& term : node.items("terms")) phase.terms.push_back(read_term(term));
  return phase;
}

MemoryProfile read_profile(const JsonNode& node) {
  node.only({"precision", "attention", "checkpointing", "method", "offload", "runtimes",
             "streams_share_weights", "autocast_copies", "weight_bytes", "reservation_share",
             "phases", "basis", "spread", "points", "residual_percent", "source"});
  MemoryProfile profile;
  for (const JsonNode& precision : node.items("precision"))
    profile.precisions.push_back(precision.as_choice(precision_names()));
  if (profile.precisions.empty()) node.fail("names no precision");
  if (node.has("attention")) profile.attention = node.choice("attention", attention_names());
  profile.checkpointing = node.boolean_or("checkpointing", false);
  if (node.has("method")) profile.method = node.choice("method", method_names());
  profile.offload = node.boolean_or("offload", false);
  profile.runtimes = node.texts("runtimes");
  profile.streams_share_weights = node.optional_boolean("streams_share_weights");
  profile.autocast_copies = node.boolean_or("autocast_copies", false);
  profile.weight_bytes = node.optional_number("weight_bytes", 0.25, 8);
  profile.reservation_share = node.optional_number("reservation_share", 0.01, 1);
  for (const JsonNode& phase : node.items("phases")) profile.phases.push_back(read_phase(phase));
  if (profile.phases.empty()) node.fail("has no phases");
  profile.basis = node.choice("basis", basis_names());
  profile.spread = node.optional_number("spread", 0.001, 2);
  profile.points = node.optional_integer("points", 1, 1'000'000);
  profile.residual_percent = node.optional_number("residual_percent", 0, 1000);
  profile.source = node.text("source");
  return profile;
}

ModelComponent read_component(const JsonNode& node) {
  node.only({"id", "name", "parameters", "bytes_per_parameter", "frozen", "source"});
  ModelComponent component;
  component.id = node.text("id");
  component.name = node.text("name");
  component.parameters = node.number("parameters", 1, max_parameters);
  if (node.has("bytes_per_parameter")) {
    const JsonNode bytes = node.at("bytes_per_parameter");
    bytes.only({"fp32", "tf32", "fp16", "bf16", "int8", "int4"});
    for (const auto& [name, precision] : precision_names()) {
      if (bytes.has(name)) component.bytes_per_parameter[precision] = bytes.number(name, 0.1, 16);
    }
  }
  component.frozen = node.boolean_or("frozen", false);
  component.source = node.text("source");
  return component;
}

BatchRule read_batch_rule(const JsonNode& node) {
  node.only(
      {"value", "per_memory_gb", "min", "max", "halve_in_fp32", "max_share_of_clips", "source"});
  BatchRule rule;
  rule.value = node.optional_number("value", 0.01, 1e7);
  rule.per_memory_gb = node.optional_number("per_memory_gb", 0.001, 1e5);
  if (rule.value.has_value() == rule.per_memory_gb.has_value())
    node.fail("needs either value or per_memory_gb");
  rule.min = node.optional_number("min", 1, 1e7);
  rule.max = node.optional_number("max", 1, 1e7);
  rule.halve_in_fp32 = node.boolean_or("halve_in_fp32", false);
  rule.max_share_of_clips = node.optional_number("max_share_of_clips", 0.001, 1);
  rule.source = node.text("source");
  return rule;
}

Recipe read_recipe(const JsonNode& node) {
  node.only({"batch", "grad_accum", "precision", "unconfigured_precision", "epochs", "steps",
             "max_clip_s", "mean_clip_s", "attention", "checkpointing", "method", "source"});
  Recipe recipe;
  recipe.batch = read_batch_rule(node.at("batch"));
  recipe.grad_accum = node.optional_integer("grad_accum", 1, 100'000).value_or(1);
  recipe.precision = node.choice("precision", precision_names());
  if (node.has("unconfigured_precision"))
    recipe.unconfigured_precision = node.choice("unconfigured_precision", precision_names());
  recipe.epochs = node.optional_number("epochs", 0.01, 1e6);
  if (node.has("steps")) recipe.steps = static_cast<std::int64_t>(node.number("steps", 1, 1e9));
  if (recipe.epochs.has_value() == recipe.steps.has_value())
    node.fail("needs either epochs or steps");
  recipe.max_clip = seconds(node, "max_clip_s");
  recipe.mean_clip = seconds(node, "mean_clip_s");
  if (recipe.mean_clip > recipe.max_clip) node.at("mean_clip_s").fail("is longer than max_clip_s");
  if (node.has("attention")) recipe.attention = node.choice("attention", attention_names());
  recipe.checkpointing = node.boolean_or("checkpointing", false);
  if (node.has("method")) recipe.method = node.choice("method", method_names());
  recipe.source = node.text("source");
  return recipe;
}

Optimizer read_optimizer(const JsonNode& node) {
  node.only({"id", "state_bytes", "step_temporary_bytes", "source"});
  return {.id = node.text("id"),
          .state_bytes = node.number("state_bytes", 0, 64),
          .step_temporary_bytes = node.number("step_temporary_bytes", 0, 64),
          .source = node.text("source")};
}

Lora read_lora(const JsonNode& node) {
  node.only({"ranks", "default_rank", "parameters_per_rank", "also_trainable", "frozen",
             "ddp_on_one_gpu", "source"});
  Lora lora;
  for (const JsonNode& rank : node.items("ranks"))
    lora.ranks.push_back(static_cast<int>(rank.as_number(1, 4096)));
  lora.default_rank = node.integer("default_rank", 1, 4096);
  if (std::find(lora.ranks.begin(), lora.ranks.end(), lora.default_rank) == lora.ranks.end())
    node.at("default_rank").fail("is not one of ranks");
  lora.parameters_per_rank = node.number("parameters_per_rank", 1, max_parameters);
  lora.also_trainable = node.number_or("also_trainable", 0, max_parameters, 0);
  lora.frozen = node.number("frozen", 0, max_parameters);
  lora.ddp_on_one_gpu = node.boolean_or("ddp_on_one_gpu", false);
  lora.source = node.text("source");
  return lora;
}

SpeedReference read_speed_reference(const JsonNode& node) {
  node.only({"gpu", "precision", "method", "batch", "mean_clip_s", "steps_per_s", "basis", "note",
             "source", "as_of"});
  SpeedReference reference;
  reference.gpu = node.text("gpu");
  reference.precision = node.choice("precision", precision_names());
  if (node.has("method")) reference.method = node.choice("method", method_names());
  reference.batch = node.number("batch", 0.01, 1e7);
  reference.mean_clip = seconds(node, "mean_clip_s");
  reference.steps_per_s = node.number("steps_per_s", 1e-6, 1e6);
  reference.basis = node.choice("basis", basis_names());
  reference.note = node.text_or_empty("note");
  reference.source = node.text("source");
  reference.as_of = node.date("as_of");
  return reference;
}

TrainingSpeed read_training_speed(const JsonNode& node) {
  node.only(
      {"gpu_exponent", "host_s_per_step", "clip_share", "checkpointing_factor", "references"});
  TrainingSpeed speed;
  speed.gpu_exponent = node.number("gpu_exponent", 0, 1.5);
  speed.host_per_step = Seconds(node.number("host_s_per_step", 0, 1000));
  speed.clip_share = node.number("clip_share", 0, 1);
  speed.checkpointing_factor = node.optional_number("checkpointing_factor", 1, 10);
  for (const JsonNode& reference : node.items("references"))
    speed.references.push_back(read_speed_reference(reference));
  if (speed.references.empty())
    node.at("references").fail("is empty", "an analytic reference says so in its basis");
  return speed;
}

Training read_training(const JsonNode& node) {
  node.only({"parameters",     "components",      "weight_bytes",
             "gradient_bytes", "frozen_bytes",    "ema_bytes",
             "ema_switch",     "optimizers",      "gradients_resident",
             "ddp_on_one_gpu", "multi_gpu",       "batch_scope",
             "sharding",       "sharding_source", "accumulation",
             "lora",           "cap_clip_s",      "max_items",
             "recipes",        "profiles",        "speed"});
  Training training;
  const JsonNode parameters = node.at("parameters");
  parameters.only({"trainable", "without_gradient", "frozen", "matmul", "buffers_bytes"});
  training.trainable = parameters.number("trainable", 1, max_parameters);
  training.without_gradient = parameters.number_or("without_gradient", 0, training.trainable, 0);
  training.frozen = parameters.number_or("frozen", 0, max_parameters, 0);
  training.matmul = parameters.optional_number("matmul", 0, max_parameters);
  training.buffers_bytes = parameters.number_or("buffers_bytes", 0, max_term_bytes, 0);
  for (const JsonNode& component : node.items("components"))
    training.components.push_back(read_component(component));
  training.weight_bytes = node.number_or("weight_bytes", 0.25, 8, 4);
  training.gradient_bytes = node.number_or("gradient_bytes", 0.25, 8, 4);
  training.frozen_bytes = node.number_or("frozen_bytes", 0.25, 8, 4);
  training.ema_bytes = node.optional_number("ema_bytes", 0.25, 8);
  training.ema_switch = node.boolean_or("ema_switch", false);
  for (const JsonNode& optimizer : node.items("optimizers"))
    training.optimizers.push_back(read_optimizer(optimizer));
  if (training.optimizers.empty()) node.at("optimizers").fail("is empty");
  training.gradients_always_resident = node.choice(
      "gradients_resident", Names<bool>{{"always", true}, {"when-accumulating", false}});
  training.ddp_on_one_gpu = node.boolean_or("ddp_on_one_gpu", false);
  training.multi_gpu = node.choice("multi_gpu", Names<bool>{{"ddp", true}, {"none", false}});
  if (node.has("batch_scope"))
    training.batch_is_total =
        node.choice("batch_scope", Names<bool>{{"total", true}, {"per-gpu", false}});
  for (const JsonNode& sharding : node.items("sharding"))
    training.shardings.push_back(sharding.as_choice(sharding_names()));
  if (!training.shardings.empty()) training.sharding_source = node.text("sharding_source");
  const JsonNode accumulation = node.at("accumulation");
  accumulation.only({"supported", "fixed", "source"});
  training.accumulation_supported = accumulation.boolean_or("supported", false);
  training.accumulation_fixed = accumulation.optional_integer("fixed", 1, 100'000);
  training.accumulation_source = accumulation.text("source");
  if (node.has("lora")) training.lora = read_lora(node.at("lora"));
  training.cap_clip = optional_seconds(node, "cap_clip_s");
  training.max_items = node.optional_integer("max_items", 1, 1'000'000);
  training.recipes = read_by_task<Recipe>(node, "recipes", read_recipe);
  for (const JsonNode& profile : node.items("profiles")) {
    training.profiles.push_back(read_profile(profile));
    if (training.profiles.back().autocast_copies && !training.matmul)
      profile.fail("autocast_copies needs parameters.matmul");
  }
  if (training.profiles.empty()) node.at("profiles").fail("is empty");
  training.speed = read_training_speed(node.at("speed"));
  return training;
}

// A key alone, or an object that says how the value is written.
ConfigKey read_config_key(const JsonNode& node) {
  ConfigKey key;
  if (node.value().is_string()) {
    key.key = node.as_text();
    return key;
  }
  node.only({"key", "values", "unit", "per_second", "file", "note"});
  key.key = node.text("key");
  if (node.has("values")) {
    for (const auto& [ours, theirs] : node.at("values").members())
      key.values.emplace(ours, theirs.as_text());
  }
  if (node.has("unit")) key.unit = node.choice("unit", config_unit_names());
  key.per_second = node.optional_number("per_second", 0.1, 1e6);
  if (!key.per_second && (key.unit == ConfigUnit::samples || key.unit == ConfigUnit::frames))
    node.fail("names no rate", "give per_second: samples or frames of a second");
  key.file = node.text_or_empty("file");
  key.note = node.text_or_empty("note");
  return key;
}

Stage read_stage(const JsonNode& node, Family family_of_model) {
  node.only({"key", "id", "name", "aliases", "family", "optional", "batch_unit", "lengths",
             "training", "config_keys"});
  Stage stage;
  stage.key = node.text("key");
  stage.id = node.text("id");
  stage.name = node.text("name");
  stage.aliases = node.texts("aliases");
  stage.family = node.has("family") ? node.choice("family", family_names()) : family_of_model;
  stage.optional = node.boolean_or("optional", false);
  stage.batch_unit = node.choice("batch_unit", batch_unit_names());
  for (const JsonNode& length : node.items("lengths")) stage.lengths.push_back(read_length(length));
  stage.training = read_training(node.at("training"));
  if (node.has("config_keys")) {
    for (const auto& [setting, key] : node.at("config_keys").members())
      stage.config_keys.emplace(setting, read_config_key(key));
  }
  return stage;
}

InferenceReference read_inference_reference(const JsonNode& node) {
  node.only({"gpu", "precision", "runtime", "streams", "rtf", "first_audio_ms", "basis", "note",
             "source", "as_of"});
  InferenceReference reference;
  reference.gpu = node.text("gpu");
  reference.precision = node.choice("precision", precision_names());
  reference.runtime = node.text("runtime");
  reference.streams = node.optional_integer("streams", 1, 100'000);
  reference.rtf = node.optional_number("rtf", 1e-6, 1e5);
  reference.first_audio_ms = node.optional_number("first_audio_ms", 0.01, 1e7);
  reference.basis = node.choice("basis", basis_names());
  reference.note = node.text_or_empty("note");
  reference.source = node.text("source");
  reference.as_of = node.date("as_of");
  return reference;
}

Inference read_inference(const JsonNode& node) {
  node.only({"components", "default_precision", "output_s", "streams_share_weights", "lengths",
             "profiles", "speed"});
  Inference inference;
  for (const JsonNode& component : node.items("components"))
    inference.components.push_back(read_component(component));
  inference.default_precision = node.choice("default_precision", precision_names());
  inference.output = seconds(node, "output_s");
  inference.streams_share_weights = node.boolean_or("streams_share_weights", false);
  for (const JsonNode& length : node.items("lengths"))
    inference.lengths.push_back(read_length(length));
  for (const JsonNode& profile : node.items("profiles")) {
    inference.profiles.push_back(read_profile(profile));
    for (const Phase& phase : inference.profiles.back().phases) {
      for (const std::string& id : phase.components) {
        const bool known =
            std::any_of(inference.components.begin(), inference.components.end(),
                        [&](const ModelComponent& component) { return component.id == id; });
        if (!known)
          profile.fail("phase '" + phase.name + "' names component '" + id +
                       "', which is not listed");
      }
    }
  }
  if (inference.profiles.empty()) node.at("profiles").fail("is empty");
  const JsonNode speed = node.at("speed");
  speed.only({"gpu_exponent", "references"});
  inference.gpu_exponent = speed.number("gpu_exponent", 0, 1.5);
  for (const JsonNode& reference : speed.items("references"))
    inference.references.push_back(read_inference_reference(reference));
  return inference;
}

Preprocess read_preprocess(const JsonNode& node) {
  node.only({"id", "name", "rtf", "basis", "source"});
  return {.id = node.text("id"),
          .name = node.text("name"),
          .rtf = node.number("rtf", 1e-6, 1e4),
          .basis = node.choice("basis", basis_names()),
          .source = node.text("source")};
}

std::optional<ComputeCapability> optional_capability(const JsonNode& node, std::string_view key) {
  if (!node.has(key)) return std::nullopt;
  const std::optional<ComputeCapability> capability = parse_compute_capability(node.text(key));
  if (!capability) node.at(key).fail("is no compute capability", "write it as \"8.9\"");
  return capability;
}

Variant read_variant(const JsonNode& node) {
  node.only({"id", "name", "aliases", "stages", "preprocess", "inference", "pins", "unknown"});
  Variant variant;
  variant.id = node.text("id");
  variant.name = node.text("name");
  variant.aliases = node.texts("aliases");
  variant.stages = node.texts("stages");
  for (const JsonNode& step : node.items("preprocess"))
    variant.preprocess.push_back(read_preprocess(step));
  if (node.has("inference")) variant.inference = read_inference(node.at("inference"));
  if (node.has("pins")) {
    const JsonNode pins = node.at("pins");
    pins.only({"min_compute_capability", "max_compute_capability", "framework", "note", "source"});
    variant.pins =
        Pins{.min_compute_capability = optional_capability(pins, "min_compute_capability"),
             .max_compute_capability = optional_capability(pins, "max_compute_capability"),
             .framework = pins.text_or_empty("framework"),
             .note = pins.text_or_empty("note"),
             .source = pins.text("source")};
  }
  variant.unknown = node.texts("unknown");
  return variant;
}

TaskDefaults read_task_defaults(const JsonNode& node) {
  node.only({"dataset_s", "speakers", "volume_s", "output_s", "source"});
  return {.dataset = optional_seconds(node, "dataset_s"),
          .volume = optional_seconds(node, "volume_s"),
          .output = optional_seconds(node, "output_s"),
          .speakers = node.optional_integer("speakers", 1, 1'000'000),
          .source = node.text("source")};
}

}  // namespace

VoiceModel read_voice_model(const JsonNode& node) {
  node.only({"id", "name", "aliases", "alias_notes", "summary", "family", "licence", "vendors",
             "default_variant", "defaults", "variants", "stages", "sources", "as_of"});
  VoiceModel model;
  model.id = node.text("id");
  model.name = node.text("name");
  model.aliases = node.texts("aliases");
  if (node.has("alias_notes")) {
    for (const auto& [alias, note] : node.at("alias_notes").members())
      model.alias_notes.emplace(alias, note.as_text());
  }
  model.summary = node.text("summary");
  model.family = node.choice("family", family_names());
  const JsonNode licence = node.at("licence");
  licence.only({"code", "weights", "commercial", "note", "source"});
  model.licence = {.code = licence.text("code"),
                   .weights = licence.text("weights"),
                   .commercial = licence.text("commercial"),
                   .note = licence.text_or_empty("note"),
                   .source = licence.text("source")};
  for (const JsonNode& vendor : node.items("vendors"))
    model.vendors.push_back(vendor.as_choice(vendor_names()));
  if (model.vendors.empty()) model.vendors.push_back(Vendor::nvidia);
  model.default_variant = node.text("default_variant");
  model.defaults = read_by_task<TaskDefaults>(node, "defaults", read_task_defaults);
  for (const JsonNode& stage : node.items("stages"))
    model.stages.push_back(read_stage(stage, model.family));
  for (const JsonNode& item : node.items("variants")) {
    Variant variant = read_variant(item);
    for (const std::string& key : variant.stages) {
      const bool known = std::any_of(model.stages.begin(), model.stages.end(),
                                     [&](const Stage& stage) { return stage.key == key; });
      if (!known)
        item.at("stages").fail("names stage '" + key + "', which the model does not have");
    }
    model.variants.push_back(std::move(variant));
  }
  const bool default_known =
      std::any_of(model.variants.begin(), model.variants.end(),
                  [&](const Variant& variant) { return variant.id == model.default_variant; });
  if (!default_known) node.at("default_variant").fail("is not one of variants");
  model.sources = node.texts("sources");
  if (model.sources.empty())
    node.fail("has no sources", "every entry names where its figures come from");
  model.as_of = node.date("as_of");
  return model;
}

}  // namespace vcgpu
