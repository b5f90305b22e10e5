#include "report/table.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

std::string task_text(Task task) {
  switch (task) {
    case Task::train:
      return "Train";
    case Task::finetune:
      return "Fine-tune";
    case Task::realtime:
      return "Serve";
    case Task::batch:
      return "Synthesise with";
  }
  return "?";
}

std::string unit_text(BatchUnit unit) {
  return unit == BatchUnit::clips ? "" : unit == BatchUnit::frames ? " frames" : " s";
}

// "6 x 4 fp16 ckpt"
std::string plan_text(const GroupPlan& plan, const Style& style) {
  if (plan.inference)
    return fmt::format("{} {}", name_of(plan.inference->precision),
                       plan.inference->streams_per_gpu > 1
                           ? fmt::format("{} streams", plan.inference->streams_per_gpu)
                           : "1 stream");
  const PlannedStage& stage = plan.stages[plan.peak_stage];
  const StagePlan& settings = stage.plan;
  std::string text = fmt::format("{} b{}{}", stage.workload->stage->id, number_text(settings.batch),
                                 unit_text(stage.workload->stage->batch_unit));
  if (settings.grad_accum > 1) text += style.times() + number_text(settings.grad_accum);
  text += fmt::format(" {}", name_of(settings.precision));
  if (settings.method == Method::lora) text += fmt::format(" r{}", settings.lora_rank);
  if (settings.checkpointing) text += " ckpt";
  return text;
}

std::string gib_text(const GroupPlan& plan) {
  if (plan.group.gpu->id == "none") return fmt::format("{:.1f} GiB", in_gib(plan.device.expected));
  return fmt::format("{:.1f}/{:.1f} GiB", in_gib(plan.device.expected), in_gib(plan.usable));
}

double fill_of(const GroupPlan& plan) {
  return plan.usable.count() > 0 ? plan.device.expected / plan.usable : 1;
}

std::string time_text(const Candidate& candidate, const Style& style) {
  if (candidate.plan->inference && candidate.plan->speed && !candidate.wall)
    return fmt::format("RTF {:.2f}", candidate.plan->speed->rtf.expected);
  if (!candidate.wall) return "time unknown";
  const auto coarse = [](Seconds time) {
    return duration_text(time.count() >= 60 ? Seconds(60 * std::round(time.count() / 60)) : time);
  };
  return style.span(coarse(candidate.wall->low), coarse(candidate.wall->high));
}

std::string cost_text(const Candidate& candidate, const Style& style) {
  if (!candidate.cost) return "";
  const Cost& cost = *candidate.cost;
  if (cost.per_month) return "$" + money_text(cost.total.expected) + "/month";
  return "$" + style.span(money_text(cost.total.low), money_text(cost.total.high));
}

std::string price_text(const Candidate& candidate, int old_after_days) {
  std::string text = fmt::format("${}/h", rate_text(candidate.offer->usd_per_hour));
  if (candidate.instances > 1)
    text += fmt::format(" each, {} of them", number_text(candidate.instances));
  if (candidate.price_age_days > old_after_days)
    text += fmt::format(" ({} d old)", candidate.price_age_days);
  return text;
}

std::string offer_text(const Candidate& candidate) {
  const Offer& offer = *candidate.offer;
  std::string text = printable(candidate.provider->name, 30);
  if (offer.tier == "community" || offer.tier == "secure") text += " " + offer.tier;
  return text + " " + printable(offer.pricing, 20);
}

void add_wrapped(std::string& out, std::string_view lead, std::string_view text,
                 std::size_t columns) {
  const std::size_t indent = display_width(lead);
  bool first = true;
  for (const std::string& line : wrapped(text, columns > indent + 20 ? columns - indent : 20)) {
    out += first ? std::string(lead) : std::string(indent, ' ');
    out += line + "\n";
    first = false;
  }
}

std::string padded(const std::string& shown, std::string_view plain, std::size_t columns) {
  const std::size_t width = display_width(plain);
  return width < columns ? shown + std::string(columns - width, ' ') : shown;
}

std::string verdict_cell(const Candidate& candidate, const Style& style, std::size_t columns) {
  if (candidate.plan->group.gpu->id == "none") return std::string(columns, ' ');
  const std::string_view plain = candidate.plan->fit.verdict == Verdict::fits    ? "fits"
                                 : candidate.plan->fit.verdict == Verdict::tight ? "tight"
                                                                                 : "does not fit";
  return padded(style.verdict(candidate.plan->fit.verdict), plain, columns);
}

