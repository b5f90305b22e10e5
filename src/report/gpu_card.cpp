#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/card.hpp"
#include "report/entry_json.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

constexpr auto right = TextColumn::Align::right;
constexpr auto left = TextColumn::Align::left;

// One of several figures on a line; nothing where it is not known.
void add_figure(std::vector<std::string>& parts, std::string_view before,
                const std::optional<double>& value, std::string_view after = {}) {
  if (value) parts.push_back(fmt::format("{}{}{}", before, number_text(*value), after));
}

std::string kind_text(const Gpu& gpu) {
  std::string text =
      fmt::format("{} {}, {}", name_of(gpu.vendor), gpu.architecture, name_of(gpu.form));
  if (gpu.compute_capability)
    text += ", compute capability " + capability_text(*gpu.compute_capability);
  if (!gpu.isa.empty()) text += ", " + gpu.isa;
  if (!gpu.released.empty()) text += ", released " + gpu.released;
  return text;
}

std::string memory_text(const Gpu& gpu) {
  std::string text = fmt::format("{} GB {}", number_text(gpu.memory_gb), gpu.memory_type);
  if (gpu.memory_bus_bits) text += fmt::format(", {} bits", number_text(*gpu.memory_bus_bits));
  text += fmt::format(", {} GB/s", number_text(gpu.bandwidth_gb_s));
  if (gpu.l2_mb) text += fmt::format(", L2 {} MB", number_text(*gpu.l2_mb));
  if (gpu.unified_memory) text += ", shared with the host";
  return text;
}

// The words of data/schema/gpus.schema.json for how usable_gib is known.
std::string basis_text(const std::string& basis) {
  if (basis == "torch") return "as PyTorch reported it for this card";
  if (basis == "torch_class") return "as PyTorch reported it for a card of this size";
  if (basis == "smi_pre510") return "total of nvidia-smi before R510, which left the reserve out";
  if (basis == "estimate")
    return "estimated from the total less the usual reserve, or as the note says";
  return basis;
}

std::string usable_text(const Gpu& gpu) {
  std::string text =
      fmt::format("{} GiB for a program, CUDA context included", number_text(gpu.usable_gib));
  if (!gpu.usable_basis.empty()) text += "; " + basis_text(gpu.usable_basis);
  if (gpu.nvidia_smi_mib)
    text += fmt::format("; nvidia-smi shows {} MiB", number_text(*gpu.nvidia_smi_mib));
  return text;
}

std::string units_text(const Gpu& gpu) {
  std::vector<std::string> parts;
  add_figure(parts, "", gpu.sm_count, " multiprocessors");
  add_figure(parts, "", gpu.cuda_cores, " shader cores");
  add_figure(parts, "", gpu.tensor_cores, " tensor cores");
  add_figure(parts, "tensor generation ", gpu.tensor_generation);
  return joined(parts);
}

std::string rates_text(const Gpu& gpu) {
  std::vector<std::string> parts;
  add_figure(parts, "fp32 ", gpu.fp32_tflops);
  add_figure(parts, "tf32 ", gpu.tf32_tflops);
  add_figure(parts, "fp16 ", gpu.fp16_tflops);
  add_figure(parts, "bf16 ", gpu.bf16_tflops);
  add_figure(parts, "fp8 ", gpu.fp8_tflops);
  std::string text = joined(parts) + " TFLOP/s";
  if (gpu.int8_tops) text += fmt::format(", int8 {} TOP/s", number_text(*gpu.int8_tops));
  return text + (gpu.fp32_accumulate_halved
                     ? "; dense, with fp32 accumulation, which halves the tensor rates of this card"
                     : "; dense, with fp32 accumulation");
}

std::string links_text(const Gpu& gpu) {
  std::vector<std::string> parts;
  add_figure(parts, "PCIe ", gpu.pcie_generation);
  add_figure(parts, "", gpu.nvlink_gb_s, " GB/s over " + gpu.nvlink_kind);
  if (!gpu.nvlink_gb_s) parts.emplace_back("no link between GPUs");
  return joined(parts);
}

std::string board_text(const Gpu& gpu) {
  std::vector<std::string> parts;
  add_figure(parts, "", gpu.tdp_w, " W");
  if (gpu.ecc) parts.emplace_back(*gpu.ecc ? "ECC" : "no ECC");
  return joined(parts);
}

void add_mig(Card& card, const Gpu& gpu) {
  TextRows rows;
  for (const MigProfile& mig : gpu.mig)
    rows.push_back({mig.profile, number_text(mig.memory_gb),
                    mig.usable_gib ? number_text(*mig.usable_gib) : "-",
                    fmt::format("{}/{}", mig.compute_slices, mig.total_compute_slices),
                    number_text(mig.memory_fraction),
                    mig.sm_count ? std::to_string(*mig.sm_count) : "-",
                    std::to_string(mig.max_instances)});
  card.section("MIG profiles")
      .table({{"profile", left},
              {"GB", right},
              {"usable GiB", right},
              {"compute", right},
              {"of memory", right},
              {"SMs", right},
              {"per card", right}},
             std::move(rows))
      .field("note", gpu.mig_notes);
}

std::string cheapest_text(const PriceSummary& prices, const CardContext& context) {
  if (prices.cheapest == nullptr) return "no on-demand price is known";
  const Offer& offer = *prices.cheapest;
  const UsdPerHour rate = usd_per_gpu_hour(offer.usd_per_hour, offer.gpu_count);
  std::string text =
      fmt::format("${}/h on demand, {} {}", rate_text(rate), prices.provider->name, offer.tier);
  if (offer.gpu_count != 1)
    text += fmt::format(" (instance of {}: ${}/h)", number_text(offer.gpu_count),
                        rate_text(offer.usd_per_hour));
  return text + ", " + dated_text(offer.as_of, context);
}

std::string market_text(const MarketReference& market) {
  if (!market.median_usd) return "no on-demand price of this year";
  std::string text = fmt::format("median ${}/h", rate_text(UsdPerHour(*market.median_usd)));
  if (market.min_usd && market.max_usd)
    text += fmt::format(", ${} to ${}", rate_text(UsdPerHour(*market.min_usd)),
                        rate_text(UsdPerHour(*market.max_usd)));
  if (market.min_spot_usd)
    text += fmt::format(", spot from ${}", rate_text(UsdPerHour(*market.min_spot_usd)));
  return text + fmt::format("; {} prices of {} providers, newest {}", market.offers,
                            market.providers, market.newest_as_of);
}

}  // namespace

std::string gpu_card(const GpuCard& content, const CardContext& context) {
  const Gpu& gpu = *content.gpu;
  Card card(*context.style, gpu.name, gpu.id);
  card.field("also", joined(gpu.aliases))
      .section("Hardware")
      .field("kind", kind_text(gpu))
      .field("memory", memory_text(gpu))
      .field("usable", usable_text(gpu))
      .field("units", units_text(gpu))
      .field("rates", rates_text(gpu))
      .field("links", links_text(gpu))
      .field("board", board_text(gpu));
  add_mig(card, gpu);
  card.section("Prices of one GPU-hour").field("cheapest", cheapest_text(content.prices, context));
  if (content.prices.offers > 0)
    card.field("offers", fmt::format("{} of {} providers: vcgpu offers list --gpu {}",
                                     content.prices.offers, content.prices.providers, gpu.id));
  if (content.market != nullptr) card.field("market", market_text(*content.market));
  return card.section("Where this is from")
      .field("note", gpu.notes)
      .field("sources", joined(gpu.sources))
      .field("as of", dated_text(gpu.as_of, context))
      .take();
}

}  // namespace vcgpu
