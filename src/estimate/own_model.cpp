#include "estimate/own_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

// Positions that a model computes for each second of audio: 100 frames, the
// finest that voice models here have. Only tells frames apart, so that any
// number serves.
constexpr double frames_per_second = 100;
constexpr double assumed_epochs = 100;
constexpr std::string_view assumed = "assumed by vcgpu calibrate";

// Bytes per trained parameter: two fp32 moments; one parameter-sized list of
// the multi-tensor step; block-wise 8-bit moments; a momentum. As in the
// entries of the catalog that use them.
const std::vector<Optimizer>& known_optimizers() {
  static const std::vector<Optimizer> list{
      {"adamw", 8, 4, "two fp32 moments, and the temporary list of the multi-tensor step"},
      {"adamw-8bit", 2, 0, "two 8-bit moments"},
      {"sgd", 4, 0, "fp32 momentum"}};
  return list;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  // The lower of two in the middle: a batch stays one that was measured.
  return values[(values.size() - 1) / 2];
}

template <class Function>
double median_of(std::span<const Measurement> rows, Function value) {
  std::vector<double> values;
  for (const Measurement& row : rows) values.push_back(value(row));
  return median(std::move(values));
}

template <class Function>
auto most_used(std::span<const Measurement> rows, Function value) {
  std::map<decltype(value(rows.front())), std::size_t> uses;
  for (const Measurement& row : rows) ++uses[value(row)];
  return std::max_element(uses.begin(), uses.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Those of the rows, the most used first: nobody knows whether the trainer has
// others. One that is not known is left for the row's own error.
std::vector<Optimizer> used_optimizers(std::span<const Measurement> rows) {
  const std::string& usual = known_optimizers().front().id;
  std::map<std::string, std::size_t> uses;
  for (const Measurement& row : rows) ++uses[row.optimizer.value_or(usual)];
  std::vector<Optimizer> used;
  for (const Optimizer& optimizer : known_optimizers()) {
    if (uses.contains(optimizer.id)) used.push_back(optimizer);
  }
  std::stable_sort(used.begin(), used.end(), [&](const Optimizer& a, const Optimizer& b) {
    return uses.at(a.id) > uses.at(b.id);
  });
  return used.empty() ? known_optimizers() : used;
}

Recipe recipe_of(std::span<const Measurement> rows, const std::string& source) {
  Recipe recipe;
  recipe.batch.value = median_of(rows, [](const Measurement& row) { return row.batch; });
  recipe.batch.source = "median of the " + source;
  recipe.grad_accum = static_cast<int>(
      median_of(rows, [](const Measurement& row) { return static_cast<double>(row.grad_accum); }));
  recipe.precision = most_used(rows, [](const Measurement& row) { return row.precision; });
  recipe.epochs = assumed_epochs;
  recipe.max_clip = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                      return a.clip < b.clip;
                    })->clip;
  recipe.mean_clip =
      Seconds(median_of(rows, [](const Measurement& row) { return row.clip.count(); }));
  recipe.attention = most_used(rows, [](const Measurement& row) { return row.attention; });
  recipe.checkpointing =
      most_used(rows, [](const Measurement& row) { return row.checkpointing.value_or(false); });
  recipe.source = fmt::format("longest and median clip of the {}; epochs {}", source, assumed);
  return recipe;
}

// A first guess from parameters alone: 6 operations per parameter and position
// at 30 % of the card's dense rate, as the catalog's analytic references have
// it, with 25 positions to the second.
SpeedReference analytic_speed(const OwnModelFacts& facts, const Recipe& recipe,
                              const Catalog& catalog) {
  const Gpu* usual = catalog.gpu_with_id("a100-sxm-80gb");
  const Gpu& gpu = usual != nullptr ? *usual : catalog.gpus().front();
  const double rate = 0.3e12 * gpu.tf32_tflops.value_or(gpu.fp32_tflops.value_or(10));
  const double positions = *recipe.batch.value * recipe.mean_clip.count() * 25;
  const double seconds = 0.05 + 6 * (facts.parameters + facts.frozen / 3) * positions / rate;
  SpeedReference reference;
  reference.gpu = gpu.id;
  reference.precision = Precision::fp32;
  reference.batch = *recipe.batch.value;
  reference.mean_clip = recipe.mean_clip;
  reference.steps_per_s = std::max(1e-6, std::round(1e4 / seconds) / 1e4);
  reference.basis = Basis::analytic;
  reference.note =
      "A guess from the number of parameters, 6 operations each for 25 positions a second at 30 % "
      "of the card's rate: convolutions do far more. Measure seconds_per_step on a card that vcgpu "
      "knows.";
  reference.source = "derived by vcgpu calibrate";
  reference.as_of = facts.date;
  return reference;
}

}  // namespace

