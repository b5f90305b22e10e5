#include <algorithm>

#include "catalog/model_parts.hpp"

namespace vcgpu {

namespace {

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

}  // namespace

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

}  // namespace vcgpu
