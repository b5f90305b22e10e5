#include <charconv>

#include "catalog/readers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

MigProfile read_mig(const JsonNode& node) {
  node.only({"profile", "memory_gb", "usable_gib", "compute_slices", "total_compute_slices",
             "memory_fraction", "sm_count", "max_instances"});
  return {.profile = node.text("profile"),
          .memory_gb = node.number("memory_gb", 1, 10000),
          .usable_gib = node.optional_number("usable_gib", 0.5, 10000),
          .compute_slices = node.integer("compute_slices", 1, 8),
          .total_compute_slices = node.integer("total_compute_slices", 1, 8),
          .memory_fraction = node.number("memory_fraction", 0.01, 1),
          .sm_count = node.optional_integer("sm_count", 1, 1000),
          .max_instances = node.integer("max_instances", 1, 8)};
}

}  // namespace

std::optional<ComputeCapability> parse_compute_capability(std::string_view text) {
  ComputeCapability capability;
  const char* end = text.data() + text.size();
  const auto [dot, first] = std::from_chars(text.data(), end, capability.major);
  if (first != std::errc{} || capability.major < 0) return std::nullopt;
  if (dot == end || *dot != '.') return std::nullopt;
  const auto [rest, second] = std::from_chars(dot + 1, end, capability.minor);
  if (second != std::errc{} || rest != end || capability.minor < 0) return std::nullopt;
  return capability;
}

Gpu read_gpu(const JsonNode& node) {
  node.only({"id",
             "name",
             "aliases",
             "vendor",
             "architecture",
             "compute_capability",
             "isa",
             "form",
             "released",
             "memory_gb",
             "usable_gib",
             "usable_basis",
             "nvidia_smi_mib",
             "memory_type",
             "memory_bus_bits",
             "unified_memory",
             "bandwidth_gb_s",
             "sm_count",
             "cuda_cores",
             "tensor_cores",
             "tensor_generation",
             "fp32_tflops",
             "tf32_tflops",
             "fp16_tflops",
             "bf16_tflops",
             "fp8_tflops",
             "int8_tops",
             "fp32_accumulate_halved",
             "l2_mb",
             "nvlink_gb_s",
             "nvlink_kind",
             "pcie_generation",
             "ecc",
             "tdp_w",
             "mig",
             "mig_notes",
             "sources",
             "as_of",
             "notes"});
  Gpu gpu;
  gpu.id = node.text("id");
  gpu.name = node.text("name");
  gpu.aliases = node.texts("aliases");
  gpu.vendor = node.choice("vendor", vendor_names());
  gpu.architecture = node.text("architecture");
  if (node.has("compute_capability")) {
    gpu.compute_capability = parse_compute_capability(node.text("compute_capability"));
    if (!gpu.compute_capability)
      node.at("compute_capability").fail("is no compute capability", "write it as \"8.9\"");
  }
  gpu.isa = node.text_or_empty("isa");
  gpu.form = node.choice("form", form_names());
  gpu.released = node.text_or_empty("released");
  gpu.memory_gb = node.number("memory_gb", 1, 10000);
  gpu.usable_gib = node.number("usable_gib", 0.5, 10000);
  // The marketed size counts GiB on most cards, so usable memory can come near
  // it but a program never gets more.
  if (gpu.usable_gib > gpu.memory_gb)
    node.at("usable_gib").fail("is more than memory_gb", "is it in MiB or GB?");
  gpu.usable_basis = node.text_or_empty("usable_basis");
  gpu.nvidia_smi_mib = node.optional_number("nvidia_smi_mib", 500, 10'000'000);
  gpu.memory_type = node.text_or_empty("memory_type");
  gpu.memory_bus_bits = node.optional_number("memory_bus_bits", 16, 65536);
  gpu.unified_memory = node.boolean_or("unified_memory", false);
  gpu.bandwidth_gb_s = node.number("bandwidth_gb_s", 10, 100'000);
  gpu.sm_count = node.optional_number("sm_count", 1, 10'000);
  gpu.cuda_cores = node.optional_number("cuda_cores", 1, 1'000'000);
  gpu.tensor_cores = node.optional_number("tensor_cores", 1, 100'000);
  gpu.tensor_generation = node.optional_number("tensor_generation", 1, 100);
  gpu.fp32_tflops = node.optional_number("fp32_tflops", 0.01, 100'000);
  gpu.tf32_tflops = node.optional_number("tf32_tflops", 0.01, 100'000);
  gpu.fp16_tflops = node.optional_number("fp16_tflops", 0.01, 100'000);
  gpu.bf16_tflops = node.optional_number("bf16_tflops", 0.01, 100'000);
  gpu.fp8_tflops = node.optional_number("fp8_tflops", 0.01, 100'000);
  gpu.int8_tops = node.optional_number("int8_tops", 0.01, 100'000);
  gpu.fp32_accumulate_halved = node.boolean_or("fp32_accumulate_halved", false);
  gpu.l2_mb = node.optional_number("l2_mb", 0.1, 10'000);
  gpu.nvlink_gb_s = node.optional_number("nvlink_gb_s", 1, 100'000);
  gpu.nvlink_kind = node.text_or_empty("nvlink_kind");
  gpu.pcie_generation = node.optional_number("pcie_generation", 1, 10);
  gpu.ecc = node.optional_boolean("ecc");
  gpu.tdp_w = node.optional_number("tdp_w", 1, 10'000);
  for (const JsonNode& profile : node.items("mig")) gpu.mig.push_back(read_mig(profile));
  gpu.mig_notes = node.text_or_empty("mig_notes");
  gpu.sources = node.texts("sources");
  if (gpu.sources.empty())
    node.fail("has no sources", "every entry names where its figures come from");
  gpu.as_of = node.date("as_of");
  gpu.notes = node.text_or_empty("notes");
  return gpu;
}

}  // namespace vcgpu
