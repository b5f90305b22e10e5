#include "vcgpu/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "advise/cards.hpp"
#include "advise/estimate_gpus.hpp"
#include "advise/filter.hpp"
#include "advise/rank.hpp"
#include "advise/reasons.hpp"
#include "base/date.hpp"
#include "base/numbers.hpp"

namespace vcgpu {

namespace {

// Plans by hardware. A catalog with a million offers has some hundred groups.
class PlanCache {
 public:
  PlanCache(const Workload& workload, const Catalog& catalog, std::deque<GroupPlan>& plans)
      : m_workload(workload), m_catalog(catalog), m_plans(plans) {}

  const GroupPlan& plan(const GpuGroup& group) {
    const auto [found, added] =
        m_known.emplace(std::tuple(group.gpu, group.count, group.interconnect), nullptr);
    if (added) found->second = &m_plans.emplace_back(plan_group(m_workload, group, m_catalog));
    return *found->second;
  }

 private:
  const Workload& m_workload;
  const Catalog& m_catalog;
  std::deque<GroupPlan>& m_plans;
  std::map<std::tuple<const Gpu*, double, Interconnect>, const GroupPlan*> m_known;
};

RecommendOptions with_defaults(RecommendOptions options, const Workload& workload) {
  options.filter.pricing = ranked_pricing(options.filter, workload.task);
  return options;
}

class Recommender {
 public:
  Recommender(const Workload& workload, const Catalog& catalog, const RecommendOptions& options)
      : m_workload(workload),
        m_catalog(catalog),
        m_options(with_defaults(options, workload)),
        m_cache(workload, catalog, m_result.plans) {}

  Recommendation run() {
    for (const Provider& provider : m_catalog.providers()) {
      m_result.statistics_only += provider.market.size();
      for (const Offer& offer : provider.offers) consider(provider, offer);
    }
    score_candidates(m_result.candidates);
    mark_pareto(m_result.candidates);
    sort_candidates(m_result.candidates, m_options.sort);
    m_result.total = m_result.candidates.size();
    if (m_options.pareto_only)
      std::erase_if(m_result.candidates,
                    [](const Candidate& candidate) { return !candidate.pareto; });
    collapse_candidates(m_result.candidates, m_options.collapse);
    m_result.rows = m_result.candidates.size();
    for (std::size_t i = 0; i < m_result.candidates.size(); ++i)
      m_result.candidates[i].rank = static_cast<int>(i) + 1;
    find_alternatives();
    if (m_options.limit > 0 && m_result.candidates.size() > m_options.limit)
      m_result.candidates.resize(m_options.limit);
    for (Candidate& candidate : m_result.candidates)
      candidate.reasons = reasons_for(candidate, m_result, m_catalog);
    for (Alternative& alternative : m_result.alternatives)
      alternative.candidate.reasons = reasons_for(alternative.candidate, m_result, m_catalog);
    group_rejections();
    return std::move(m_result);
  }

 private:
  void reject(const GroupPlan* plan, const Provider& provider, const Offer& offer, std::string code,
              std::string message, std::string fix, bool filtered, double distance = 1e9) {
    m_result.rejections.push_back({plan, &provider, &offer, 1, std::move(code), std::move(message),
                                   std::move(fix), filtered, distance});
  }

  void consider(const Provider& provider, const Offer& offer) {
    ++m_result.considered;
    const Gpu& gpu = *m_catalog.gpu_with_id(offer.gpu);
    const int age = age_days(offer.as_of, m_options.today);
    std::optional<FilterMiss> miss = refuses(m_options.filter, gpu, offer.gpu_count);
    if (!miss) miss = refuses(m_options.filter, provider, offer, age);
    if (miss)
      return reject(nullptr, provider, offer, "filter-" + miss->code, std::move(miss->message),
                    std::move(miss->fix), true, miss->distance);
    const GpuGroup group{&gpu, offer.gpu_count,
                         interconnect_of(gpu, offer.gpu_count, offer.interconnect)};
    const GroupPlan& plan = m_cache.plan(group);
    if (plan.obstacle)
      return reject(&plan, provider, offer, plan.obstacle->code, plan.obstacle->message,
                    plan.obstacle->nearest_fix, false,
                    plan.usable.count() > 0 && plan.device.expected.count() > 0
                        ? plan.device.expected / plan.usable
                        : 1e9);
    const PriceAssumptions& prices = m_catalog.assumptions().prices;
    const bool named = !m_options.filter.providers.empty() || m_options.filter.min_reliability;
    if (!named && provider.reliability && *provider.reliability < prices.min_provider_reliability)
      return reject(&plan, provider, offer, "unreliable-provider",
                    fmt::format("reliability {} of 5: {}", *provider.reliability,
                                provider.reliability_reason),
                    fmt::format("--min-reliability {}", *provider.reliability), false);
    if (offer.host_reliability && *offer.host_reliability < prices.min_host_reliability)
      return reject(&plan, provider, offer, "unreliable-host",
                    fmt::format("this host's uptime is {:.1f} %", *offer.host_reliability * 100),
                    "another host of " + provider.name, false);
    if (m_workload.task == Task::realtime ? !plan.speed : !plan.time)
      return reject(&plan, provider, offer, "unknown-speed",
                    fmt::format("the speed of {} on this job is not known", gpu.name), {}, false);
    add_candidate(plan, provider, offer, age);
  }

