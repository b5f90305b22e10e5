// Every measured row of tests/data/measured.json through the public estimate.
//
// Rows give the exact bytes of live tensors at the peak of a real graph; what
// the estimate calls `allocated` is that, with frozen weights that the row
// leaves out.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "support/temporary_directory.hpp"
#include "vcgpu/estimate.hpp"
#include "vcgpu/names.hpp"

using namespace vcgpu;
using namespace vcgpu::test;
using Row = nlohmann::json;

namespace {

// The issue asks for 3 %; the fits are documented to stay below 1.2 %.
constexpr double most_per_row = 0.012;

std::vector<Row> rows_of(bool training) {
  static const Row document =
      Row::parse(content_of(std::filesystem::path(VCGPU_SOURCE_DIR) / "tests/data/measured.json"));
  std::vector<Row> rows;
  for (const Row& row : document.at("rows")) {
    if ((row.at("task") != "inference") == training) rows.push_back(row);
  }
  return rows;
}

std::string text(const Row& row, const char* key) { return row.at(key).get<std::string>(); }

template <class Enum>
Enum word(const Row& row, const char* key, const Names<Enum>& names) {
  const std::string given = text(row, key);
  for (const auto& [name, value] : names) {
    if (name == given) return value;
  }
  throw std::runtime_error("unknown word " + given);
}

Lengths lengths_in(const Row& row) {
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

double estimated_training(const Row& row) {
  const Stage& stage = embedded_stage(text(row, "model"), text(row, "variant"), text(row, "stage"));
  StageWorkload workload;
  workload.stage = &stage;
  workload.lengths = lengths_in(row);
  StagePlan plan;
  plan.precision = word(row, "precision", precision_names());
  if (row.contains("attention")) plan.attention = word(row, "attention", attention_names());
  if (row.contains("method")) plan.method = word(row, "method", method_names());
  plan.lora_rank = row.value("lora_rank", 0);
  plan.checkpointing = row.value("checkpointing", false);
  plan.batch = row.at("batch").get<double>();
  plan.grad_accum = row.value("grad_accum", stage.training.accumulation_fixed.value_or(1));
  plan.optimizer = &stage.training.optimizers.front();
  for (const Optimizer& optimizer : stage.training.optimizers) {
    if (optimizer.id == row.value("optimizer", "")) plan.optimizer = &optimizer;
  }
  return estimate_memory(workload, plan, embedded_catalog().assumptions())
      .allocated.expected.count();
}

// A row measures one phase, with the components that were loaded for it; so the
// model is cut down to those.
double estimated_inference(const Row& row) {
  const ModelChoice choice =
      embedded_catalog().model(text(row, "model") + "@" + text(row, "variant"));
  Inference inference = *choice.variant->inference;
  const bool terms_only = row.contains("terms_bytes");
  if (terms_only) inference.components.clear();
  if (row.contains("components")) {
    const auto loaded = row.at("components").get<std::vector<std::string>>();
    std::erase_if(inference.components, [&](const ModelComponent& component) {
      return std::find(loaded.begin(), loaded.end(), component.id) == loaded.end();
    });
  }
  const std::string name = text(row, "phase");
  for (MemoryProfile& profile : inference.profiles)
    std::erase_if(profile.phases, [&](const Phase& phase) { return phase.name != name; });
  // A batch in one process, whatever the model's own server can do.
  inference.streams_share_weights = true;
  InferenceWorkload workload;
  workload.inference = &inference;
  workload.lengths = lengths_in(row);
  const InferencePlan plan{.precision = word(row, "precision", precision_names()),
                           .streams_per_gpu = row.at("batch").get<int>()};
  return estimate_memory(workload, plan, embedded_catalog().assumptions())
      .allocated.expected.count();
}

double measured(const Row& row) {
  if (row.contains("terms_bytes")) return row.at("terms_bytes").get<double>();
  return row.at("peak_live_bytes").get<double>() + row.value("frozen_bytes_not_in_peak", 0.0);
}

double error_of(const Row& row) {
  const double estimated =
      row.at("task") == "inference" ? estimated_inference(row) : estimated_training(row);
  return estimated / measured(row) - 1;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

}  // namespace

TEST_CASE("all measured rows are there") {
  // measured-vits and measured-transformers, the models of data/models.json.
  CHECK(rows_of(true).size() == 247);
  CHECK(rows_of(false).size() == 51);
}

TEST_CASE("every measured training is estimated within 1.2 %") {
  for (const Row& row : rows_of(true)) {
    CAPTURE(row.dump(), estimated_training(row));
    CHECK(std::abs(error_of(row)) < most_per_row);
  }
}

TEST_CASE("every measured inference is estimated within 1.2 %") {
  for (const Row& row : rows_of(false)) {
    CAPTURE(row.dump(), estimated_inference(row));
    CHECK(std::abs(error_of(row)) < most_per_row);
  }
}

TEST_CASE("the median training of each model is estimated within 0.2 %") {
  std::map<std::string, std::vector<double>> errors;
  for (const Row& row : rows_of(true))
    errors[text(row, "model") + " " + text(row, "stage")].push_back(std::abs(error_of(row)));
  REQUIRE(errors.size() == 7);
  for (const auto& [stage, values] : errors) {
    CAPTURE(stage);
    CHECK(median(values) < 0.002);
  }
}

TEST_CASE("no model is under-estimated on the whole") {
  std::map<std::string, double> sum;
  std::map<std::string, int> count;
  for (const Row& row : rows_of(true)) {
    sum[text(row, "model")] += error_of(row);
    ++count[text(row, "model")];
  }
  for (const auto& [model, total] : sum) {
    CAPTURE(model);
    CHECK(total / count.at(model) > -0.002);
  }
}