void add_row(std::string& out, const Candidate& candidate, const Answer& answer,
             const Style& style) {
  const int old_after = answer.catalog->assumptions().prices.old_after_days;
  const GroupPlan& plan = *candidate.plan;
  std::string first = fmt::format("{:>3}. ", candidate.rank);
  first += candidate.offer != nullptr ? style.bold(fitted(short_gpu_name(plan.group), 24))
                                      : style.bold(short_gpu_name(plan.group));
  if (candidate.offer != nullptr)
    first += " " + fitted(offer_text(candidate), 29) + " " + price_text(candidate, old_after);
  std::string second = "     " + fitted(plan_text(plan, style), 18) + " ";
  const std::string memory = gib_text(plan);
  second += plan.group.gpu->id == "none" ? fitted(memory, 22)
                                         : style.bar(fill_of(plan), 6) + " " + fitted(memory, 15);
  second += " " + verdict_cell(candidate, style, candidate.offer != nullptr ? 6 : 13);
  second += fitted(time_text(candidate, style), 14) + " " + cost_text(candidate, style);
  while (second.ends_with(' ')) second.pop_back();
  while (first.ends_with(' ')) first.pop_back();
  out += first + "\n" + second + "\n";
}

void add_memory(std::string& out, const Answer& answer, const Candidate& candidate,
                const Style& style) {
  const MemoryEstimate memory = memory_of(
      *answer.workload, *candidate.plan, candidate.plan->peak_stage, answer.catalog->assumptions());
  const std::string stage =
      candidate.plan->inference
          ? "inference"
          : "stage " + candidate.plan->stages[candidate.plan->peak_stage].workload->stage->id;
  out += fmt::format(
      "\nPeak of {}, {} ({}): {:.1f} GiB on the card ({:.1f} to {:.1f}), {:.1f} GiB allocated\n",
      stage, memory.peak_phase, name_of(memory.basis), in_gib(memory.device.expected),
      in_gib(memory.device.low), in_gib(memory.device.high), in_gib(memory.allocated.expected));
  for (const MemoryComponent& component : memory.components)
    out += fmt::format("  {} {:>8.3f} GiB  {}  {}\n", fitted(printable(component.name, 44), 44),
                       in_gib(component.bytes),
                       style.bar(component.bytes / memory.device.expected, 12),
                       style.dim(name_of(component.basis)));
}

void add_alternatives(std::string& out, const Answer& answer, const Style& style) {
  const int old_after = answer.catalog->assumptions().prices.old_after_days;
  for (const Alternative& alternative : answer.recommendation->alternatives) {
    const Candidate& candidate = alternative.candidate;
    const std::string lead = alternative.axis == "fastest"    ? "Fastest: "
                             : alternative.axis == "cheapest" ? "Cheapest: "
                                                              : "Most reliable: ";
    add_wrapped(out, lead,
                fmt::format("{}, {}, {}: {}, {}", short_gpu_name(candidate.plan->group),
                            offer_text(candidate), price_text(candidate, old_after),
                            time_text(candidate, style), cost_text(candidate, style)),
                style.columns());
  }
}

void add_rejections(std::string& out, const Answer& answer, const Style& style) {
  std::map<std::string, std::size_t> by_code;
  std::size_t offers = 0;
  std::size_t filtered = 0;
  for (const Rejection& rejection : answer.recommendation->rejections) {
    if (rejection.filtered) {
      filtered += rejection.offers;
      continue;
    }
    by_code[rejection.code] += rejection.offers;
    offers += rejection.offers;
  }
  std::string text =
      fmt::format("{} of {} offers", offers + filtered, answer.recommendation->considered);
  std::vector<std::string> parts;
  for (const auto& [code, count] : by_code) parts.push_back(fmt::format("{} {}", count, code));
  if (filtered > 0) parts.push_back(fmt::format("{} by your filters and the defaults", filtered));
  if (!parts.empty()) text += ": " + joined(parts);
  if (answer.recommendation->statistics_only > 0)
    text += fmt::format("; {} market statistics are not offers",
                        answer.recommendation->statistics_only);
  add_wrapped(out, "Left out: ", text, style.columns());
  if (!answer.show_rejected) return;
  for (const Rejection& rejection : answer.recommendation->rejections) {
    const std::string gpu = rejection.plan != nullptr    ? short_gpu_name(rejection.plan->group)
                            : rejection.offer != nullptr ? rejection.offer->gpu
                                                         : "";
    const std::string where =
        rejection.offer != nullptr
            ? fmt::format(", {} {}", rejection.provider->name, rejection.offer->sku)
            : fmt::format(" ({} offers)", rejection.offers);
    const std::string fix =
        rejection.nearest_fix.empty() ? "" : fmt::format(" -> {}", rejection.nearest_fix);
    add_wrapped(
        out, "  - ",
        printable(fmt::format("{}{}: {}: {}{}", gpu, where, rejection.code, rejection.message, fix),
                  400),
        style.columns());
  }
}

