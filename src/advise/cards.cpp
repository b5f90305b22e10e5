#include "advise/cards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/plan.hpp"

namespace vcgpu {

namespace {

// A slice computes with its share of the multiprocessors and has its share of
// memory, bandwidth and cache. Slices are not joined by NVLink.
Gpu slice_of(const Gpu& gpu, const MigProfile& profile) {
  const double compute = static_cast<double>(profile.compute_slices) / profile.total_compute_slices;
  const auto scale = [&](std::optional<double>& rate) {
    if (rate) *rate *= compute;
  };
  Gpu slice = gpu;
  slice.id = gpu.id + "/" + profile.profile;
  slice.name = fmt::format("{}, MIG slice {}", gpu.name, profile.profile);
  slice.memory_gb = profile.memory_gb;
  slice.usable_gib =
      profile.usable_gib.value_or(in_gib(usable_vram(gpu)) * profile.memory_fraction);
  slice.nvidia_smi_mib = std::nullopt;
  slice.bandwidth_gb_s *= profile.memory_fraction;
  for (auto* rate : {&slice.fp32_tflops, &slice.tf32_tflops, &slice.fp16_tflops, &slice.bf16_tflops,
                     &slice.fp8_tflops, &slice.int8_tops})
    scale(*rate);
  slice.nvlink_gb_s = std::nullopt;
  slice.nvlink_kind.clear();
  slice.mig.clear();
  return slice;
}

const MigProfile& profile_of(const Gpu& gpu, std::string_view name) {
  std::vector<std::string> known;
  for (const MigProfile& profile : gpu.mig) {
    if (lower(name) == lower(profile.profile)) return profile;
    known.push_back(profile.profile);
  }
  if (known.empty())
    throw Error(ExitCode::usage, "no-mig", fmt::format("{} cannot be sliced (MIG)", gpu.name),
                "A100, A30, H100, H200, B200 and the like can: vcgpu gpus show a100");
  throw Error(ExitCode::usage, "unknown-mig-profile",
              fmt::format("{} has no MIG slice '{}'", gpu.name, printable(name, 40)),
              did_you_mean(name, known, "slices: " + joined(known)));
}

}  // namespace

bool is_card_size(std::string_view text) {
  const std::string name = lower(trimmed(text));
  return !name.empty() && name.front() >= '0' && name.front() <= '9' &&
         (name.ends_with("gb") || name.ends_with("gib")) &&
         name.find_first_not_of("0123456789. gib") == std::string::npos;
}

Card card_named(std::string_view name, const Catalog& catalog, std::deque<Gpu>& made_up) {
  if (const Gpu* gpu = catalog.find_gpu(name)) return {gpu, true};
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) {
    const Gpu& gpu = catalog.gpu(name.substr(0, slash));  // throws, with the nearest names
    return {&made_up.emplace_back(slice_of(gpu, profile_of(gpu, name.substr(slash + 1)))), true};
  }
  if (is_card_size(name)) {
    const double gb = in_gb(parse_size(name, "--gpu", {1e9, 1e13}));
    return {&made_up.emplace_back(card_of_size(catalog, gb)), false};
  }
  return {&catalog.gpu(name), true};  // throws, with the nearest names
}

std::vector<AskedCard> asked_cards(const std::vector<std::string>& names, const OfferFilter& filter,
                                   int gpu_count, const Catalog& catalog,
                                   std::deque<Gpu>& made_up) {
  std::vector<AskedCard> cards;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Gpu& gpu : catalog.gpus()) {
        if (!refuses(filter, gpu, gpu_count)) cards.push_back({&gpu, true, std::nullopt});
      }
      continue;
    }
    const Card card = card_named(name, catalog, made_up);
    // Of a size nothing else is known that a filter could go by.
    cards.push_back({card.gpu, card.rates_known,
                     card.rates_known ? refuses(filter, *card.gpu, gpu_count) : std::nullopt});
  }
  return cards;
}

Gpu card_of_size(const Catalog& catalog, double memory_gb) {
  Gpu card;
  card.id = fmt::format("generic-{}gb", number_text(memory_gb));
  card.name = fmt::format("any {} GB card", number_text(memory_gb));
  card.form = Form::consumer;
  card.memory_gb = memory_gb;
  card.usable_gib = memory_gb * 0.9;
  bool first = true;
  for (const Gpu& gpu : catalog.gpus()) {
    if (gpu.memory_gb != memory_gb || gpu.unified_memory || gpu.vendor != Vendor::nvidia) continue;
    card.usable_gib = first ? gpu.usable_gib : std::min(card.usable_gib, gpu.usable_gib);
    first = false;
  }
  // A size alone says nothing of the generation: Ampere or newer, as most are.
  card.fp16_tflops = card.bf16_tflops = card.int8_tops = 1;
  card.tensor_cores = 1;
  return card;
}

Gpu no_card() {
  Gpu card;
  card.id = no_gpu_id;
  card.name = "no GPU given";
  card.memory_gb = 24;
  card.usable_gib = 1e6;
  card.fp16_tflops = card.bf16_tflops = card.tf32_tflops = card.int8_tops = 1;
  card.tensor_cores = 1;
  return card;
}

}  // namespace vcgpu
