#include "advise/rank.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <tuple>

namespace vcgpu {

namespace {

constexpr double unknown_last = std::numeric_limits<double>::infinity();

double cost_of(const Candidate& c) {
  return c.cost ? c.cost->total.expected.count() : unknown_last;
}
double time_of(const Candidate& c) { return c.wall ? c.wall->expected.count() : unknown_last; }
double hourly_of(const Candidate& c) {
  return c.offer != nullptr ? c.offer->usd_per_hour.count() * c.instances : unknown_last;
}
int reliability_of(const Candidate& c) {
  return c.provider != nullptr ? c.provider->reliability.value_or(0) : 0;
}
double free_share(const Candidate& c) {
  const double usable = c.plan->usable.count();
  return usable > 0 ? std::clamp(1 - c.plan->device.expected.count() / usable, 0.0, 1.0) : 0;
}

double key_of(const Candidate& c, SortKey key) {
  switch (key) {
    case SortKey::cost:
      return cost_of(c);
    case SortKey::time:
      return time_of(c);
    case SortKey::hourly:
      return hourly_of(c);
    case SortKey::value:
      return -c.score;
    case SortKey::fit:
      return c.plan->fit.oom_probability;
  }
  return 0;
}

using Names = std::tuple<const std::string&, const std::string&, const std::string&,
                         const std::string&, const std::string&>;

Names names_of(const Candidate& c) {
  static const std::string none;
  const bool offered = c.offer != nullptr;
  return {c.plan->group.gpu->id, offered ? c.provider->id : none, offered ? c.offer->sku : none,
          offered ? c.offer->pricing : none,
          offered && !c.offer->regions.empty() ? c.offer->regions.front() : none};
}

bool better(const Candidate& a, const Candidate& b, SortKey key) {
  if (a.plan->fit.verdict != b.plan->fit.verdict) return a.plan->fit.verdict < b.plan->fit.verdict;
  const std::tuple left(key_of(a, key), cost_of(a), time_of(a), -reliability_of(a),
                        a.plan->group.count);
  const std::tuple right(key_of(b, key), cost_of(b), time_of(b), -reliability_of(b),
                         b.plan->group.count);
  if (left != right) return left < right;
  return std::tuple_cat(names_of(a),
                        std::tuple(a.offer != nullptr ? a.offer->as_of : std::string())) <
         std::tuple_cat(names_of(b),
                        std::tuple(b.offer != nullptr ? b.offer->as_of : std::string()));
}

}  // namespace

void sort_candidates(std::vector<Candidate>& candidates, SortKey key) {
  std::sort(candidates.begin(), candidates.end(),
            [key](const Candidate& a, const Candidate& b) { return better(a, b, key); });
}

void mark_pareto(std::vector<Candidate>& candidates) {
  std::vector<Candidate*> fitting;
  for (Candidate& candidate : candidates) {
    candidate.pareto = false;
    if (candidate.plan->fit.verdict == Verdict::fits && candidate.cost && candidate.wall)
      fitting.push_back(&candidate);
  }
  std::sort(fitting.begin(), fitting.end(),
            [](const Candidate* a, const Candidate* b) { return better(*a, *b, SortKey::cost); });
  double fastest = unknown_last;
  for (Candidate* candidate : fitting) {
    if (time_of(*candidate) >= fastest) continue;
    fastest = time_of(*candidate);
    candidate->pareto = true;
  }
}

void score_candidates(std::vector<Candidate>& candidates) {
  double cheapest = unknown_last;
  double fastest = unknown_last;
  for (const Candidate& candidate : candidates) {
    cheapest = std::min(cheapest, cost_of(candidate));
    fastest = std::min(fastest, time_of(candidate));
  }
  const auto against = [](double best, double value) {
    return value == unknown_last ? 0 : value <= 0 ? 1 : best / value;
  };
  for (Candidate& candidate : candidates) {
    candidate.shares = {{"cost", weight_of_cost, against(cheapest, cost_of(candidate))},
                        {"time", weight_of_time, against(fastest, time_of(candidate))},
                        {"headroom", weight_of_headroom, free_share(candidate)},
                        {"reliability", weight_of_reliability, reliability_of(candidate) / 5.0}};
    candidate.score = 0;
    for (const ScoreShare& share : candidate.shares) candidate.score += share.weight * share.value;
  }
}

void collapse_candidates(std::vector<Candidate>& candidates, Collapse collapse) {
  if (collapse == Collapse::offer) return;
  std::set<std::pair<std::string, double>> seen;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const bool by_gpu = collapse == Collapse::gpu;
    const std::string& name = by_gpu ? candidate.plan->group.gpu->id : candidate.provider->id;
    return !seen.emplace(name, by_gpu ? candidate.plan->group.count : 0).second;
  });
}

}  // namespace vcgpu