// When nothing is left: what came nearest.
void add_nearest(std::string& out, const Answer& answer, const Style& style) {
  std::vector<const Rejection*> nearest;
  for (const Rejection& rejection : answer.recommendation->rejections) {
    if (!rejection.nearest_fix.empty()) nearest.push_back(&rejection);
  }
  const auto missing = [](const Rejection* rejection) {
    return rejection->plan != nullptr ? rejection->plan->fit.oom_probability : 2;
  };
  std::stable_sort(nearest.begin(), nearest.end(), [&](const Rejection* a, const Rejection* b) {
    if (missing(a) != missing(b)) return missing(a) < missing(b);
    const auto usable = [](const Rejection* r) {
      return r->plan != nullptr ? r->plan->usable.count() : 0;
    };
    return usable(a) > usable(b);
  });
  out += "Nothing satisfies the request.\n";
  if (!nearest.empty()) out += "Nearest misses:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(nearest.size(), 5); ++i) {
    const Rejection& rejection = *nearest[i];
    const std::string gpu =
        rejection.plan != nullptr ? short_gpu_name(rejection.plan->group) : rejection.offer->gpu;
    add_wrapped(out, "  - ",
                fmt::format("{}: {}. Try {}", gpu, rejection.message, rejection.nearest_fix),
                style.columns());
  }
}

void add_head(std::string& out, const Answer& answer, const Style& style) {
  const Recommendation& recommendation = *answer.recommendation;
  const GroupPlan* best =
      recommendation.candidates.empty() ? nullptr : recommendation.candidates.front().plan;
  for (const std::string& paragraph : split(workload_text(*answer.workload, best), '\n'))
    add_wrapped(out, "", paragraph, style.columns());
  for (const Warning& warning : answer.workload->warnings)
    add_wrapped(out, "Note: ", printable(warning.message, 400), style.columns());
  out += "\n";
}

void add_foot(std::string& out, const Answer& answer, const Style& style) {
  const Recommendation& recommendation = *answer.recommendation;
  const bool offered = answer.command == "recommend";
  if (recommendation.candidates.empty()) {
    add_nearest(out, answer, style);
  } else {
    const Candidate& best = recommendation.candidates.front();
    if (offered && recommendation.total > recommendation.candidates.size())
      out += fmt::format(
          "{}\n", style.dim(fmt::format("     {} of {} shown; --limit 0 for all",
                                        recommendation.candidates.size(), recommendation.total)));
    if (!offered && recommendation.candidates.size() == 1) add_memory(out, answer, best, style);
    out += "\n";
    std::vector<std::string> messages;
    for (const Reason& reason : best.reasons) messages.push_back(reason.message);
    if (!messages.empty())
      add_wrapped(out, offered ? "Why #1: " : "Mind: ", printable(joined(messages, "; "), 1200),
                  style.columns());
    add_alternatives(out, answer, style);
  }
  if (offered) {
    add_rejections(out, answer, style);
    add_wrapped(
        out, "Prices: ",
        fmt::format(
            "{} catalog of {}, no network used; ranges are 5 to 95 %. Details: --explain, -o json",
            answer.catalog->info().origin, answer.catalog->info().as_of),
        style.columns());
  } else if (!recommendation.rejections.empty()) {
    for (const Rejection& rejection : recommendation.rejections)
      add_wrapped(
          out, "  - ",
          fmt::format("{}: {}{}", short_gpu_name(rejection.plan->group), rejection.message,
                      rejection.nearest_fix.empty() ? "" : ". Try " + rejection.nearest_fix),
          style.columns());
  }
}

}  // namespace

