#include "report/fit_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/cells.hpp"
#include "report/text_table.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

void add_line(std::string& out, std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  out += line + "\n";
}

std::string gib_number(Bytes bytes) {
  return fmt::format("{:.{}f}", in_gib(bytes), in_gib(bytes) < 99.95 ? 1 : 0);
}

// "10.3 (9.6-11.4)": the expected peak, from the 5th to the 95th percentile.
std::string peak_text(const Range<Bytes>& device) {
  return fmt::format("{} ({}-{})", gib_number(device.expected), gib_number(device.low),
                     gib_number(device.high));
}

std::string rung_settings(const Rung& rung, const Style& style) {
  return rung.training ? settings_text(*rung.training, style) : settings_text(*rung.serving);
}

// What a rung changes besides what its settings show.
std::string particulars(const Rung& rung) {
  if (rung.lever == "shorter-clips")
    return fmt::format("clips up to {}; ", duration_text(rung.longest));
  if (rung.lever == "shorter-output")
    return fmt::format("pieces of {}; ", duration_text(rung.longest));
  if (rung.lever == "context" && rung.context_tokens)
    return fmt::format("{} tokens; ", number_text(*rung.context_tokens));
  if (rung.lever == "reference" && rung.reference)
    return fmt::format("{}; ", duration_text(*rung.reference));
  return "";
}

std::string given_back(const StageFit& stage, const Rung& rung) {
  std::vector<std::string> names;
  for (const std::string& lever : rung.not_needed) {
    const auto pulled = std::find_if(stage.ladder.begin(), stage.ladder.end(),
                                     [&](const Rung& r) { return r.lever == lever; });
    names.push_back(pulled != stage.ladder.end() ? pulled->name : lever);
  }
  return names.empty() ? "" : joined(names) + " no longer needed; ";
}

// "time 9m; " of the recipe, then "time ×1.21, 11m; ".
std::string time_text(const Rung& rung, const Style& style) {
  if (!rung.time && !rung.time_factor) return "";
  const bool factor = rung.time_factor && rung.lever != "recipe";
  std::string text = "time";
  if (factor) text += fmt::format(" {}{:.2f}", style.times(), *rung.time_factor);
  if (rung.time) {
    const double seconds = rung.time->expected.count();
    text += (factor ? ", " : " ") +
            duration_text(Seconds(seconds < 60 ? seconds : 60 * std::round(seconds / 60)));
  }
  return text == "time" ? "" : text + "; ";
}

void add_rung(std::string& out, const StageFit& stage, std::size_t at, const Style& style) {
  const Rung& rung = stage.ladder[at];
  const std::string verdict = std::string(
      rung.fit.verdict == Verdict::does_not_fit ? "does not fit" : name_of(rung.fit.verdict));
  const std::string padding(12 - std::min<std::size_t>(verdict.size(), 12), ' ');
  add_line(out, fmt::format("{} {} {} {} {}{} {:>3.0f} %", stage.recommended == at ? "->" : "  ",
                            fitted(rung.name, 22), fitted(rung_settings(rung, style), 18),
                            fitted(peak_text(rung.device), 16), style.verdict(rung.fit.verdict),
                            padding, rung.fit.oom_probability * 100));
  std::string text = particulars(rung) + given_back(stage, rung) + time_text(rung, style);
  if (at == 0) {
    if (!text.empty()) add_line(out, "      " + text.substr(0, text.size() - 2));
    return;
  }
  text += fmt::format("quality: {}; {}", name_of(rung.cost), rung.quality);
  add_wrapped(out, "      ", text, style.columns());
}

