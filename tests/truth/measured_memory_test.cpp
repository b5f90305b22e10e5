// Every measured row of tests/data/measured.json through the public estimate.
//
// Rows give the exact bytes of live tensors at the peak of a real graph; what
// the estimate calls `allocated` is that, with frozen weights that the row
// leaves out. Some rows measured a part only: the activations of one network,
// a cache, a workspace.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "truth/measured_rows.hpp"
#include "vcgpu/estimate.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// The fits of whole graphs are documented to stay below 1.2 %.
constexpr double most_per_row = 0.012;
// Of parts, what the project asks for.
constexpr double most_per_part = 0.03;

bool is_training_row(const Row& row) { return row.at("task") != "inference"; }
bool is_part(const Row& row) { return row.contains("terms_bytes"); }

std::vector<Row> whole_graphs(bool training) {
  std::vector<Row> rows;
  for (const Row& row : measured("rows")) {
    if (!is_part(row) && is_training_row(row) == training) rows.push_back(row);
  }
  return rows;
}

std::vector<Row> parts() {
  std::vector<Row> rows;
  for (const Row& row : measured("rows")) {
    if (is_part(row)) rows.push_back(row);
  }
  return rows;
}

bool names(const Row& row, const char* key, const std::string& name) {
  const auto listed = row.at(key).get<std::vector<std::string>>();
  return std::find(listed.begin(), listed.end(), name) != listed.end();
}

// Leaves the phase and the terms that the row names.
void cut(std::vector<MemoryProfile>& profiles, const Row& row) {
  bool found = false;
  for (MemoryProfile& profile : profiles) {
    if (row.contains("phase")) {
      std::erase_if(profile.phases,
                    [&](const Phase& phase) { return phase.name != text(row, "phase"); });
    }
    found = found || !profile.phases.empty();
    if (!row.contains("terms")) continue;
    for (Phase& phase : profile.phases)
      std::erase_if(phase.terms, [&](const Term& term) { return !names(row, "terms", term.name); });
  }
  if (!found) throw std::runtime_error("no such phase: " + row.dump());
}

void drop_weights(Training& training) {
  training.trainable = training.without_gradient = training.frozen = training.buffers_bytes = 0;
  if (training.matmul) training.matmul = 0;
}

double estimated_training(const Row& row) {
  Stage stage = embedded_stage(text(row, "model"), text(row, "variant"), text(row, "stage"));
  cut(stage.training.profiles, row);
  if (is_part(row)) drop_weights(stage.training);
  StageWorkload workload;
  workload.stage = &stage;
  workload.lengths = lengths_in(row);
  return estimate_memory(workload, plan_of(row, stage), embedded_catalog().assumptions())
      .allocated.expected.count();
}

// A row measures one phase, with the components that were loaded for it; so the
// model is cut down to those.
double estimated_inference(const Row& row) {
  const ModelChoice choice =
      embedded_catalog().model(text(row, "model") + "@" + text(row, "variant"));
  Inference inference = *choice.variant->inference;
  if (is_part(row)) inference.components.clear();
  if (row.contains("components")) {
    std::erase_if(inference.components, [&](const ModelComponent& component) {
      return !names(row, "components", component.id);
    });
  }
  cut(inference.profiles, row);
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

double estimated(const Row& row) {
  return is_training_row(row) ? estimated_training(row) : estimated_inference(row);
}

double measured_bytes(const Row& row) {
  if (is_part(row)) return row.at("terms_bytes").get<double>();
  return row.at("peak_live_bytes").get<double>() + row.value("frozen_bytes_not_in_peak", 0.0);
}

double error_of(const Row& row) { return estimated(row) / measured_bytes(row) - 1; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

}  // namespace

TEST_CASE("all measured rows are there") {
  // measured-vits and measured-transformers, the models of data/models.json.
  // Left out, because no entry has such a setting: XTTS and CosyVoice2's
  // language model with checkpointing, so-vits-svc with a transformer flow or
  // the tiny template, HiFi-GAN's generator without its discriminators.
  CHECK(whole_graphs(true).size() == 330);
  CHECK(whole_graphs(false).size() == 65);
  CHECK(parts().size() == 40);
}

TEST_CASE("every measured training is estimated within 1.2 %") {
  for (const Row& row : whole_graphs(true)) {
    CAPTURE(row.dump(), estimated(row));
    CHECK(std::abs(error_of(row)) < most_per_row);
  }
}

TEST_CASE("every measured inference is estimated within 1.2 %") {
  for (const Row& row : whole_graphs(false)) {
    CAPTURE(row.dump(), estimated(row));
    CHECK(std::abs(error_of(row)) < most_per_row);
  }
}

TEST_CASE("every measured part of a graph is estimated within 3 %") {
  for (const Row& row : parts()) {
    CAPTURE(row.dump(), estimated(row));
    CHECK(std::abs(error_of(row)) < most_per_part);
  }
}

TEST_CASE("the median training of each model is estimated within 0.2 %") {
  std::map<std::string, std::vector<double>> errors;
  for (const Row& row : whole_graphs(true))
    errors[text(row, "model") + " " + text(row, "stage")].push_back(std::abs(error_of(row)));
  REQUIRE(errors.size() == 12);
  for (const auto& [stage, values] : errors) {
    CAPTURE(stage);
    CHECK(median(values) < 0.002);
  }
}

TEST_CASE("no model is under-estimated on the whole") {
  std::map<std::string, double> sum;
  std::map<std::string, int> count;
  for (const Row& row : whole_graphs(true)) {
    sum[text(row, "model")] += error_of(row);
    ++count[text(row, "model")];
  }
  for (const auto& [model, total] : sum) {
    CAPTURE(model);
    CHECK(total / count.at(model) > -0.002);
  }
}
