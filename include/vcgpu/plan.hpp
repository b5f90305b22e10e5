// On which GPUs, with which settings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vcgpu/catalog.hpp"

namespace vcgpu {

enum class Interconnect {
  none,
  nvswitch,
  nvlink_mesh,
  nvlink_pair,
  pcie_professional,
  pcie_geforce
};

// The id of the stand-in card for "no GPU given": room for anything.
inline constexpr std::string_view no_gpu_id = "none";

// What a plan depends on: the hardware, not who rents it out.
struct GpuGroup {
  const Gpu* gpu = nullptr;
  double count = 1;  // below 1: that share of a card
  Interconnect interconnect = Interconnect::none;

  [[nodiscard]] int gpus() const { return count < 1 ? 1 : static_cast<int>(count); }
  // Memory, bandwidth and compute that one process sees, as a share of the card.
  [[nodiscard]] double share() const { return count < 1 ? count : 1; }
};

// Whether the card computes in this precision at speed. Not bf16 before Ampere,
// where it is emulated slower than fp32; not fp16 without tensor cores.
bool supports(const Gpu& gpu, Precision precision);

// By the offer's own word where it has one, else by what the card can do.
Interconnect interconnect_of(const Gpu& gpu, double count, std::string_view stated);
std::string_view name_of(Interconnect interconnect);

// Memory that a program gets on one GPU of the group, less what a desktop or
// another process holds. Not negative.
Bytes usable_vram(const GpuGroup& group, Bytes reserve);

// The settings of one training stage on every GPU of a group.
struct StagePlan {
  Precision precision{};
  Method method = Method::full;
  int lora_rank = 0;
  std::optional<Attention> attention;
  bool checkpointing = false;
  const Optimizer* optimizer = nullptr;
  bool ema = true;  // keep the averaged copy, where the trainer has one
  Sharding sharding = Sharding::none;
  double batch = 1;  // per GPU and pass, in the stage's unit
  int grad_accum = 1;
  int gpus = 1;
  double wanted_batch = 1;  // effective batch of the recipe on this card

  [[nodiscard]] double effective_batch() const { return batch * grad_accum * gpus; }
};

struct InferencePlan {
  Precision precision{};
  bool offload = false;
  int streams_per_gpu = 1;
  int gpus = 1;
};

}  // namespace vcgpu
