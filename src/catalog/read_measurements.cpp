#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

// One thread reads a few kilobytes fast enough.
#define CSV_IO_NO_THREAD
#include <csv.h>

#include "base/date.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "catalog/measurement.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

constexpr std::size_t max_cell_bytes = 200;

constexpr std::array column_names{
    "batch", "clip_s",           "precision",     "peak_gib",  "peak_mib",    "peak_bytes",
    "kind",  "grad_accum",       "checkpointing", "lora_rank", "text_tokens", "gpu",
    "gpus",  "seconds_per_step", "optimizer",     "attention", "date",        "torch",
    "note"};

// Ranges that no real step leaves; those of the flags of the same meaning.
constexpr Bounds batch_range{1, 1e6};
constexpr Bounds clip_range{0.1, 3600};
constexpr Bounds peak_bytes_range{1e6, 1e13};
constexpr Bounds step_seconds_range{1e-4, 1e5};

const Names<PeakCounter>& kind_names() {
  static const Names<PeakCounter> names{{"allocated", PeakCounter::allocated},
                                        {"reserved", PeakCounter::reserved},
                                        {"device", PeakCounter::device},
                                        {"nvidia-smi", PeakCounter::device}};
  return names;
}

[[noreturn]] void refuse(const std::string& place, const std::string& message,
                         const std::string& hint) {
  throw Error(ExitCode::usage, "bad-measurement",
              fmt::format("{}: {}", printable(place, 300), message), hint);
}

// The cells of one row that are not empty, by column.
class Cells {
 public:
  Cells(const std::string& file, std::size_t line) : m_file(file), m_line(line) {}

  void set(const std::string& column, const std::string& text) {
    if (text.size() > max_cell_bytes)
      refuse(place(column), fmt::format("longer than {} bytes", max_cell_bytes), "shorten it");
    if (!trimmed(text).empty()) m_cells[column] = std::string(trimmed(text));
  }
  [[nodiscard]] std::size_t line() const { return m_line; }
  [[nodiscard]] bool has(const std::string& column) const { return m_cells.contains(column); }
  [[nodiscard]] std::string text(const std::string& column) const {
    const auto found = m_cells.find(column);
    return found == m_cells.end() ? std::string() : found->second;
  }
  [[nodiscard]] std::string place(const std::string& column) const {
    return fmt::format("{}:{}: {}", m_file, m_line, column);
  }
  [[noreturn]] void fail(const std::string& column, const std::string& message,
                         const std::string& hint) const {
    refuse(place(column), message, hint);
  }
  [[nodiscard]] double number(const std::string& column, Bounds bounds) const {
    return in_place([&] { return parse_number(text(column), place(column), bounds); });
  }
  [[nodiscard]] int whole(const std::string& column, Bounds bounds) const {
    return in_place(
        [&] { return static_cast<int>(parse_integer(text(column), place(column), bounds)); });
  }
  template <class Enum>
  [[nodiscard]] Enum choice(const std::string& column, const Names<Enum>& names) const {
    const std::string given = lower(text(column));
    std::vector<std::string> known;
    for (const auto& [name, value] : names) {
      if (name == given) return value;
      known.emplace_back(name);
    }
    fail(column, fmt::format("'{}' is not known", printable(given, 60)),
         did_you_mean(given, known, "one of: " + joined(known)));
  }

 private:
  // The parsers of flags, with the code of a row's errors.
  template <class Parse>
  static auto in_place(Parse parse) -> decltype(parse()) {
    try {
      return parse();
    } catch (const Error& error) {
      throw Error(ExitCode::usage, "bad-measurement", error.what(), error.hint());
    }
  }

  std::string m_file;
  std::size_t m_line;
  std::map<std::string, std::string> m_cells;
};

Bytes peak_of(const Cells& cells) {
  static const std::vector<std::pair<std::string, double>> units{
      {"peak_gib", 1073741824.0}, {"peak_mib", 1048576.0}, {"peak_bytes", 1.0}};
  std::optional<Bytes> peak;
  for (const auto& [column, bytes] : units) {
    if (!cells.has(column)) continue;
    if (peak) cells.fail(column, "a second peak", "give one of peak_gib, peak_mib, peak_bytes");
    const double low = peak_bytes_range.low / bytes;
    const double high = peak_bytes_range.high / bytes;
    // Rounded outwards to three digits, so that the error shows plain numbers.
    const double digits = std::pow(10, std::floor(std::log10(low)) - 2);
    const double digits_high = std::pow(10, std::floor(std::log10(high)) - 2);
    peak = Bytes(bytes * cells.number(column, {std::floor(low / digits) * digits,
                                               std::ceil(high / digits_high) * digits_high}));
  }
  if (!peak) cells.fail("peak_gib", "is missing", "give one of peak_gib, peak_mib, peak_bytes");
  return *peak;
}

