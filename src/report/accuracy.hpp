// The back-test as a document, as text and as the page docs/accuracy.md.
#pragma once

#include <span>
#include <string>

#include "catalog/json_source.hpp"
#include "report/style.hpp"
#include "vcgpu/accuracy.hpp"

namespace vcgpu {

// What is shown of a set of judgements.
struct AccuracyReport {
  const CatalogInfo* catalog = nullptr;
  std::span<const Judgement> testing;  // what the figures are of
  std::span<const Judgement> fitting;  // empty with evidence of one's own
  std::string evidence;                // "shipped", or the file
  bool show_misses = false;
};

// data/schema/accuracy.schema.json.
Json accuracy_document(const AccuracyReport& report);
std::string accuracy_text(const AccuracyReport& report, const Style& style);
std::string accuracy_markdown(const AccuracyReport& report);

}  // namespace vcgpu
