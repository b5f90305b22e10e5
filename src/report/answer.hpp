// What a command found out, ready to be written in any format.
#pragma once

#include <string>
#include <vector>

#include "base/date.hpp"
#include "catalog/json_source.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu {

// The answer of recommend and estimate.
struct Answer {
  std::string command;
  const Catalog* catalog = nullptr;
  const Workload* workload = nullptr;
  const Recommendation* recommendation = nullptr;
  const RecommendOptions* options = nullptr;  // null for estimate
  Day today{};
  bool show_rejected = false;  // also what the filters left out
  bool explain = false;        // tables only: every number behind each row
};

// The JSON document of every command. Keys never change meaning within a
// schema_version (data/schema/answer.schema.json).
Json answer_document(const Answer& answer);

// The envelope that every document shares, without results.
Json document_head(const std::string& command, const CatalogInfo& catalog);

// Parts that several documents share.
Json gib_range(const Range<Bytes>& bytes);
Json hours_range(const Range<Seconds>& time);
Json settings_json(const Stage& stage, const StagePlan& plan);

// Numbers as a reader wants them: no more digits than are meant, and 8 rather
// than 8.0.
double rounded(double value, int decimals);
Json whole_or_real(double value);

}  // namespace vcgpu
