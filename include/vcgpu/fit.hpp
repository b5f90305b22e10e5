// What makes a job fit on a given card: the way from the recipe to settings
// that fit, one sacrifice after another, the cheapest first.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vcgpu/recommend.hpp"

namespace vcgpu {

// What a change touches of the voice that comes out.
enum class QualityCost { none, numerics, training_dynamics, capacity, data };
std::string_view name_of(QualityCost cost);

// One step of the ladder, on top of all steps before it but for those that it
// makes unneeded: less sacrifice is better than less memory.
struct Rung {
  std::string lever;  // recipe, micro-batch, checkpointing, ...
  std::string name;   // for people
  QualityCost cost{};
  std::string quality;  // what it costs, in words
  Seconds longest;      // training: clip; inference: audio of a request
  std::optional<StagePlan> training;
  std::optional<InferencePlan> serving;
  std::optional<double> context_tokens;  // inference, where the model has them
  std::optional<Seconds> reference;
  Range<Bytes> device;
  Bytes needed;  // usable memory with which the verdict is `fits`
  Fit fit;
  std::optional<Range<Seconds>> time;   // of this stage
  std::optional<double> time_factor;    // of the recipe's time, or real-time factor
  bool more_room = false;               // beyond what was needed
  std::vector<std::string> not_needed;  // levers above that this one gives back
};

// A lever that the trainer, the model or the card lacks, or that saves nothing.
struct MissingLever {
  std::string lever;
  std::string why;
};

// A setting of the user's that stands in the way.
struct FixedSetting {
  std::string flag;     // "--batch-size 64"
  std::string without;  // what fits without it; may be empty: neither
};

struct GridCell {
  Seconds clip;
  double batch = 0;
  Bytes expected;
  Verdict verdict{};
};

// What to type into the project's own configuration.
struct ConfigSetting {
  std::string setting;  // ours: batch, precision, ...
  std::string key;      // theirs; empty: not known
  std::string value;
  std::string file, note;  // may be empty
};

struct StageFit {
  std::string stage;  // "inference" for inference
  std::vector<Rung> ladder;
  // The first rung that fits; where none does, the one that is tight.
  std::optional<std::size_t> recommended;
  std::vector<MissingLever> missing;
  std::vector<FixedSetting> fixed;
  std::vector<ConfigSetting> settings;

  // Training, with the recommended settings.
  BatchUnit batch_unit{};
  std::optional<double> largest_batch;  // at the longest clip
  std::optional<Seconds> longest_clip;  // at the recommended batch
  std::optional<Seconds> cap_clip;      // of the trainer
  std::vector<GridCell> grid;

  [[nodiscard]] const Rung* chosen() const { return recommended ? &ladder[*recommended] : nullptr; }
};

// Hardware that would do: another card, or more of the same.
struct OtherHardware {
  const Gpu* gpu = nullptr;
  int count = 1;
  Bytes usable;
  Range<Bytes> device;
  bool by_recipe = false;  // with the recipe as it is
};

struct GpuFit {
  Workload workload;  // with what the recommended rungs change
  GroupPlan plan;     // of the recommended settings, else of those that need least
  std::vector<StageFit> stages;
  std::optional<OtherHardware> another_card;
  std::optional<OtherHardware> more_gpus;
  std::string note;  // what a full card does on Windows; may be empty

  // Every stage has a rung that fits, or one that is tight.
  [[nodiscard]] bool solved() const;
  [[nodiscard]] const StageFit& peak_stage() const {
    return stages[plan.stages.empty() ? 0 : plan.peak_stage];
  }
};

// The candidates point into the plans of `gpus`.
struct FitAnswer {
  Recommendation recommendation;
  std::deque<GpuFit> gpus;

  [[nodiscard]] const GpuFit& of(const Candidate& candidate) const;
};

// The ladder of `workload` on each of `gpus`: ids, slices, sizes ("12GB") or
// "all", in groups of `gpu_count`. Rungs are the planner's own search
// (plan_group) with one lever more each, so that both agree; a rung never needs
// more memory than the one before. What the user set is not changed.
FitAnswer fit_gpus(const Workload& workload, const Catalog& catalog,
                   const std::vector<std::string>& gpus, const OfferFilter& filter, int gpu_count);

}  // namespace vcgpu
