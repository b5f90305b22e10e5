#include "report/records.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace vcgpu {

namespace {

// The value at a dotted path, or null. A key may itself hold dots.
const Json* at_path(const Json& value, std::string_view path) {
  if (path.empty()) return &value;
  if (!value.is_object()) return nullptr;
  // Longest key first: "s1.epochs" before "s1".
  std::size_t end = path.size();
  while (end != std::string_view::npos && end > 0) {
    const auto found = value.find(std::string(path.substr(0, end)));
    if (found != value.end()) {
      const Json* rest = at_path(*found, end == path.size() ? "" : path.substr(end + 1));
      if (rest != nullptr) return rest;
    }
    end = path.rfind('.', end - 1);
  }
  return nullptr;
}

void collect_paths(const Json& value, const std::string& prefix, std::vector<std::string>& paths) {
  if (!value.is_object()) return;
  for (const auto& [key, child] : value.items()) {
    std::string path = prefix;
    if (!path.empty()) path += '.';
    path += key;
    paths.push_back(path);
    collect_paths(child, path, paths);
  }
}

[[noreturn]] void refuse_field(const std::string& field, const std::vector<std::string>& known,
                               const std::vector<std::string>& top) {
  throw Error(ExitCode::usage, "unknown-field",
              fmt::format("--fields: no result has '{}'", printable(field, 60)),
              did_you_mean(field, known, "fields: " + joined(top)));
}

void check_fields(const Json& results, const std::vector<std::string>& fields,
                  const RecordShape& shape) {
  for (const std::string& field : fields) {
    if (results.empty()) {
      // No row to look into: the first key must be one that rows have.
      const std::string key = field.substr(0, field.find('.'));
      const bool known = shape.keys.empty() ||
                         std::find(shape.keys.begin(), shape.keys.end(), key) != shape.keys.end();
      if (!known) refuse_field(field, shape.keys, shape.keys);
      continue;
    }
    const auto has = [&](const Json& result) { return at_path(result, field) != nullptr; };
    if (std::any_of(results.begin(), results.end(), has)) continue;
    std::vector<std::string> known;
    collect_paths(results.front(), "", known);
    std::vector<std::string> top;
    for (const std::string& path : known) {
      if (path.find('.') == std::string::npos) top.push_back(path);
    }
    refuse_field(field, known, top);
  }
}

std::string cell_text(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  if (value->is_string()) return value->get<std::string>();
  if (value->is_boolean()) return value->get<bool>() ? "true" : "false";
  if (value->is_number()) return value->dump();
  if (value->is_array() && std::all_of(value->begin(), value->end(),
                                       [](const Json& item) { return item.is_string(); })) {
    std::vector<std::string> parts;
    for (const Json& item : *value) parts.push_back(item.get<std::string>());
    return joined(parts, "; ");
  }
  return value->dump();
}

// Quoted where needed. A text that a spreadsheet would run as a formula gets a
// leading apostrophe.
std::string csv_cell(const Json* value) {
  std::string text = cell_text(value);
  const bool is_text = value != nullptr && (value->is_string() || value->is_array());
  if (is_text) text = printable(text, 10'000);
  if (is_text && !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos)
    text.insert(0, "'");
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string markdown_cell(const Json* value) {
  std::string text;
  for (const char c : printable(cell_text(value), 400)) {
    if (c == '|' || c == '\\' || c == '`' || c == '<') text += '\\';
    text += c;
  }
  return text;
}

template <class Cell>
std::string row(const Json& result, const std::vector<std::string>& columns,
                std::string_view separator, Cell cell) {
  std::vector<std::string> cells;
  for (const std::string& column : columns) cells.push_back(cell(at_path(result, column)));
  return joined(cells, separator);
}

Json selected(const Json& result, const std::vector<std::string>& fields) {
  if (fields.empty()) return result;
  Json object = Json::object();
  for (const std::string& field : fields) {
    const Json* value = at_path(result, field);
    object[field] = value == nullptr ? Json(nullptr) : *value;
  }
  return object;
}

std::string dump(const Json& value, int indent) {
  // Catalog text is checked UTF-8, the user's may not be.
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string render_records(const Json& document, Format format,
                           const std::vector<std::string>& fields, const RecordShape& shape) {
  const Json& results = document.at("results");
  check_fields(results, fields, shape);
  const std::vector<std::string>& columns = fields.empty() ? shape.columns : fields;
  std::string out;
  switch (format) {
    case Format::json: {
      if (fields.empty()) return dump(document, 2) + "\n";
      Json shown = document;
      for (Json& result : shown["results"]) result = selected(result, fields);
      return dump(shown, 2) + "\n";
    }
    case Format::jsonl:
      for (const Json& result : results) out += dump(selected(result, fields), -1) + "\n";
      return out;
    case Format::csv:
      out = joined(columns, ",") + "\r\n";
      for (const Json& result : results) out += row(result, columns, ",", csv_cell) + "\r\n";
      return out;
    case Format::markdown: {
      out = "| " + joined(columns, " | ") + " |\n|";
      for (std::size_t i = 0; i < columns.size(); ++i) out += " --- |";
      out += "\n";
      for (const Json& result : results)
        out += "| " + row(result, columns, " | ", markdown_cell) + " |\n";
      return out;
    }
    case Format::names:
      for (const Json& result : results)
        out += row(result, shape.name_columns, " ",
                   [](const Json* value) { return printable(cell_text(value)); }) +
               "\n";
      return out;
    case Format::table:
    case Format::wide:
    case Format::html:
      break;
  }
  throw Error(ExitCode::failure, "internal", "no record format");
}

}  // namespace vcgpu
