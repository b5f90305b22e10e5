#include "catalog/model_parts.hpp"

namespace vcgpu {

namespace {

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

}  // namespace

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

}  // namespace vcgpu
