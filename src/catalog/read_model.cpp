#include <algorithm>

#include "catalog/model_parts.hpp"
#include "catalog/readers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

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