  void add_candidate(const GroupPlan& plan, const Provider& provider, const Offer& offer, int age) {
    const CostAssumptions& assumptions = m_catalog.assumptions().cost;
    Candidate candidate;
    candidate.plan = &plan;
    candidate.provider = &provider;
    candidate.offer = &offer;
    candidate.price_age_days = age;
    if (m_workload.task == Task::realtime) {
      const InferenceWorkload& inference = *m_workload.inference;
      const double active =
          std::max(1.0, std::ceil(inference.streams.value * inference.duty.value));
      candidate.instances =
          std::ceil(active / (plan.inference->streams_per_gpu * plan.group.gpus()));
    }
    const Range<Seconds> work = plan.time.value_or(Range<Seconds>{});
    candidate.cost =
        estimate_cost(m_workload, work, provider, offer, candidate.instances, assumptions);
    if (m_workload.task == Task::realtime) {
      // Slower than expected, a card keeps up with fewer streams.
      const double slower = plan.speed->rtf.high / plan.speed->rtf.expected;
      const double streams = std::max(1.0, std::floor(plan.inference->streams_per_gpu / slower));
      const double more = std::ceil(plan.inference->streams_per_gpu / streams);
      candidate.cost->total.high = candidate.cost->total.expected * more;
    }
    if (plan.time) candidate.wall = wall_time(work, offer, assumptions);
    const OfferFilter& filter = m_options.filter;
    if (filter.budget && candidate.cost->total.expected > *filter.budget)
      return reject(&plan, provider, offer, "over-budget",
                    fmt::format("{} USD expected, above --budget",
                                money_text(candidate.cost->total.expected)),
                    fmt::format("--budget {:.2f}", candidate.cost->total.expected.count()), true,
                    candidate.cost->total.expected / *filter.budget);
    if (filter.deadline && candidate.wall && candidate.wall->expected > *filter.deadline)
      return reject(
          &plan, provider, offer, "over-deadline",
          fmt::format("{} expected, above --deadline", duration_text(candidate.wall->expected)),
          fmt::format("--deadline {:.0f}m", std::ceil(candidate.wall->expected.count() / 60)), true,
          candidate.wall->expected / *filter.deadline);
    m_result.candidates.push_back(std::move(candidate));
  }

  // The best of what fits on other axes, where that is not the first. Fastest is
  // the cheapest within 10 % of the shortest time: a minute less is not worth
  // twice the money, and the estimate is not that exact.
  void find_alternatives() {
    const std::vector<Candidate>& all = m_result.candidates;
    std::vector<const Candidate*> fitting;
    for (const Candidate& candidate : all) {
      if (candidate.plan->fit.verdict == Verdict::fits) fitting.push_back(&candidate);
    }
    if (fitting.empty()) return;
    const auto cost = [](const Candidate* c) { return c->cost->total.expected; };
    const auto time = [](const Candidate* c) { return time_of(*c); };
    const auto reliability = [](const Candidate* c) {
      return c->offer->pricing == "spot" ? 0 : c->provider->reliability.value_or(0);
    };
    // In sorted order, so that ties go to the better ranked.
    const Candidate* cheapest = *std::min_element(
        fitting.begin(), fitting.end(), [&](auto a, auto b) { return cost(a) < cost(b); });
    const Candidate* reliable =
        *std::max_element(fitting.begin(), fitting.end(), [&](auto a, auto b) {
          return reliability(a) != reliability(b) ? reliability(a) < reliability(b)
                                                  : cost(b) < cost(a);
        });
    const double shortest = time(*std::min_element(
        fitting.begin(), fitting.end(), [&](auto a, auto b) { return time(a) < time(b); }));
    const Candidate* fastest = nullptr;
    for (const Candidate* candidate : fitting) {
      if (time(candidate) > shortest * 1.1) continue;
      if (fastest == nullptr || cost(candidate) < cost(fastest)) fastest = candidate;
    }
    const std::pair<const char*, const Candidate*> axes[] = {
        {"cheapest", cheapest}, {"fastest", fastest}, {"most-reliable", reliable}};
    for (const auto& [axis, candidate] : axes) {
      if (candidate != &all.front()) m_result.alternatives.push_back({axis, *candidate});
    }
  }