void add_limits(std::string& out, const StageFit& stage, const Style& style) {
  const Rung* chosen = stage.chosen();
  if (chosen == nullptr || !chosen->training) return;
  const std::string unit =
      stage.batch_unit == BatchUnit::clips ? "" : fmt::format(" {}", name_of(stage.batch_unit));
  std::string text;
  if (stage.largest_batch)
    text = fmt::format("largest batch {}{} at clips of {}; ", number_text(*stage.largest_batch),
                       unit, duration_text(chosen->longest));
  if (stage.longest_clip)
    text += fmt::format("longest clip {}{} at batch {}{}", duration_text(*stage.longest_clip),
                        stage.cap_clip == stage.longest_clip ? " (the trainer's cap)" : "",
                        number_text(chosen->training->batch), unit);
  if (!text.empty()) add_wrapped(out, "   Room: ", text, style.columns());
}

// By file, in the order in which files come up first.
void add_settings(std::string& out, const StageFit& stage, const Style& style) {
  if (stage.settings.empty()) return;
  out += "   Type this:\n";
  std::vector<std::string> files;
  for (const ConfigSetting& setting : stage.settings) {
    if (!setting.key.empty() && std::find(files.begin(), files.end(), setting.file) == files.end())
      files.push_back(setting.file);
  }
  for (const std::string& file : files) {
    if (!file.empty()) add_wrapped(out, "     # ", "in " + printable(file, 120), style.columns());
    for (const ConfigSetting& setting : stage.settings) {
      if (setting.key.empty() || setting.file != file) continue;
      const std::string line =
          printable(fmt::format("     {}: {}", setting.key, setting.value), 120);
      if (setting.note.empty())
        add_line(out, line);
      else
        add_wrapped(out, line + "  ", "# " + printable(setting.note, 120), style.columns());
    }
  }
  for (const ConfigSetting& setting : stage.settings) {
    if (setting.key.empty())
      add_wrapped(
          out, "     # ",
          fmt::format("and {}: {} ({})", setting.setting, printable(setting.value, 60),
                      setting.note.empty() ? "its key is not known" : printable(setting.note, 160)),
          style.columns());
  }
}

void add_missing(std::string& out, const StageFit& stage, const Style& style) {
  std::vector<std::string> parts;
  for (const MissingLever& lever : stage.missing)
    parts.push_back(fmt::format("{}: {}", lever.lever, printable(lever.why, 160)));
  if (!parts.empty()) add_wrapped(out, "   Not available: ", joined(parts, "; "), style.columns());
}

void add_grid(std::string& out, const StageFit& stage, const Style& style) {
  if (stage.grid.empty()) return;
  std::vector<TextColumn> columns{{.title = fmt::format("clip \\ batch")}};
  for (const GridCell& cell : stage.grid) {
    if (cell.clip != stage.grid.front().clip) break;
    columns.push_back({.title = number_text(cell.batch), .align = TextColumn::Align::right});
  }
  TextRows rows;
  for (const GridCell& cell : stage.grid) {
    if (rows.empty() || rows.back().size() == columns.size())
      rows.push_back({duration_text(cell.clip)});
    const std::string_view word = cell.verdict == Verdict::fits    ? "fits"
                                  : cell.verdict == Verdict::tight ? "tight"
                                                                   : "no";
    rows.back().push_back(fmt::format("{} {}", gib_number(cell.expected), word));
  }
  out += text_table(columns, std::move(rows), {.columns = style.columns(), .indent = "   "}, style);
}

void add_stage(std::string& out, const GpuFit& fit, const StageFit& stage, const FitDetail& detail,
               const Style& style) {
  const bool inference = fit.workload.inference.has_value();
  add_line(out, style.bold(fmt::format("   {}{:<{}} {:<18} {:<16} {:<12}   OOM",
                                       inference ? "" : "Stage ", stage.stage, inference ? 22 : 16,
                                       "settings", "peak GiB", "verdict")));
  for (std::size_t at = 0; at < stage.ladder.size(); ++at) {
    if (stage.ladder[at].more_room && !detail.more_room) break;
    add_rung(out, stage, at, style);
  }
  for (const FixedSetting& setting : stage.fixed)
    add_wrapped(
        out, "   ",
        printable(
            setting.without.empty()
                ? fmt::format("You set {}; left out, it does not fit either", setting.flag)
                : fmt::format("You set {}; left out, it fits: {}", setting.flag, setting.without),
            200),
        style.columns());
  const Rung* chosen = stage.chosen();
  if (detail.missing || chosen == nullptr || chosen->fit.verdict == Verdict::tight)
    add_missing(out, stage, style);
  add_limits(out, stage, style);
  if (detail.grid) add_grid(out, stage, style);
  add_settings(out, stage, style);
}

