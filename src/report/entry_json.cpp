#include "report/entry_json.hpp"

#include <fmt/format.h>

#include "report/json_fields.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

Json mig_entry(const MigProfile& mig) {
  return JsonFields()
      .add("profile", mig.profile)
      .add("memory_gb", mig.memory_gb)
      .add("usable_gib", mig.usable_gib)
      .add("compute_slices", mig.compute_slices)
      .add("total_compute_slices", mig.total_compute_slices)
      .add("memory_fraction", mig.memory_fraction)
      .add("sm_count", mig.sm_count)
      .add("max_instances", mig.max_instances)
      .take();
}

Json storage_entry(const Storage& storage) {
  return JsonFields()
      .add("usd_per_gb_month", storage.usd_per_gb_month)
      .add("usd_per_gb_month_stopped", storage.usd_per_gb_month_stopped)
      .add("included_gb", storage.included_gb)
      .add("note", storage.note)
      .take();
}

Json spot_entry(const Spot& spot) {
  return JsonFields()
      .add("offered", spot.offered)
      .add("notice_s", spot.notice_s)
      .add("note", spot.note)
      .take();
}

void add_object(JsonFields& fields, const char* key, Json object) {
  if (!object.empty()) fields.add(key, std::move(object));
}

}  // namespace

std::string capability_text(const ComputeCapability& capability) {
  return fmt::format("{}.{}", capability.major, capability.minor);
}

Json gpu_entry(const Gpu& gpu) {
  JsonFields fields;
  fields.add("id", gpu.id)
      .add("name", gpu.name)
      .add("aliases", gpu.aliases)
      .add("vendor", name_of(gpu.vendor))
      .add("architecture", gpu.architecture);
  if (gpu.compute_capability)
    fields.add("compute_capability", capability_text(*gpu.compute_capability));
  return fields.add("isa", gpu.isa)
      .add("form", name_of(gpu.form))
      .add("released", gpu.released)
      .add("memory_gb", gpu.memory_gb)
      .add("usable_gib", gpu.usable_gib)
      .add("usable_basis", gpu.usable_basis)
      .add("nvidia_smi_mib", gpu.nvidia_smi_mib)
      .add("memory_type", gpu.memory_type)
      .add("memory_bus_bits", gpu.memory_bus_bits)
      .add_unless(false, "unified_memory", gpu.unified_memory)
      .add("bandwidth_gb_s", gpu.bandwidth_gb_s)
      .add("sm_count", gpu.sm_count)
      .add("cuda_cores", gpu.cuda_cores)
      .add("tensor_cores", gpu.tensor_cores)
      .add("tensor_generation", gpu.tensor_generation)
      .add("fp32_tflops", gpu.fp32_tflops)
      .add("tf32_tflops", gpu.tf32_tflops)
      .add("fp16_tflops", gpu.fp16_tflops)
      .add("bf16_tflops", gpu.bf16_tflops)
      .add("fp8_tflops", gpu.fp8_tflops)
      .add("int8_tops", gpu.int8_tops)
      .add_unless(false, "fp32_accumulate_halved", gpu.fp32_accumulate_halved)
      .add("l2_mb", gpu.l2_mb)
      .add("nvlink_gb_s", gpu.nvlink_gb_s)
      .add("nvlink_kind", gpu.nvlink_kind)
      .add("pcie_generation", gpu.pcie_generation)
      .add("ecc", gpu.ecc)
      .add("tdp_w", gpu.tdp_w)
      .add_each("mig", gpu.mig, mig_entry)
      .add("mig_notes", gpu.mig_notes)
      .add("sources", gpu.sources)
      .add("as_of", gpu.as_of)
      .add("notes", gpu.notes)
      .take();
}

Json offer_entry(const Offer& offer) {
  return JsonFields()
      .add("sku", offer.sku)
      .add("gpu", offer.gpu)
      .add("gpu_count", offer.gpu_count)
      .add("vcpus", offer.vcpus)
      .add("ram_gib", offer.ram_gib)
      .add("disk_gb", offer.disk_gb)
      .add("regions", offer.regions)
      .add("pricing", offer.pricing)
      .add("tier", offer.tier)
      .add("interconnect", offer.interconnect)
      .add("usd_per_hour", offer.usd_per_hour.count())
      .add("currency", offer.currency)
      .add("host_reliability", offer.host_reliability)
      .add("source", offer.source)
      .add("as_of", offer.as_of)
      .add("note", offer.note)
      .take();
}

Json market_price_entry(const MarketPrice& price) {
  return JsonFields()
      .add("statistic", price.statistic)
      .add("gpu", price.gpu)
      .add("gpu_count", price.gpu_count)
      .add("region", price.region)
      .add("pricing", price.pricing)
      .add("tier", price.tier)
      .add("usd_per_hour", price.usd_per_hour.count())
      .add("source", price.source)
      .add("as_of", price.as_of)
      .add("note", price.note)
      .take();
}

Json provider_entry(const Provider& provider) {
  JsonFields fields;
  fields.add("id", provider.id)
      .add("name", provider.name)
      .add("aliases", provider.aliases)
      .add("kind", provider.kind)
      .add("billing_granularity_s", provider.billing_granularity_s)
      .add("minimum_charge_s", provider.minimum_charge_s);
  add_object(fields, "storage", storage_entry(provider.storage));
  fields.add("egress_usd_per_gb", provider.egress_usd_per_gb);
  add_object(fields, "spot", spot_entry(provider.spot));
  add_object(fields, "reserved",
             JsonFields()
                 .add("discount_percent_1y", provider.reserved_discount_percent_1y)
                 .add("note", provider.reserved_note)
                 .take());
  return fields.add("sla_uptime_percent", provider.sla_uptime_percent)
      .add("ease", provider.ease)
      .add("ease_reason", provider.ease_reason)
      .add("reliability", provider.reliability)
      .add("reliability_reason", provider.reliability_reason)
      .add("tiers", provider.tiers)
      .add("tiers_note", provider.tiers_note)
      .add("regions_note", provider.regions_note)
      .add("docker", provider.docker)
      .add("launch_hint", provider.launch_hint)
      .add("general_knowledge", provider.general_knowledge)
      .add("source", provider.source)
      .add("as_of", provider.as_of)
      .add_each("offers", provider.offers, offer_entry)
      .add_each("market", provider.market, market_price_entry)
      .take();
}

Json market_reference_entry(const MarketReference& reference) {
  JsonFields fields;
  fields.add("gpu", reference.gpu)
      .add("offers", reference.offers)
      .add("providers", reference.providers);
  add_object(fields, "usd_per_gpu_hour",
             JsonFields()
                 .add("min", reference.min_usd)
                 .add("min_list", reference.min_list_usd)
                 .add("median", reference.median_usd)
                 .add("max", reference.max_usd)
                 .add("min_spot", reference.min_spot_usd)
                 .take());
  return fields.add("newest_as_of", reference.newest_as_of).take();
}

}  // namespace vcgpu
