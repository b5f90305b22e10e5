// One GPU variant of the catalog (data/gpus.json).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "vcgpu/units.hpp"

namespace vcgpu {

enum class Vendor { nvidia, amd };
enum class Form { consumer, workstation, datacenter, edge };

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

// A slice of a GPU in multi-instance mode. No NVLink between slices, so a
// training runs on one slice.
struct MigProfile {
  std::string profile;  // "1g.10gb"
  double memory_gb = 0;
  std::optional<double> usable_gib;
  int compute_slices = 0;
  int total_compute_slices = 0;
  double memory_fraction = 0;  // of memory, and so of bandwidth and L2
  std::optional<int> sm_count;
  int max_instances = 0;
};

// Rates are dense (no 2:4 sparsity), with fp32 accumulation, and absent where
// the hardware has none: a GPU without bf16_tflops emulates bf16 slower than
// fp32 and is never given bf16.
struct Gpu {
  std::string id;
  std::string name;
  std::vector<std::string> aliases;
  Vendor vendor = Vendor::nvidia;
  std::string architecture;
  std::optional<ComputeCapability> compute_capability;
  std::string isa;  // AMD's name for the same; may be empty
  Form form = Form::datacenter;
  std::string released;

  double memory_gb = 0;   // on the box
  double usable_gib = 0;  // what a program can allocate, context included
  std::string usable_basis;
  std::optional<double> nvidia_smi_mib;
  std::string memory_type;
  std::optional<double> memory_bus_bits;
  bool unified_memory = false;  // host and GPU share it
  double bandwidth_gb_s = 0;

  std::optional<double> sm_count, cuda_cores, tensor_cores, tensor_generation;
  std::optional<double> fp32_tflops, tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops, int8_tops;
  bool fp32_accumulate_halved = false;
  std::optional<double> l2_mb;
  std::optional<double> nvlink_gb_s;
  std::string nvlink_kind;
  std::optional<double> pcie_generation;
  std::optional<bool> ecc;
  std::optional<double> tdp_w;
  std::vector<MigProfile> mig;
  std::string mig_notes;

  std::vector<std::string> sources;
  std::string as_of;
  std::string notes;
};

inline Bytes usable_vram(const Gpu& gpu) { return gib(gpu.usable_gib); }

}  // namespace vcgpu
