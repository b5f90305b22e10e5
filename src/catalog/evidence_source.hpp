// From JSON to reports.
#pragma once

#include <vector>

#include "catalog/json_source.hpp"
#include "vcgpu/evidence.hpp"

namespace vcgpu {

inline constexpr std::string_view evidence_file = "evidence.json";

// A document of data/schema/evidence.schema.json, or JSON lines.
std::vector<EvidenceReport> read_evidence(const JsonText& text);

}  // namespace vcgpu
