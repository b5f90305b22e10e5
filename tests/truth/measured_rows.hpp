// tests/data/measured.json: what was measured on real graphs, row by row.
#pragma once

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/temporary_directory.hpp"
#include "vcgpu/names.hpp"
#include "vcgpu/plan.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu::test {

using Row = nlohmann::json;

inline const std::vector<Row>& measured(std::string_view section) {
  static const Row document =
      Row::parse(content_of(std::filesystem::path(VCGPU_SOURCE_DIR) / "tests/data/measured.json"));
  return document.at(std::string(section)).get_ref<const std::vector<Row>&>();
}

inline std::string text(const Row& row, const char* key) { return row.at(key).get<std::string>(); }

template <class Enum>
Enum word(const Row& row, const char* key, const Names<Enum>& names) {
  const std::string given = text(row, key);
  for (const auto& [name, value] : names) {
    if (name == given) return value;
  }
  throw std::runtime_error("unknown word " + given);
}

inline Lengths lengths_in(const Row& row) {
  Lengths lengths;
  for (const auto& [name, value] : row.at("lengths").items()) {
    for (const auto& [known, variable] : variable_names()) {
      if (known == name) lengths[variable] = value.get<double>();
    }
  }
  const auto up_to_16 = [](double n) { return std::ceil(n / 16) * 16; };
  lengths[Variable::sequence_16] = up_to_16(lengths[Variable::sequence]);
  lengths[Variable::mel_frames_16] = up_to_16(lengths[Variable::mel_frames]);
  return lengths;
}

// The settings of a training row.
inline StagePlan plan_of(const Row& row, const Stage& stage) {
  StagePlan plan;
  plan.precision = word(row, "precision", precision_names());
  if (row.contains("attention")) plan.attention = word(row, "attention", attention_names());
  if (row.contains("method")) plan.method = word(row, "method", method_names());
  plan.lora_rank = row.value("lora_rank", 0);
  plan.checkpointing = row.value("checkpointing", false);
  plan.batch = row.value("batch", 1.0);
  plan.grad_accum = row.value("grad_accum", stage.training.accumulation_fixed.value_or(1));
  plan.optimizer = &stage.training.optimizers.front();
  for (const Optimizer& optimizer : stage.training.optimizers) {
    if (optimizer.id == row.value("optimizer", "")) plan.optimizer = &optimizer;
  }
  return plan;
}

}  // namespace vcgpu::test