void require(const Cells& cells, const char* column, const char* meaning) {
  if (!cells.has(column)) cells.fail(column, "is missing", meaning);
}

Measurement measurement_of(const Cells& cells) {
  require(cells, "batch", "the batch of one pass on one GPU");
  require(cells, "clip_s", "the longest clip of the batch, in seconds");
  require(cells, "precision", "fp32, tf32, fp16 or bf16");
  static const Names<bool> switches{{"on", true},  {"off", false}, {"true", true}, {"false", false},
                                    {"yes", true}, {"no", false},  {"1", true},    {"0", false}};
  Measurement row;
  row.line = cells.line();
  row.batch = cells.number("batch", batch_range);
  row.clip = Seconds(cells.number("clip_s", clip_range));
  row.precision = cells.choice("precision", precision_names());
  row.peak = peak_of(cells);
  if (cells.has("kind")) row.kind = cells.choice("kind", kind_names());
  if (cells.has("grad_accum")) row.grad_accum = cells.whole("grad_accum", {1, 1e5});
  if (cells.has("gpus")) row.gpus = cells.whole("gpus", {1, 8});
  if (cells.has("checkpointing")) row.checkpointing = cells.choice("checkpointing", switches);
  if (cells.has("lora_rank")) row.lora_rank = cells.whole("lora_rank", {0, 4096});
  if (cells.has("text_tokens")) row.text_tokens = cells.number("text_tokens", {1, 1e6});
  if (cells.has("attention")) row.attention = cells.choice("attention", attention_names());
  if (cells.has("optimizer")) row.optimizer = lower(cells.text("optimizer"));
  row.gpu = cells.text("gpu");
  if (cells.has("seconds_per_step"))
    row.seconds_per_step = Seconds(cells.number("seconds_per_step", step_seconds_range));
  if (cells.has("date")) {
    row.date = cells.text("date").substr(0, 10);
    if (row.date.size() < 10 || !parse_date(row.date))
      cells.fail("date", fmt::format("'{}' is not a date", printable(cells.text("date"), 40)),
                 "write YYYY-MM-DD");
  }
  return row;
}

void check_count(const std::string& file, std::size_t count) {
  if (count > max_measurements)
    refuse(file, fmt::format("more than {} rows", max_measurements),
           "a few rows at different batches and clip lengths tell as much");
}

[[noreturn]] void refuse_column(const std::string& place, const std::string& name) {
  const std::vector<std::string> known(column_names.begin(), column_names.end());
  std::string hint = did_you_mean(name, known, "columns: " + joined(known));
  if (name.find(';') != std::string::npos) hint = "separate columns by commas, not by semicolons";
  if (name.find('\t') != std::string::npos) hint = "separate columns by commas, not by tabs";
  refuse(place, fmt::format("unknown column '{}'", printable(name, 60)), hint);
}

using CsvReader =
    io::CSVReader<column_names.size(), io::trim_chars<' ', '\t'>, io::double_quote_escape<',', '"'>,
                  io::throw_on_overflow, io::single_and_empty_line_comment<'#'>>;

// The library's functions take one argument a column.
template <std::size_t... I>
void read_header(CsvReader& reader, std::index_sequence<I...> /*columns*/) {
  reader.read_header(io::ignore_missing_column, column_names[I]...);
}
template <std::size_t... I>
bool read_cells(CsvReader& reader, std::array<char*, column_names.size()>& cells,
                std::index_sequence<I...> /*columns*/) {
  return reader.read_row(cells[I]...);
}