  // A group that cannot do the job is one rejection, however many offers it
  // stands for.
  void group_rejections() {
    std::map<std::pair<const GroupPlan*, std::string>, std::size_t> known;
    std::vector<Rejection> grouped;
    for (Rejection& rejection : m_result.rejections) {
      const bool whole_group = rejection.plan != nullptr && rejection.plan->obstacle;
      if (!whole_group) {
        grouped.push_back(std::move(rejection));
        continue;
      }
      const auto [found, added] =
          known.emplace(std::pair(rejection.plan, rejection.code), grouped.size());
      if (added) {
        rejection.offer = nullptr;
        rejection.provider = nullptr;
        grouped.push_back(std::move(rejection));
      } else {
        ++grouped[found->second].offers;
      }
    }
    std::stable_sort(grouped.begin(), grouped.end(), [](const Rejection& a, const Rejection& b) {
      return a.filtered < b.filtered;
    });
    m_result.rejections = std::move(grouped);
  }

  const Workload& m_workload;
  const Catalog& m_catalog;
  const RecommendOptions m_options;
  Recommendation m_result;
  PlanCache m_cache;
};

}  // namespace

std::vector<std::string> ranked_pricing(const OfferFilter& filter, Task task) {
  if (!filter.pricing.empty()) return filter.pricing;
  if (task == Task::realtime) return {"on-demand"};
  return {"on-demand", "spot"};
}

Recommendation recommend(const Workload& workload, const Catalog& catalog,
                         const RecommendOptions& options) {
  return Recommender(workload, catalog, options).run();
}

void reject_card(Recommendation& result, const Gpu& gpu, int gpu_count, const FilterMiss& miss) {
  GroupPlan& plan = result.plans.emplace_back();
  plan.group = {&gpu, static_cast<double>(gpu_count), Interconnect::none};
  result.rejections.push_back({&plan, nullptr, nullptr, 1, "filter-" + miss.code, miss.message,
                               "leave the filter out", false});
}

void sort_by_fit(Recommendation& result) {
  std::stable_sort(result.candidates.begin(), result.candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     const auto key = [](const Candidate& c) {
                       return std::tuple(c.plan->fit.verdict, c.plan->group.gpu->memory_gb,
                                         c.plan->group.gpu->id);
                     };
                     return key(a) < key(b);
                   });
  result.total = result.rows = result.candidates.size();
  for (std::size_t i = 0; i < result.candidates.size(); ++i)
    result.candidates[i].rank = static_cast<int>(i) + 1;
}

Recommendation estimate_gpus(const Workload& workload, const Catalog& catalog,
                             const std::vector<std::string>& gpus, const OfferFilter& filter,
                             int gpu_count) {
  Recommendation result;
  const auto add = [&](const Gpu& gpu, bool known) {
    GpuGroup group{&gpu, static_cast<double>(gpu_count), interconnect_of(gpu, gpu_count, {})};
    GroupPlan& plan = result.plans.emplace_back(plan_group(workload, group, catalog));
    if (!known) {
      plan.time = std::nullopt;
      plan.durations.clear();
      plan.speed = std::nullopt;
    }
    if (plan.stages.size() != workload.stages.size() ||
        (!workload.stages.empty() && plan.stages.empty()) ||
        (plan.obstacle && plan.obstacle->code != "does-not-fit")) {
      result.rejections.push_back({&plan, nullptr, nullptr, 1,
                                   plan.obstacle ? plan.obstacle->code : "unknown-memory",
                                   plan.obstacle ? plan.obstacle->message : "not known",
                                   plan.obstacle ? plan.obstacle->nearest_fix : "", false});
      return;
    }
    Candidate candidate;
    candidate.plan = &plan;
    candidate.wall = plan.time;
    result.candidates.push_back(std::move(candidate));
  };
  if (gpus.empty()) add(result.made_up.emplace_back(no_card()), false);
  for (const AskedCard& card : asked_cards(gpus, filter, gpu_count, catalog, result.made_up)) {
    if (card.miss)
      reject_card(result, *card.gpu, gpu_count, *card.miss);
    else
      add(*card.gpu, card.rates_known);
  }
  sort_by_fit(result);
  for (Candidate& candidate : result.candidates)
    candidate.reasons = reasons_for(candidate, result, catalog);
  return result;
}

}  // namespace vcgpu