void check_id(const std::string& id, std::string_view what) {
  const bool kebab = !id.empty() && id.size() <= 60 && id.front() != '-' && id.back() != '-' &&
                     std::all_of(id.begin(), id.end(), [](char c) {
                       return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                     });
  if (!kebab)
    throw Error(ExitCode::usage, "bad-value",
                fmt::format("{}: '{}' is no id", what, printable(id, 60)),
                "small letters, digits and single dashes: my-model");
}

VoiceModel own_model(const OwnModelFacts& facts, std::span<const Measurement> rows,
                     const Catalog& catalog) {
  check_id(facts.id, "--as");
  check_id(facts.stage, "--stage");
  const std::string source = "own measurements of " + facts.date;
  Stage stage;
  stage.key = stage.id = facts.stage;
  stage.name = "Training, as measured";
  stage.family = facts.family;
  stage.batch_unit = BatchUnit::clips;
  LengthRule frames;
  frames.variable = Variable::clip_frames;
  frames.per_second = frames_per_second;
  frames.source = fmt::format("{}: terms are per hundredth of a second", assumed);
  stage.lengths = {frames};

  Training& training = stage.training;
  training.trainable = facts.parameters;
  training.frozen = facts.frozen;
  training.weight_bytes = facts.weight_bytes;
  training.frozen_bytes = facts.frozen_bytes;
  training.optimizers = used_optimizers(rows);
  training.multi_gpu =
      std::any_of(rows.begin(), rows.end(), [](const Measurement& row) { return row.gpus > 1; });
  training.accumulation_supported = true;
  training.accumulation_source = assumed;
  const Recipe recipe = recipe_of(rows, source);
  training.recipes = {{Task::train, recipe}, {Task::finetune, recipe}};
  training.speed.gpu_exponent = 0.8;
  training.speed.host_per_step = Seconds(0.05);
  training.speed.clip_share = 0.9;
  training.speed.references = {analytic_speed(facts, recipe, catalog)};

  VoiceModel model;
  model.id = model.name = facts.id;
  model.summary =
      fmt::format("A model of your own: memory fitted to {} rows of {}.", rows.size(), source);
  model.family = facts.family;
  model.licence = {.code = "unknown",
                   .weights = "unknown",
                   .commercial = "unclear",
                   .note = "vcgpu calibrate does not know it: fill it in",
                   .source = source};
  model.vendors = {Vendor::nvidia};
  model.default_variant = "own";
  Variant variant;
  variant.id = "own";
  variant.name = facts.id;
  variant.stages = {stage.key};
  variant.unknown = {"memory and speed of inference", "the licence",
                     "how many epochs it needs: 100 are assumed",
                     "how its speed follows the card: usual values are assumed"};
  if (!training.multi_gpu) variant.unknown.emplace_back("whether it trains on several GPUs");
  model.variants = {variant};
  model.stages = {stage};
  model.sources = {source};
  model.as_of = facts.date;
  return model;
}

std::vector<SpeedReference> measured_speeds(const Stage& stage, std::span<const Measurement> rows,
                                            const std::string& date, const Catalog& catalog) {
  std::vector<SpeedReference> references;
  const auto work = [](double batch, Seconds clip) { return batch * clip.count(); };
  for (const Measurement& row : rows) {
    // How several GPUs share the work is another question.
    if (!row.seconds_per_step || row.gpu.empty() || row.gpus > 1) continue;
    const Gpu* gpu = catalog.find_gpu(row.gpu);
    if (gpu == nullptr) continue;
    double seconds = row.seconds_per_step->count() / row.grad_accum;
    // References are without checkpointing: the estimate adds its cost.
    if (row.checkpointing.value_or(false))
      seconds /= stage.training.speed.checkpointing_factor.value_or(
          catalog.assumptions().speed.checkpointing_factor);
    SpeedReference reference;
    reference.gpu = gpu->id;
    reference.precision = row.precision;
    if (row.lora_rank) reference.method = *row.lora_rank > 0 ? Method::lora : Method::full;
    reference.batch = row.batch;
    reference.mean_clip = row.clip;
    reference.steps_per_s = std::clamp(1 / seconds, 1e-6, 1e6);
    reference.basis = Basis::measured;
    reference.source = "own measurements of " + date;
    reference.as_of = date;
    const auto same =
        std::find_if(references.begin(), references.end(), [&](const SpeedReference& other) {
          return other.gpu == reference.gpu && other.precision == reference.precision &&
                 other.method == reference.method;
        });
    if (same == references.end())
      references.push_back(reference);
    else if (work(same->batch, same->mean_clip) < work(reference.batch, reference.mean_clip))
      *same = reference;
  }
  return references;
}

void take_speeds(TrainingSpeed& speed, const std::vector<SpeedReference>& measured) {
  for (const SpeedReference& reference : measured) {
    std::erase_if(speed.references, [&](const SpeedReference& other) {
      return other.gpu == reference.gpu && other.precision == reference.precision &&
             other.method == reference.method;
    });
  }
  speed.references.insert(speed.references.end(), measured.begin(), measured.end());
}

}  // namespace vcgpu
