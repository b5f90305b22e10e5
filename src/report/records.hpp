// Machine formats, all made from one JSON document: json, jsonl, csv,
// markdown, names.
#pragma once

#include <string>
#include <vector>

#include "catalog/json_source.hpp"

namespace vcgpu {

enum class Format { table, wide, json, jsonl, csv, markdown, html, names };

// How the entries of `results` become rows and names.
struct RecordShape {
  std::vector<std::string> columns;       // dotted paths: "gpu.id"
  std::vector<std::string> name_columns;  // of `names`, joined by a space
  std::vector<std::string> keys;          // of a result, where there is none to ask
};

// `fields` (dotted paths; empty: all, or the shape's columns) select what is
// shown. Throws Error (usage) for a field that no result has, with the nearest.
std::string render_records(const Json& document, Format format,
                           const std::vector<std::string>& fields, const RecordShape& shape);

}  // namespace vcgpu
