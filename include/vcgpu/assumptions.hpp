// Constants that every estimate rests on (data/assumptions.json, which holds
// the source of each): what the memory of a process costs beyond its tensors,
// how speed follows hardware, what a rented machine costs beyond its hours.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vcgpu/units.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu {

// Device memory above live tensors, as shares of them. `slack` has to be there:
// rounding, fragments, the least workspaces. `cache` is what the allocator and
// cuDNN hold besides where there is room, and give up where there is none.
// Sigmas are standard deviations of the logarithm of the error.
struct Overhead {
  double slack = 0, sigma = 0;
  double cache = 0, cache_sigma = 0;
};

struct MemoryAssumptions {
  Range<Bytes> cuda_context;
  std::map<int, Bytes> communication;  // by number of GPUs
  std::map<Family, Overhead> training;
  Overhead inference;
  std::map<Basis, double> basis_sigma;
  double tight_up_to_probability = 0.5;
  Bytes windows_reserve;  // held by a desktop on Windows
};

// How throughput keeps up with 2, 4 and 8 GPUs, for a small and a large
// gradient.
struct ScalingClass {
  std::map<int, double> small, large;
};

struct SpeedAssumptions {
  double bandwidth_reference_gb_s = 0, bandwidth_exponent = 0;
  double tensor_exponent = 0, fp16_reference_tflops = 0, tf32_reference_tflops = 0;
  double fp32_without_tf32_factor = 0;
  std::map<Family, double> mixed_precision_gain;
  double checkpointing_factor = 1;
  double adapter_factor = 1;
  std::map<Basis, double> sigma;
  Bytes small_gradient, large_gradient;
  std::map<std::string, ScalingClass> scaling;
};

struct CostAssumptions {
  Range<Seconds> setup;
  double environment_gb = 0;
  double checkpoints_kept = 0;
  double dataset_gb_per_hour = 0;
  Seconds checkpoint_interval, restart;
  std::map<std::string, double> interruptions_per_hour;  // by tier
  double days_per_month = 0;
};

struct PriceAssumptions {
  double plausible_from_median = 0;  // of the GPU's market median
  int min_provider_reliability = 1;  // left out below it unless asked for
  double min_host_reliability = 0;   // hosts of marketplaces below it are left out
  double good_host_reliability = 0;  // and below this warned of
  int old_after_days = 0;
};

struct Assumptions {
  MemoryAssumptions memory;
  SpeedAssumptions speed;
  CostAssumptions cost;
  PriceAssumptions prices;
};

}  // namespace vcgpu
