#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/calibration_report.hpp"
#include "report/cells.hpp"
#include "report/text_table.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

using Align = TextColumn::Align;

std::string span_text(const OpenRange& range) {
  if (range.low == range.high) return number_text(*range.low);
  return fmt::format("{} to {}", number_text(*range.low), number_text(*range.high));
}

std::string settings_text(const MemoryProfile& profile) {
  std::vector<std::string> precisions;
  for (const Precision precision : profile.precisions) precisions.emplace_back(name_of(precision));
  std::string text = joined(precisions, " and ");
  if (profile.attention) text += fmt::format(", {} attention", name_of(*profile.attention));
  if (profile.checkpointing) text += ", checkpointing";
  if (profile.method == Method::lora) text += ", LoRA";
  return text;
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.3f} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.3f} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.3f} kB", bytes / 1e3);
  return fmt::format("{} B", number_text(bytes));
}

std::string batch_unit_text(BatchUnit unit) {
  return unit == BatchUnit::clips ? "" : fmt::format(" {}", name_of(unit));
}

std::string rows_text(const CalibratedProfile& fitted, const Style& style) {
  TextRows rows;
  for (const CalibratedRow& row : fitted.rows)
    rows.push_back({std::to_string(row.measurement->line), number_text(row.plan.batch),
                    number_text(row.measurement->clip.count()),
                    fmt::format("{:.2f}", in_gib(row.measurement->peak)),
                    fmt::format("{:.2f}", in_gib(row.live)),
                    fmt::format("{:.2f}", in_gib(row.fitted)),
                    fmt::format("{:+.1f} %", 100 * row.residual),
                    row.set_by_optimizer ? "optimizer step" : ""});
  return text_table({{"line", Align::right},
                     {"batch", Align::right},
                     {"clip s", Align::right},
                     {"peak GiB", Align::right},
                     {"live GiB", Align::right},
                     {"fitted GiB", Align::right},
                     {"residual", Align::right},
                     {"", Align::left}},
                    std::move(rows), {.columns = style.columns(), .indent = "  "}, style);
}

// By rule, by terms, and what the card adds.
std::string parts_text(const CalibratedProfile& fitted, const CalibrationReport& report,
                       const Style& style) {
  const MemoryEstimate estimate = estimate_of(fitted.largest(), report);
  const Phase& phase = shown_phase(fitted, report);
  TextRows rows;
  for (const MemoryComponent& component : estimate.components) {
    std::string formula = "by rule";
    for (const Term& term : phase.terms) {
      if (term.name == component.name) formula = term_text(term);
    }
    rows.push_back({fmt::format("{:.2f} GiB", in_gib(component.bytes)), component.name, formula});
  }
  return text_table(
      {{"in that row", Align::right}, {"part", Align::left, 0, true}, {"from", Align::left}},
      std::move(rows), {.columns = style.columns(), .indent = "  "}, style);
}

std::string gib_text(const Range<Bytes>& bytes) {
  return fmt::format("{:.2f} GiB ({:.2f} to {:.2f})", in_gib(bytes.expected), in_gib(bytes.low),
                     in_gib(bytes.high));
}

std::string fit_text(const CalibratedProfile& fitted) {
  std::string text = fmt::format("largest residual {:.1f} %", 100 * fitted.largest_residual());
  if (fitted.degrees_of_freedom > 0)
    text += fmt::format(", standard error {:.1f} % with {} {} of freedom",
                        100 * fitted.standard_error, fitted.degrees_of_freedom,
                        fitted.degrees_of_freedom == 1 ? "degree" : "degrees");
  const double spread = percentile_95_z * *fitted.profile.spread;
  return text + fmt::format("; the entry claims {:+.1f} to {:+.1f} % (5 to 95 %)",
                            100 * std::expm1(-spread), 100 * std::expm1(spread));
}

void add_profile(std::string& out, const CalibratedProfile& fitted, const CalibrationReport& report,
                 const Style& style) {
  const std::size_t columns = style.columns();
  const MemoryProfile& profile = fitted.profile;
  out += "\n" +
         style.bold(
             fmt::format("Stage {} in {}", report.calibration->stage.id, settings_text(profile))) +
         "\n";
  if (fitted.replaces) {
    const MemoryProfile& old = report.before->training.profiles[*fitted.replaces];
    add_wrapped(out, "Replaces: ",
                fmt::format("{}{}", name_of(old.basis),
                            old.points ? fmt::format(" on {} points", *old.points) : ""),
                columns);
  }
  out += rows_text(fitted, style);
  add_wrapped(out, "Fit: ", fit_text(fitted), columns);
  const CalibratedRow& largest = fitted.largest();
  const MemoryEstimate estimate = estimate_of(largest, report);
  add_wrapped(out, "Largest row: ",
              fmt::format("batch {}{}, clips of {} s: {} allocated, {} on the card",
                          number_text(largest.plan.batch),
                          batch_unit_text(report.calibration->stage.batch_unit),
                          number_text(largest.measurement->clip.count()),
                          gib_text(estimate.allocated), gib_text(estimate.device)),
              columns);
  out += parts_text(fitted, report, style);
  add_wrapped(
      out, "Measured: ",
      fmt::format("batch {}{}, clips of {} s; beyond that the entry extrapolates",
                  span_text(fitted.batch), batch_unit_text(report.calibration->stage.batch_unit),
                  span_text(fitted.clip_s)),
      columns);
  for (const Warning& warning : fitted.warnings)
    add_wrapped(out, "Note: ", printable(warning.message, 600), columns);
}

}  // namespace

std::string term_text(const Term& term) {
  std::string text = bytes_text(term.bytes);
  for (const Variable variable : term.per) text += fmt::format(" x {}", name_of(variable));
  return text;
}

std::string calibration_table(const CalibrationReport& report, const Style& style) {
  const std::size_t columns = style.columns();
  std::size_t rows = 0;
  for (const CalibratedProfile& fitted : report.calibration->profiles) rows += fitted.rows.size();
  std::string out;
  add_wrapped(out, "",
              fmt::format("{}: {} rows of {}",
                          report.overrides ? fmt::format("{} ({}@{})", printable(report.model_name),
                                                         report.model, report.variant)
                                           : fmt::format("{}, a model of your own", report.model),
                          rows, printable(report.file)),
              columns);
  for (const CalibratedProfile& fitted : report.calibration->profiles)
    add_profile(out, fitted, report, style);
  out += "\n";
  for (const SpeedReference& speed : report.speeds)
    add_wrapped(out, "Speed: ",
                fmt::format("{} in {}, batch {} of {} s: {:.3g} passes a second", speed.gpu,
                            name_of(speed.precision), number_text(speed.batch),
                            number_text(speed.mean_clip.count()), speed.steps_per_s),
                columns);
  for (const Warning& warning : report.warnings)
    add_wrapped(out, "Note: ", printable(warning.message, 600), columns);
  if (report.written)
    add_wrapped(out, "Written: ", printable(report.written->string(), 400), columns);
  else
    add_wrapped(out, "Nothing was written: ", "--write FILE.json makes the entry a file", columns);
  // Commands stay on one line, to be copied.
  for (const std::string& command : report.next) out += "  " + printable(command, 600) + "\n";
  return out;
}

}  // namespace vcgpu