std::string headline(const GpuFit& fit) {
  if (!fit.solved()) return "nothing makes it fit";
  std::size_t changes = 0;
  bool tight = false;
  for (const StageFit& stage : fit.stages) {
    changes += *stage.recommended;
    tight = tight || stage.chosen()->fit.verdict == Verdict::tight;
  }
  std::string text = changes == 0 ? "fits as the recipe has it" : "fits with changes (->)";
  return tight ? "tight at best" : text;
}

void add_gpu(std::string& out, const GpuFit& fit, const FitDetail& detail, const Style& style) {
  add_wrapped(
      out, "",
      fmt::format("{}, {:.1f} GiB usable{}: {}", short_gpu_name(fit.plan.group),
                  in_gib(fit.plan.usable), fit.plan.group.gpus() > 1 ? " each" : "", headline(fit)),
      style.columns());
  if (!fit.note.empty())
    add_wrapped(out, "   ", "As the recipe has it" + fit.note, style.columns());
  for (const StageFit& stage : fit.stages) add_stage(out, fit, stage, detail, style);
  const auto add_other = [&](const std::optional<OtherHardware>& other) {
    if (!other) return;
    add_wrapped(out, "   Or: ",
                fmt::format("{}, {:.1f} GiB usable{}: {}, peak {} GiB",
                            short_gpu_name({other->gpu, static_cast<double>(other->count)}),
                            in_gib(other->usable), other->count > 1 ? " each" : "",
                            other->by_recipe   ? "the smallest card that needs no change"
                            : other->count > 1 ? "the fewest that share it out"
                                               : "the smallest card that does it",
                            gib_number(other->device.expected)),
                style.columns());
  };
  add_other(fit.more_gpus);
  add_other(fit.another_card);
}

}  // namespace

std::string fit_table(const Answer& answer, const FitAnswer& fit, const FitDetail& detail,
                      const Style& style) {
  std::string out;
  const std::vector<Candidate>& candidates = answer.recommendation->candidates;
  const GroupPlan* best = candidates.empty() ? nullptr : candidates.front().plan;
  for (const std::string& paragraph : split(workload_text(*answer.workload, best), '\n'))
    add_wrapped(out, "", paragraph, style.columns());
  for (const Warning& warning : answer.workload->warnings)
    add_wrapped(out, "Note: ", printable(warning.message, 400), style.columns());
  bool hidden = false;
  for (const Candidate& candidate : candidates) {
    out += "\n";
    const GpuFit& of = fit.of(candidate);
    add_gpu(out, of, detail, style);
    for (const StageFit& stage : of.stages)
      hidden = hidden || (!stage.ladder.empty() && stage.ladder.back().more_room);
  }
  for (const Rejection& rejection : answer.recommendation->rejections)
    add_wrapped(out, "\n  - ",
                fmt::format("{}: {}{}", short_gpu_name(rejection.plan->group), rejection.message,
                            rejection.nearest_fix.empty() ? "" : ". Try " + rejection.nearest_fix),
                style.columns());
  if (candidates.empty()) return out;
  out += "\n";
  add_wrapped(
      out, "",
      fmt::format("Each rung keeps the levers above it that are still needed. OOM: chance to "
                  "run out of memory.{}",
                  hidden && !detail.more_room ? " More room: --all." : ""),
      style.columns());
  return out;
}

}  // namespace vcgpu
