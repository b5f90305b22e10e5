#include "report/table.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "report/cells.hpp"
#include "report/explain.hpp"

namespace vcgpu {

namespace {

void add_line(std::string& out, std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  out += line + "\n";
}

// Two lines of 80 columns: who and for how much, then what happens there.
void add_row(std::string& out, const Candidate& candidate, const Answer& answer,
             const Style& style) {
  const int old_after = answer.catalog->assumptions().prices.old_after_days;
  const GroupPlan& plan = *candidate.plan;
  const bool offered = candidate.offer != nullptr;
  std::string first = fmt::format("{:>3}. ", candidate.rank);
  first +=
      style.bold(offered ? fitted(short_gpu_name(plan.group), 22) : short_gpu_name(plan.group));
  if (offered)
    first += " " + fitted(offer_text(candidate), 27) + " " + price_text(candidate, old_after);
  add_line(out, first);
  std::string second = "     " + fitted(plan_text(plan, style), 18) + " ";
  const bool no_gpu = plan.group.gpu->id == no_gpu_id;
  second += (no_gpu ? std::string(5, ' ') : style.bar(fill_of(plan), 5)) + " ";
  second += fitted(gib_text(plan), 14) + " " + verdict_cell(candidate, style, offered ? 5 : 12);
  second += " " + fitted(time_text(candidate, style), 14) + " " + cost_text(candidate, style);
  add_line(out, second);
  if (!answer.explain) return;
  add_memory(out, answer, candidate, style);
  add_cost_lines(out, candidate);
  add_reasons(out, candidate, style);
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
    if (offered && recommendation.rows > recommendation.candidates.size())
      out += fmt::format(
          "{}\n", style.dim(fmt::format("     {} of {} shown; --limit 0 for all",
                                        recommendation.candidates.size(), recommendation.rows)));
    if (!offered && recommendation.candidates.size() == 1) {
      out += "\n";
      add_memory(out, answer, best, style);
    }
    out += "\n";
    if (!answer.explain) add_reasons(out, best, style);
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
  std::string head = fmt::format("{:>4} {:<26} ", "#", "GPU");
  if (offered)
    head += fmt::format("{:<18} {:<11} {:<10} {:<22} {:<22} ", "provider", "pricing", "tier",
                        "region", "price");
  head += fmt::format("{:<20} {:<23} {:<12} {:<18} ", "plan", "peak / usable", "verdict", "time");
  if (offered) head += fmt::format("{:<18} {}", "total", "price of");
  while (head.ends_with(' ')) head.pop_back();
  add_line(out, style.bold(head));
  for (const Candidate& candidate : answer.recommendation->candidates) {
    const GroupPlan& plan = *candidate.plan;
    std::string line =
        fmt::format("{:>4} {} ", candidate.rank, fitted(short_gpu_name(plan.group), 26));
    if (offered) {
      const Offer& offer = *candidate.offer;
      line += fmt::format("{} {} {} {} {} ", fitted(printable(candidate.provider->name), 18),
                          fitted(printable(offer.pricing), 11), fitted(printable(offer.tier), 10),
                          fitted(offer.regions.empty() ? "" : printable(offer.regions.front()), 22),
                          fitted(price_text(candidate, old_after), 22));
    }
    line +=
        fmt::format("{} {} {} {} {} ", fitted(plan_text(plan, style), 20),
                    style.bar(fill_of(plan), 8), fitted(gib_text(plan), 14),
                    verdict_cell(candidate, style, 12), fitted(time_text(candidate, style), 18));
    if (offered) line += fitted(cost_text(candidate, style), 18) + " " + candidate.offer->as_of;
    add_line(out, line);
  }
  add_foot(out, answer, style);
  return out;
}

}  // namespace vcgpu
