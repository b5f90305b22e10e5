#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "catalog/evidence_source.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

constexpr std::size_t max_reports = 100'000;
constexpr double max_audio_s = 1e6;

const Names<Outcome>& outcome_names() {
  static const Names<Outcome> names{{"ok", Outcome::ok},
                                    {"oom", Outcome::oom},
                                    {"spill", Outcome::spill},
                                    {"peak", Outcome::peak}};
  return names;
}

// A reading whose tool is not named is taken for the card's.
const Names<PeakKind>& peak_kind_names() {
  static const Names<PeakKind> names{
      {"allocated", PeakKind::allocated},     {"reserved", PeakKind::reserved},
      {"nvidia-smi", PeakKind::device},       {"unknown", PeakKind::device},
      {"reservation", PeakKind::reservation}, {"stated-requirement", PeakKind::requirement}};
  return names;
}

std::optional<Seconds> optional_seconds(const JsonNode& node, std::string_view key) {
  const std::optional<double> value = node.optional_number(key, 0.01, max_audio_s);
  return value ? std::optional(Seconds(*value)) : std::nullopt;
}

EvidenceReport read_report(const JsonNode& node) {
  node.only({"id",          "model",           "variant",    "stage",           "task",
             "gpu",         "vram_gb",         "num_gpus",   "batch",           "batch_unit",
             "batch_scope", "grad_accum",      "precision",  "max_clip_s",      "output_s",
             "text_chars",  "segment_samples", "optimizer",  "grad_checkpoint", "lora",
             "offload",     "runtime",         "os",         "concurrency",     "outcome",
             "peak_gb",     "peak_kind",       "peak_bound", "speed",           "use",
             "assumed",     "confidence",      "source",     "thread",          "note",
             "finding"});
  EvidenceReport report;
  report.id = node.text("id");
  report.model = node.text("model");
  report.variant = node.text_or_empty("variant");
  report.stage = node.text_or_empty("stage");
  report.task = node.choice("task", task_names());
  report.gpu = node.text_or_empty("gpu");
  report.vram_gb = node.optional_number("vram_gb", 0.1, 10'000);
  report.gpus = node.optional_integer("num_gpus", 0, 100'000).value_or(1);
  report.batch = node.optional_number("batch", 0.01, 1e7);
  report.batch_unit = node.text_or_empty("batch_unit");
  report.batch_is_total = node.text_or_empty("batch_scope") == "total";
  report.grad_accum = node.optional_integer("grad_accum", 1, 100'000);
  if (node.has("precision")) report.precision = node.choice("precision", precision_names());
  report.max_clip = optional_seconds(node, "max_clip_s");
  report.output = optional_seconds(node, "output_s");
  report.segment_samples = node.optional_number("segment_samples", 100, 1e8);
  report.optimizer = node.text_or_empty("optimizer");
  report.checkpointing = node.optional_boolean("grad_checkpoint");
  report.lora = node.optional_boolean("lora");
  report.offload = node.optional_boolean("offload");
  report.runtime = node.text_or_empty("runtime");
  if (node.has("os"))
    report.os =
        node.choice("os", Names<HostOs>{{"linux", HostOs::linux}, {"windows", HostOs::windows}});
  report.concurrency = node.optional_integer("concurrency", 1, 1'000'000);
  report.outcome = node.choice("outcome", outcome_names());
  report.peak_gb = node.optional_number("peak_gb", 0, 100'000);
  if (report.peak_gb == 0.0) report.peak_gb.reset();  // ran on a CPU
  if (node.has("peak_kind")) report.peak_kind = node.choice("peak_kind", peak_kind_names());
  if (node.has("peak_bound"))
    report.peak_is_bound = node.choice("peak_bound", Names<bool>{{"upper", true}});
  for (const std::string& use : node.texts("use")) {
    report.judges_verdict = report.judges_verdict || use == "verdict";
    report.judges_peak = report.judges_peak || use == "peak";
  }
  if (report.judges_peak && !report.peak_gb) node.fail("is used as a peak and has no peak_gb");
  if (report.judges_verdict && report.outcome == Outcome::peak)
    node.fail("is used as a verdict and has no outcome", "ok, oom or spill");
  report.assumed = node.texts("assumed");
  report.confidence = node.text_or_empty("confidence");
  report.source = node.text("source");
  report.thread = node.text("thread");
  report.note = node.text_or_empty("note");
  report.finding = node.text_or_empty("finding");
  return report;
}

void erase_nulls(Json& value) {
  for (auto it = value.begin(); it != value.end();) {
    if (it->is_null())
      it = value.erase(it);
    else
      ++it;
  }
}

// One report for each line; errors name the line.
std::vector<EvidenceReport> read_lines(const JsonText& text) {
  std::vector<EvidenceReport> reports;
  std::size_t number = 0;
  std::size_t begin = 0;
  while (begin < text.text.size()) {
    const std::size_t end = std::min(text.text.find('\n', begin), text.text.size());
    const std::string line(trimmed(std::string_view(text.text).substr(begin, end - begin)));
    begin = end + 1;
    ++number;
    if (line.empty()) continue;
    const auto source = std::make_shared<const JsonText>(
        JsonText{fmt::format("{} line {}", text.file, number), line});
    Json value = parse_source(*source, ExitCode::bad_catalog);
    const JsonNode node(value, source, "", ExitCode::bad_catalog);
    if (!value.is_object()) node.fail("is no report", "an object for each line");
    erase_nulls(value);
    reports.push_back(read_report(node));
    if (reports.size() > max_reports) node.fail(fmt::format("more than {} reports", max_reports));
  }
  return reports;
}

void check_ids(const std::vector<EvidenceReport>& reports, const std::string& file) {
  std::vector<std::string_view> ids;
  for (const EvidenceReport& report : reports) ids.push_back(report.id);
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end())
    throw Error(ExitCode::bad_catalog, "bad-catalog",
                fmt::format("{}: a second report '{}'", file, printable(*twice, 60)),
                "an id occurs once");
}

}  // namespace

std::vector<EvidenceReport> read_evidence(const JsonText& text) {
  std::vector<EvidenceReport> reports;
  const std::string_view start = trimmed(std::string_view(text.text).substr(0, 4096));
  // A document names its version first; a report never has one.
  if (start.starts_with("{") &&
      start.substr(0, 60).find("\"schema_version\"") != std::string_view::npos) {
    const auto source = std::make_shared<const JsonText>(text);
    const Json document = parse_source(*source, ExitCode::bad_catalog);
    const JsonNode root(document, source, "", ExitCode::bad_catalog);
    root.only({"schema_version", "as_of", "reports"});
    (void)root.integer("schema_version", 1, 1);
    (void)root.date("as_of");
    for (const JsonNode& node : root.items("reports")) reports.push_back(read_report(node));
  } else {
    reports = read_lines(text);
  }
  check_ids(reports, text.file);
  return reports;
}

std::vector<EvidenceReport> read_evidence_file(const std::filesystem::path& path) {
  return read_evidence(
      {path == "-" ? "standard input" : path.string(), read_file(path, max_json_bytes)});
}

EvidenceHalf half_of(std::string_view thread) {
  constexpr std::uint64_t offset = 0xcbf29ce484222325;
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = offset;
  for (const char c : thread) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return (hash & 1) == 0 ? EvidenceHalf::fitting : EvidenceHalf::testing;
}

}  // namespace vcgpu
