#include "report/explain.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/cells.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

void add_memory(std::string& out, const Answer& answer, const Candidate& candidate,
                const Style& style) {
  const GroupPlan& plan = *candidate.plan;
  const MemoryEstimate memory =
      memory_of(*answer.workload, plan, plan.peak_stage, answer.catalog->assumptions());
  const std::string stage = plan.inference
                                ? std::string("inference")
                                : "stage " + plan.stages[plan.peak_stage].workload->stage->id;
  add_wrapped(
      out, "     ",
      fmt::format("Peak in {}, {} ({}): {:.2f} GiB on the card ({:.2f} to {:.2f}), {:.2f} GiB "
                  "allocated",
                  stage, memory.peak_phase, name_of(memory.basis), in_gib(memory.device.expected),
                  in_gib(memory.device.low), in_gib(memory.device.high),
                  in_gib(memory.allocated.expected)),
      style.columns());
  for (const MemoryComponent& component : memory.components) {
    const std::string lead = fmt::format("     {:>7.2f} GiB {} ", in_gib(component.bytes),
                                         style.bar(component.bytes / memory.device.expected, 10));
    add_wrapped(out, lead,
                fmt::format("{} ({})", printable(component.name, 80), name_of(component.basis)),
                style.columns());
  }
}

void add_cost_lines(std::string& out, const Candidate& candidate) {
  if (!candidate.cost) return;
  out += fmt::format("     Total ${} ({} to {}):\n", money_text(candidate.cost->total.expected),
                     money_text(candidate.cost->total.low), money_text(candidate.cost->total.high));
  for (const CostLine& line : candidate.cost->lines)
    out += fmt::format("     {:>9} = {:.3f} {} x ${:.4g}, {}\n", "$" + money_text(line.usd),
                       line.quantity, line.unit, line.unit_price_usd, line.name);
}

void add_reasons(std::string& out, const Candidate& candidate, const Style& style) {
  std::vector<std::string> good;
  std::vector<std::string> mind;
  for (const Reason& reason : candidate.reasons)
    (reason.effect == "prefer" ? good : mind).push_back(printable(reason.message, 300));
  const std::string why =
      candidate.offer != nullptr ? fmt::format("Why #{}: ", candidate.rank) : "Memory: ";
  if (!good.empty()) add_wrapped(out, why, joined(good, "; "), style.columns());
  if (!mind.empty()) add_wrapped(out, "Mind: ", joined(mind, "; "), style.columns());
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
  std::map<std::string, std::size_t> by_filter;
  for (const Rejection& rejection : answer.recommendation->rejections) {
    if (rejection.filtered) {
      by_filter[rejection.code] += rejection.offers;
      continue;
    }
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
  for (const auto& [code, count] : by_filter)
    add_wrapped(out, "  - ", fmt::format("{}: {} offers", code, count), style.columns());
}

void add_nearest(std::string& out, const Answer& answer, const Style& style) {
  std::vector<const Rejection*> nearest;
  for (const Rejection& rejection : answer.recommendation->rejections) {
    if (!rejection.nearest_fix.empty()) nearest.push_back(&rejection);
  }
  // A limit of the user's own is the first thing that can be moved.
  const auto order = [](const Rejection* rejection) {
    const bool limit = rejection->code == "over-budget" || rejection->code == "over-deadline" ||
                       rejection->code == "filter-max-hourly";
    return std::pair(!limit, rejection->distance);
  };
  std::stable_sort(nearest.begin(), nearest.end(),
                   [&](const Rejection* a, const Rejection* b) { return order(a) < order(b); });
  // Two of a card miss as one does, and one reason is enough once.
  std::set<std::string> seen;
  std::erase_if(nearest, [&](const Rejection* rejection) {
    const bool memory = rejection->code == "does-not-fit";
    return !seen.insert(memory ? rejection->plan->group.gpu->id : rejection->code).second;
  });
  out += "Nothing satisfies the request.\n";
  if (!nearest.empty()) out += "Nearest misses:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(nearest.size(), 5); ++i) {
    const Rejection& rejection = *nearest[i];
    const std::string gpu = rejection.plan != nullptr    ? short_gpu_name(rejection.plan->group)
                            : rejection.offer != nullptr ? rejection.offer->gpu
                                                         : std::string("offers");
    add_wrapped(
        out, "  - ",
        printable(fmt::format("{}: {}. Try {}", gpu, rejection.message, rejection.nearest_fix),
                  400),
        style.columns());
  }
}

}  // namespace vcgpu