std::vector<Measurement> read_csv(const JsonText& source) {
  constexpr auto columns = std::make_index_sequence<column_names.size()>{};
  const std::string& text = source.text;
  const auto place_of = [&](const io::error::base& error) {
    const auto* at = dynamic_cast<const io::error::with_file_line*>(&error);
    return at != nullptr && at->file_line > 0 ? fmt::format("{}:{}", source.file, at->file_line)
                                              : source.file;
  };
  std::vector<Measurement> rows;
  try {
    CsvReader reader(source.file.c_str(), text.data(), text.data() + text.size());
    read_header(reader, columns);
    std::array<char*, column_names.size()> found{};
    while (read_cells(reader, found, columns)) {
      Cells cells(source.file, reader.get_file_line());
      for (std::size_t i = 0; i < column_names.size(); ++i) {
        if (found[i] != nullptr) cells.set(column_names[i], found[i]);
      }
      rows.push_back(measurement_of(cells));
      check_count(source.file, rows.size());
    }
  } catch (const io::error::extra_column_in_header& error) {
    refuse_column(place_of(error), error.column_name);
  } catch (const io::error::duplicated_column_in_header& error) {
    refuse(place_of(error), fmt::format("column '{}' occurs twice", error.column_name),
           "remove or rename one of them");
  } catch (const io::error::header_missing& error) {
    refuse(source.file, "no header line", "the first line names the columns: batch,clip_s,...");
  } catch (const io::error::too_few_columns& error) {
    refuse(place_of(error), "fewer cells than the header has columns",
           "an unknown value is an empty cell, with its comma");
  } catch (const io::error::too_many_columns& error) {
    refuse(place_of(error), "more cells than the header has columns",
           "quote a text that holds a comma; decimals are written with a point");
  } catch (const io::error::escaped_string_not_closed& error) {
    refuse(place_of(error), "a quote that is not closed", "end the text with \"");
  } catch (const io::error::base& error) {
    refuse(place_of(error), "not a line of CSV", "see docs/calibrate.md");
  }
  return rows;
}

// JSON lines as a list, with every line where it was.
std::string list_of_lines(std::string_view text) {
  std::string list;
  bool first = true;
  for (const std::string& line : split(text, '\n')) {
    const bool blank = trimmed(line).find_first_not_of('\r') == std::string_view::npos;
    if (!list.empty()) list += '\n';
    if (!blank) list += first ? '[' : ',';
    if (!blank) first = false;
    list += line;
  }
  return list + "]";
}

std::string cell_text(const JsonNode& node) {
  if (node.value().is_string()) return node.value().get<std::string>();
  if (node.value().is_boolean()) return node.value().get<bool>() ? "on" : "off";
  if (node.value().is_number())
    return number_text(
        node.as_number(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()));
  node.fail("must be a text, a number or a boolean", "as in the columns of a CSV file");
}

std::vector<Measurement> read_json(const JsonText& source, bool lines) {
  const auto list = std::make_shared<const JsonText>(
      JsonText{source.file, lines ? list_of_lines(source.text) : source.text});
  const Json document = parse_source(*list, ExitCode::usage);
  std::vector<Measurement> rows;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const JsonNode node(document[i], list, fmt::format("/{}", i), ExitCode::usage);
    Cells cells(source.file, line_of(list->text, node.pointer()));
    for (const auto& [key, value] : node.members()) {
      if (std::find(column_names.begin(), column_names.end(), key) == column_names.end())
        refuse_column(fmt::format("{}:{}", source.file, cells.line()), key);
      if (!value.value().is_null()) cells.set(key, cell_text(value));
    }
    rows.push_back(measurement_of(cells));
    check_count(source.file, rows.size());
  }
  return rows;
}

}  // namespace

std::string_view name_of(PeakCounter kind) {
  switch (kind) {
    case PeakCounter::allocated:
      return "allocated";
    case PeakCounter::reserved:
      return "reserved";
    case PeakCounter::device:
      return "device";
  }
  return "?";
}

std::vector<Measurement> read_measurements(const JsonText& source) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string_view text = source.text;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find('\0') != std::string_view::npos)
    refuse(source.file, "holds a NUL byte", "save it as UTF-8 text");
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    refuse(source.file, "is empty", "the first line names the columns: batch,clip_s,...");
  const char first = text[begin];
  const JsonText plain{source.file, std::string(text)};
  std::vector<Measurement> rows =
      first == '[' || first == '{' ? read_json(plain, first == '{') : read_csv(plain);
  if (rows.empty()) refuse(source.file, "has no rows", "three are enough to start with");
  return rows;
}

}  // namespace vcgpu