std::string workload_text(const Workload& workload, const GroupPlan* best) {
  const VoiceModel& model = workload.model();
  std::string text =
      fmt::format("{} {} ({}@{})", task_text(workload.task), printable(workload.variant().name, 80),
                  model.id, workload.variant().id);
  if (workload.inference) {
    const InferenceWorkload& inference = *workload.inference;
    if (workload.task == Task::batch) {
      text += fmt::format(
          ": {} of audio in requests of {}, {}\nThe amount decides time and cost: --volume.",
          duration_text(inference.volume.value), duration_text(inference.output.value),
          name_of(inference.precision.value));
    } else {
      text += fmt::format(
          ": {} stream{} active {:.0f} % of {} h a day, requests of {}, {}\nHow many speak at once "
          "decides the machines: --streams, --duty.",
          inference.streams.value, inference.streams.value == 1 ? "" : "s",
          inference.duty.value * 100, number_text(inference.hours_per_day.value),
          duration_text(inference.output.value), name_of(inference.precision.value));
    }
    return text;
  }
  text += fmt::format(": {} of audio", duration_text(workload.dataset.value));
  std::vector<std::string> stages;
  for (const StageWorkload& stage : workload.stages) {
    std::string part = stage.stage->id + " ";
    part += stage.epochs ? fmt::format("{} epochs", number_text(stage.epochs->value))
                         : fmt::format("{} steps", stage.steps->value);
    stages.push_back(part);
  }
  Seconds longest{};
  Origin origin = Origin::model_default;
  for (const StageWorkload& stage : workload.stages) {
    if (stage.max_clip.value < longest) continue;
    longest = stage.max_clip.value;
    origin = stage.max_clip.origin;
  }
  text += fmt::format(", {}, clips up to {}", joined(stages, ", "), duration_text(longest));
  if (best != nullptr && !best->stages.empty())
    text += fmt::format(", {}", name_of(best->stages[best->peak_stage].plan.precision));
  text +=
      origin == Origin::model_default
          ? "\nThe longest clip decides memory and is a guess here: set it with --max-clip."
          : "\nThe longest clip decides memory; the amount of audio and the epochs decide time.";
  return text;
}

std::string answer_table(const Answer& answer, const Style& style) {
  std::string out;
  add_head(out, answer, style);
  for (const Candidate& candidate : answer.recommendation->candidates)
    add_row(out, candidate, answer, style);
  add_foot(out, answer, style);
  return out;
}

std::string answer_wide(const Answer& answer, const Style& style) {
  std::string out;
  add_head(out, answer, style);
  const int old_after = answer.catalog->assumptions().prices.old_after_days;
  const bool offered = answer.command == "recommend";
  out += style.bold(
      fmt::format("{:>4} {:<26} {}{:<20} {:<24} {:<13} {:<18} {:<20}{}", "#", "GPU",
                  offered ? fmt::format("{:<18} {:<11} {:<10} {:<22} {:<18} ", "provider",
                                        "pricing", "tier", "region", "price")
                          : "",
                  "plan", "peak / usable", "verdict", "time", "total", offered ? "  as of" : ""));
  while (out.ends_with(' ')) out.pop_back();
  out += "\n";
  for (const Candidate& candidate : answer.recommendation->candidates) {
    const GroupPlan& plan = *candidate.plan;
    std::string line =
        fmt::format("{:>4} {} ", candidate.rank, fitted(short_gpu_name(plan.group), 26));
    if (offered) {
      const Offer& offer = *candidate.offer;
      line += fmt::format("{} {} {} {} {} ", fitted(printable(candidate.provider->name), 18),
                          fitted(printable(offer.pricing), 11), fitted(printable(offer.tier), 10),
                          fitted(offer.regions.empty() ? "" : printable(offer.regions.front()), 22),
                          fitted(price_text(candidate, old_after), 18));
    }
    line += fmt::format("{} {} {} {} {} {}", fitted(plan_text(plan, style), 20),
                        style.bar(fill_of(plan), 8), fitted(gib_text(plan), 15),
                        verdict_cell(candidate, style, 13), fitted(time_text(candidate, style), 18),
                        fitted(cost_text(candidate, style), 20));
    if (offered) line += "  " + candidate.offer->as_of;
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  add_foot(out, answer, style);
  return out;
}

}  // namespace vcgpu
