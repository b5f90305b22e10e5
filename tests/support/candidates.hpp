// Ranked candidates made by hand: cost, time and verdict as a test wants them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "support/small_catalog.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu::test {

struct Made {
  double usd = 1;
  double hours = 1;
  Verdict verdict = Verdict::fits;
  int reliability = 3;
  std::string gpu = "card-24gb";
  std::string provider = "alpha";
  std::string sku = "sku";
  double usd_per_hour = 1;
  double free_share = 0.5;  // of the card's memory
};

// Owns what the candidates point to.
class Candidates {
 public:
  Candidate& add(const Made& made) {
    Gpu& gpu = m_gpus.emplace_back(small_gpu(made.gpu, 24));
    Provider& provider = m_providers.emplace_back(small_provider(made.provider));
    provider.reliability = made.reliability;
    Offer& offer = m_offers.emplace_back(small_offer(made.sku, made.gpu, made.usd_per_hour));
    GroupPlan& plan = m_plans.emplace_back();
    plan.group = group_of(gpu);
    plan.usable = gb(24);
    const Bytes peak = gb(24 * (1 - made.free_share));
    plan.device = {peak, peak, peak};
    plan.fit = {made.verdict, made.verdict == Verdict::fits ? 0.01 : 0.2};
    Candidate candidate;
    candidate.plan = &plan;
    candidate.provider = &provider;
    candidate.offer = &offer;
    Cost cost;
    cost.total = {Usd(made.usd), Usd(made.usd), Usd(made.usd)};
    candidate.cost = cost;
    candidate.wall = {hours(made.hours), hours(made.hours), hours(made.hours)};
    return list.emplace_back(candidate);
  }

  [[nodiscard]] std::vector<std::string> skus() const {
    std::vector<std::string> names;
    for (const Candidate& candidate : list) names.push_back(candidate.offer->sku);
    return names;
  }
  [[nodiscard]] Offer& last_offer() { return m_offers.back(); }
  [[nodiscard]] GroupPlan& last_plan() { return m_plans.back(); }

  std::vector<Candidate> list;

 private:
  std::deque<Gpu> m_gpus;
  std::deque<Provider> m_providers;
  std::deque<Offer> m_offers;
  std::deque<GroupPlan> m_plans;
};

}  // namespace vcgpu::test
