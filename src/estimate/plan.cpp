#include "vcgpu/plan.hpp"

#include <algorithm>

namespace vcgpu {

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
