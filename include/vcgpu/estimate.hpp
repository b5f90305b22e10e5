// Memory, time and cost of a plan: pure functions over the catalog's data.
// Formulas and their sources: docs/estimation.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vcgpu/plan.hpp"
#include "vcgpu/workload.hpp"

namespace vcgpu {

struct MemoryComponent {
  std::string name;
  Bytes bytes;
  Basis basis{};
};

struct MemoryEstimate {
  Range<Bytes> device;                      // what the card must give; decides whether it fits
  Range<Bytes> reading;                     // what nvidia-smi shows on a card with room to spare
  Range<Bytes> allocated;                   // live tensors; torch also counts the DDP bucket
  std::vector<MemoryComponent> components;  // they add up to device.expected
  Basis basis{};
  std::string peak_phase;
  // A server takes this share of the card, whatever it needs of it.
  std::optional<double> reservation_share;
};

// Peak memory of one training pass of `stage` under `plan`, on one GPU.
//
// Weights, gradients, optimizer state and copies follow from parameter counts;
// the rest are the terms of the profile that matches the plan. The peak is the
// largest phase, for a batch of the longest clips. Then come the allocator's
// slack, the DDP bucket, the CUDA context and communication buffers. A card
// with room shows more, since the allocator gives its cache up only where it
// must; on Windows it never does, because the driver spills first.
// Throws Error (usage) where the model has no data for such a plan; ask
// find_profile first.
MemoryEstimate estimate_memory(const StageWorkload& stage, const StagePlan& plan,
                               const Assumptions& assumptions);

// The device peak alone, without the list of components: what the planner
// calls some thousand times.
Range<Bytes> device_peak(const StageWorkload& stage, const StagePlan& plan,
                         const Assumptions& assumptions);

// The settings that decide which terms hold.
struct ProfileKey {
  Precision precision{};
  std::optional<Attention> attention{};  // absent: either
  bool checkpointing = false;
  Method method = Method::full;
  bool offload = false;
  std::string_view runtime{};  // of inference
};

// The profile for these settings, or null: never tried, not known. One that
// names the runtime goes before one that names none.
const MemoryProfile* find_profile(const std::vector<MemoryProfile>& profiles,
                                  const ProfileKey& key);

// Memory of serving `plan.streams_per_gpu` requests at once on one GPU.
MemoryEstimate estimate_memory(const InferenceWorkload& workload, const InferencePlan& plan,
                               const Assumptions& assumptions);

// What nvidia-smi shows on a card of this size: no more than there is, where
// what is needed fits.
Range<Bytes> on_its_card(const Range<Bytes>& reading, const Range<Bytes>& needed, Bytes usable);

enum class Verdict { fits, tight, does_not_fit };
std::string_view name_of(Verdict verdict);

struct Fit {
  Verdict verdict{};
  double oom_probability = 0;  // P(device peak > usable)
};

// `fits`: the chance to run out of memory is below 5 % and the expected peak
// leaves `headroom` (a share) of `usable` free. `tight`: up to 50 %.
Fit judge_fit(const Range<Bytes>& device, Bytes usable, double headroom,
              const Assumptions& assumptions);

// Training speed relative to one A100 80 GB SXM at the same precision; nothing
// where the card's rates are not known. Linear in no one thing: see
// data/assumptions.json.
std::optional<double> speed_index(const GpuGroup& group, Precision precision,
                                  const SpeedAssumptions& assumptions);

// Throughput of `count` GPUs / (count x one GPU) for a gradient of this size.
double scaling_efficiency(Interconnect interconnect, int count, Bytes gradient,
                          const SpeedAssumptions& assumptions);

struct StageDuration {
  std::string stage;
  Range<Seconds> time;
  double passes = 0;  // forward and backward passes on each GPU
  Basis basis{};
};

// Nothing where the GPU's speed is not known.
std::optional<StageDuration> estimate_duration(const StageWorkload& stage, const StagePlan& plan,
                                               const GpuGroup& group, const Catalog& catalog);

struct InferenceSpeed {
  Range<double> rtf;  // of one GPU, all its streams together
  std::optional<Range<double>> first_audio_ms;
  Basis basis{};
  std::string source;
};

std::optional<InferenceSpeed> estimate_inference_speed(const InferenceWorkload& workload,
                                                       const GpuGroup& group,
                                                       const Catalog& catalog);

// quantity x unit price. Lines add up to the total, to the cent.
struct CostLine {
  std::string_view name;  // of a constant
  double quantity = 0;
  std::string_view unit;
  double unit_price_usd = 0;
  Usd usd;
};

struct Cost {
  Range<Usd> total;
  std::vector<CostLine> lines;  // of the expected case
  std::vector<std::string_view> notes;
  std::optional<Usd> per_month;       // serving: the total is a month
  std::optional<Usd> per_audio_hour;  // inference
};

// What a job of `work` on `offer` costs: hours by the provider's granularity
// and minimum, set-up, storage for the duration, expected rework after spot
// interruptions. For serving `work` is not used and the bill is of a month.
Cost estimate_cost(const Workload& workload, const Range<Seconds>& work, const Provider& provider,
                   const Offer& offer, double instances, const CostAssumptions& assumptions);

// Wall time including set-up and, on spot, expected rework.
Range<Seconds> wall_time(const Range<Seconds>& work, const Offer& offer,
                         const CostAssumptions& assumptions);

}  // namespace vcgpu
