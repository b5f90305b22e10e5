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

// What decides a candidate's place, computed once for each.
struct Place {
  Verdict verdict{};
  double key = 0, cost = 0, time = 0;
  int unreliability = 0;
  double count = 0, hourly = 0;
  const Candidate* candidate = nullptr;
};

// The last resort: ids, so that the order is total and depends on no input
// order.
auto names_of(const Candidate& c) {
  static const std::string none;
  const bool offered = c.offer != nullptr;
  const bool placed = offered && !c.offer->regions.empty();
  return std::tie(c.plan->group.gpu->id, offered ? c.provider->id : none,
                  offered ? c.offer->sku : none, offered ? c.offer->pricing : none,
                  offered ? c.offer->tier : none, placed ? c.offer->regions.front() : none,
                  offered ? c.offer->interconnect : none, offered ? c.offer->as_of : none,
                  offered ? c.offer->source : none, offered ? c.offer->note : none);
}

bool before(const Place& a, const Place& b) {
  const auto numbers = [](const Place& p) {
    return std::tie(p.verdict, p.key, p.cost, p.time, p.unreliability, p.count, p.hourly);
  };
  if (numbers(a) != numbers(b)) return numbers(a) < numbers(b);
  return names_of(*a.candidate) < names_of(*b.candidate);
}

std::vector<Place> places_of(const std::vector<Candidate>& candidates, SortKey key) {
  std::vector<Place> places;
  places.reserve(candidates.size());
  for (const Candidate& c : candidates)
    places.push_back({c.plan->fit.verdict, key_of(c, key), cost_of(c), time_of(c),
                      -reliability_of(c), c.plan->group.count, hourly_of(c), &c});
  std::sort(places.begin(), places.end(), before);
  return places;
}

}  // namespace

double time_of(const Candidate& c) {
  if (c.wall) return c.wall->expected.count();
  return c.plan->speed ? c.plan->speed->rtf.expected : unknown_last;
}

void sort_candidates(std::vector<Candidate>& candidates, SortKey key) {
  std::vector<Candidate> sorted;
  sorted.reserve(candidates.size());
  const Candidate* first = candidates.data();
  for (const Place& place : places_of(candidates, key))
    sorted.push_back(std::move(candidates[static_cast<std::size_t>(place.candidate - first)]));
  candidates = std::move(sorted);
}

void mark_pareto(std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) candidate.pareto = false;
  const Candidate* first = candidates.data();
  double fastest = unknown_last;
  for (const Place& place : places_of(candidates, SortKey::cost)) {
    if (place.verdict != Verdict::fits || place.time >= fastest) continue;
    fastest = place.time;
    candidates[static_cast<std::size_t>(place.candidate - first)].pareto = true;
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
