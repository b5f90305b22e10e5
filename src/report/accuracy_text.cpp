#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/accuracy.hpp"
#include "report/text_table.hpp"

namespace vcgpu {

namespace {

// What the design asks of the half that nothing was fitted to.
constexpr double most_missed_ooms = 0.02;
constexpr double most_false_alarms = 0.10;
constexpr double most_tight = 0.20;
constexpr double most_median_error = 0.10;
constexpr double most_p90_error = 0.25;

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct Figure {
  std::string name, value, of, target;
  std::string met{};  // "met", "missed", or empty where nothing was judged
};

std::string readings(std::size_t count) {
  return fmt::format("{} reading{}", count, count == 1 ? "" : "s");
}

Figure counted(std::string name, std::size_t part, std::size_t whole, double most) {
  return {std::move(name), whole == 0 ? "-" : percent(share(part, whole)),
          fmt::format("{} of {}", part, whole), "at most " + percent(most),
          whole == 0                   ? ""
          : share(part, whole) <= most ? "met"
                                       : "missed"};
}

Figure measured(std::string name, const std::optional<double>& value, std::size_t peaks,
                double most) {
  return {std::move(name), value ? percent(*value) : "-", readings(peaks),
          "at most " + percent(most),
          !value           ? ""
          : *value <= most ? "met"
                           : "missed"};
}

std::vector<Figure> figures_of(const AccuracyScore& s) {
  return {
      counted("ran out of memory, called fits", s.missed_ooms, s.judged_failed, most_missed_ooms),
      counted("worked, called does-not-fit", s.false_alarms, s.judged_worked, most_false_alarms),
      counted("called tight", s.tight, s.verdicts(), most_tight),
      measured("error of peaks, median", s.median_error, s.peaks, most_median_error),
      measured("error of peaks, 90th percentile", s.p90_error, s.peaks, most_p90_error),
      {"readings inside low to high", s.inside_range ? percent(*s.inside_range) : "-",
       readings(s.peaks), "90 % by design"},
      {"memory paid for and not used, median", s.median_waste ? percent(*s.median_waste) : "-",
       readings(s.peaks), ""}};
}

struct ModelRow {
  std::string model;
  AccuracyScore score;
};

std::vector<ModelRow> model_rows(std::span<const Judgement> judgements) {
  std::vector<ModelRow> rows;
  for (auto& [model, model_score] : score_by_model(judgements)) {
    if (model_score.reports > 0) rows.push_back({model, model_score});
  }
  return rows;
}

std::vector<std::string> cells_of(const ModelRow& row) {
  const AccuracyScore& s = row.score;
  return {row.model,
          fmt::format("{}", s.reports),
          fmt::format("{}/{}", s.missed_ooms, s.judged_failed),
          fmt::format("{}/{}", s.false_alarms, s.judged_worked),
          fmt::format("{}", s.tight),
          fmt::format("{}", s.peaks),
          s.median_error ? percent(*s.median_error) : "-",
          s.p90_error ? percent(*s.p90_error) : "-"};
}

const std::vector<std::string>& model_titles() {
  static const std::vector<std::string> titles{"model", "reports", "missed oom", "false alarm",
                                               "tight", "peaks",   "median",     "90 %"};
  return titles;
}

bool is_miss(const Judgement& judgement) {
  return judgement.missed_oom() || judgement.false_alarm() ||
         (judgement.error && std::abs(*judgement.error) > most_p90_error);
}

std::string miss_text(const Judgement& judgement) {
  const EvidenceReport& r = *judgement.report;
  std::string text = fmt::format("{} {}", r.id, judgement.model);
  if (!r.variant.empty()) text += "@" + r.variant;
  if (!r.stage.empty()) text += " " + r.stage;
  text += ": ";
  if (judgement.measured)
    text +=
        fmt::format("{:.2f} GiB read, {:.2f} estimated ({:+.0f} %)", in_gib(*judgement.measured),
                    in_gib(judgement.predicted.expected), *judgement.error * 100);
  if (judgement.fit) {
    if (judgement.measured) text += "; ";
    text += fmt::format("{}, called {}: {:.1f} GiB estimated, {:.1f} usable",
                        judgement.failed() ? "ran out" : "worked", name_of(judgement.fit->verdict),
                        in_gib(judgement.predicted.expected), in_gib(judgement.usable));
  }
  if (!r.assumed.empty()) text += fmt::format(". Assumed: {}", joined(r.assumed));
  text += ". " + r.note + " " + r.finding;
  return text + (text.ends_with(' ') ? "" : " ") + "[" + r.source + "]";
}

std::vector<std::string> misses_of(const AccuracyReport& report) {
  std::vector<std::string> misses;
  for (const Judgement& judgement : report.testing) {
    if (is_miss(judgement)) misses.push_back(miss_text(judgement));
  }
  return misses;
}

// Reason -> how many.
std::map<std::string, std::size_t> not_judged_of(const AccuracyReport& report) {
  std::map<std::string, std::size_t> reasons;
  for (const auto& list : {report.testing, report.fitting}) {
    for (const Judgement& judgement : list) {
      if (!judgement.not_judged.empty()) ++reasons[judgement.not_judged];
    }
  }
  return reasons;
}

std::string head_of(const AccuracyReport& report, const AccuracyScore& s) {
  if (report.fitting.empty())
    return fmt::format("Back-test on {} reports of {} threads from {}.", s.reports, s.threads,
                       printable(report.evidence, 200));
  return fmt::format(
      "Back-test on {} public reports of {} threads, the half that no constant was fitted to.",
      s.reports, s.threads);
}

std::string fitting_of(const AccuracyReport& report) {
  const AccuracyScore s = score(report.fitting);
  return fmt::format(
      "The half that constants were fitted to, {} reports of {} threads: ran out but called fits "
      "{} of {}, worked but called does-not-fit {} of {}, tight {} of {}, error of {} peaks {} in "
      "the median and {} at the 90th percentile.",
      s.reports, s.threads, s.missed_ooms, s.judged_failed, s.false_alarms, s.judged_worked,
      s.tight, s.verdicts(), s.peaks, s.median_error ? percent(*s.median_error) : "-",
      s.p90_error ? percent(*s.p90_error) : "-");
}

}  // namespace

std::string accuracy_text(const AccuracyReport& report, const Style& style) {
  const AccuracyScore total = score(report.testing);
  const std::size_t columns = style.columns();
  std::string out = wrapped_behind("", head_of(report, total), columns);
  out += "\n";
  using Align = TextColumn::Align;
  TextRows rows;
  for (const Figure& figure : figures_of(total))
    rows.push_back({figure.name, figure.value, figure.of, figure.target, figure.met});
  out += text_table({{"", Align::left},
                     {"", Align::right},
                     {"", Align::right, 2},
                     {"target", Align::left, 1},
                     {"", Align::left}},
                    std::move(rows), {.columns = columns, .indent = "  "}, style);
  out += "\n";
  TextRows models;
  for (const ModelRow& row : model_rows(report.testing)) models.push_back(cells_of(row));
  std::vector<TextColumn> titles;
  for (const std::string& title : model_titles())
    titles.push_back({title, title == "model" ? Align::left : Align::right, title == "90 %" ? 1 : 0,
                      title == "model"});
  out += text_table(titles, std::move(models), {.columns = columns, .indent = "  "}, style);
  if (report.show_misses) {
    out += "\nMisses: a wrong verdict, or a peak off by more than 25 %\n";
    for (const std::string& miss : misses_of(report))
      out += wrapped_behind("  ", printable(miss, 2000), columns);
  }
  if (!report.fitting.empty()) out += "\n" + wrapped_behind("", fitting_of(report), columns);
  const auto not_judged = not_judged_of(report);
  if (!not_judged.empty()) out += "\nNot judged:\n";
  for (const auto& [reason, count] : not_judged)
    out += wrapped_behind(
        "  ",
        fmt::format("{} {}: {}", count, count == 1 ? "report" : "reports", printable(reason, 300)),
        columns);
  return out;
}

std::string accuracy_markdown(const AccuracyReport& report) {
  const AccuracyScore total = score(report.testing);
  std::string out = "# Accuracy of the memory estimates\n\n";
  out += "Made by `vcgpu accuracy -o markdown`; a test fails where it is stale.\n\n";
  out += head_of(report, total) + "\n\n";
  out += "| | share | of | target | |\n|---|---:|---:|---|---|\n";
  for (const Figure& figure : figures_of(total))
    out += fmt::format("| {} | {} | {} | {} | {} |\n", figure.name, figure.value, figure.of,
                       figure.target, figure.met);
  if (!report.fitting.empty()) out += "\n" + fitting_of(report) + "\n";
  out +=
      "\nReports are halved by a hash of their thread, so that one thread never stands on both "
      "sides. A report is run with what it states and the project's defaults for the rest. "
      "Missed oom: ran out of memory and was called fits, of those that ran out. False alarm: "
      "worked and was called does-not-fit, of those that worked. An error is of estimated against "
      "read memory, without its sign; of several readings in one thread each counts a part.\n\n## "
      "By model\n\n|";
  for (const std::string& title : model_titles()) out += " " + title + " |";
  out += "\n|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const ModelRow& row : model_rows(report.testing)) {
    out += "|";
    for (const std::string& cell : cells_of(row)) out += " " + cell + " |";
    out += "\n";
  }
  out += "\n## Misses\n\nA wrong verdict, or a peak off by more than 25 %.\n\n";
  for (const std::string& miss : misses_of(report)) out += "- " + printable(miss, 2000) + "\n";
  const auto not_judged = not_judged_of(report);
  if (!not_judged.empty()) out += "\n## Not judged\n\n";
  for (const auto& [reason, count] : not_judged)
    out += fmt::format("- {} {}: {}\n", count, count == 1 ? "report" : "reports",
                       printable(reason, 300));
  return out;
}

}  // namespace vcgpu
