#include "vcgpu/plan.hpp"

#include <algorithm>

namespace vcgpu {

namespace {

bool has_half_precision(const Gpu& gpu) {
  // GTX 16 cards have fp16 arithmetic but no tensor cores, and trainers keep
  // them in fp32; Pascal has neither.
  if (gpu.vendor == Vendor::amd) return gpu.fp16_tflops.has_value();
  return gpu.fp16_tflops && gpu.tensor_cores;
}

}  // namespace

bool supports(const Gpu& gpu, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return true;
    case Precision::tf32:
      return gpu.tf32_tflops.has_value();
    case Precision::fp16:
      return has_half_precision(gpu);
    case Precision::bf16:
      return gpu.bf16_tflops.has_value();
    case Precision::int8:
      return gpu.int8_tops.has_value();
    case Precision::int4:  // of weights alone: they are unpacked to compute
      return gpu.fp16_tflops.has_value();
  }
  return false;
}

Interconnect interconnect_of(const Gpu& gpu, double count, std::string_view stated) {
  if (count <= 1) return Interconnect::none;
  const bool geforce = gpu.form == Form::consumer;
  const bool switched = gpu.nvlink_kind.find("NVSwitch") != std::string::npos;
  if (stated == "sxm" || (stated.empty() && switched))
    return gpu.architecture == "Volta" ? Interconnect::nvlink_mesh : Interconnect::nvswitch;
  if (stated == "nvlink" && geforce) return Interconnect::nvlink_pair;
  return geforce ? Interconnect::pcie_geforce : Interconnect::pcie_professional;
}

std::string_view name_of(Interconnect interconnect) {
  switch (interconnect) {
    case Interconnect::none:
      return "none";
    case Interconnect::nvswitch:
      return "nvswitch";
    case Interconnect::nvlink_mesh:
      return "nvlink-mesh";
    case Interconnect::nvlink_pair:
      return "nvlink-pair";
    case Interconnect::pcie_professional:
      return "pcie-professional";
    case Interconnect::pcie_geforce:
      return "pcie-geforce";
  }
  return "?";
}

Bytes usable_vram(const GpuGroup& group, Bytes reserve) {
  return std::max(usable_vram(*group.gpu) * group.share() - reserve, Bytes(0));
}

}  // namespace vcgpu
