// Readers of the parts that a voice model's entry is made of.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "catalog/json_source.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

// Bounds that catch a wrong unit, not a large model.
inline constexpr double max_parameters = 1e12;
inline constexpr double max_term_bytes = 1e12;
inline constexpr double max_audio_s = 1e9;
inline constexpr double max_length = 1e9;

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

inline std::optional<Seconds> optional_seconds(const JsonNode& node, std::string_view key) {
  const std::optional<double> value = node.optional_number(key, 0.01, max_audio_s);
  return value ? std::optional(Seconds(*value)) : std::nullopt;
}

inline Seconds seconds(const JsonNode& node, std::string_view key) {
  return Seconds(node.number(key, 0.01, max_audio_s));
}

LengthRule read_length(const JsonNode& node);
MemoryProfile read_profile(const JsonNode& node);
ModelComponent read_component(const JsonNode& node);
Stage read_stage(const JsonNode& node, Family family_of_model);

}  // namespace vcgpu
