// Ranked answers: plans joined with offers.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "vcgpu/planner.hpp"

namespace vcgpu {

enum class SortKey { cost, time, hourly, value, fit };
enum class Collapse { offer, provider, gpu };

// What the user accepts. Empty lists accept everything; names are ids.
struct OfferFilter {
  std::vector<std::string> gpus;
  std::vector<double> memory_sizes_gb;  // "--gpu 12GB": any card of that marketed size
  std::optional<OpenRange> vram_gb, gpu_count;
  std::vector<Vendor> vendors;
  std::vector<std::string> architectures;
  std::optional<ComputeCapability> min_compute_capability, max_compute_capability;
  std::vector<std::string> providers, excluded_providers;
  std::vector<std::string> regions;  // part of a region's name
  std::vector<std::string> pricing;  // see ranked_pricing()
  std::vector<std::string> tiers;
  std::optional<UsdPerHour> max_hourly;
  std::optional<Usd> budget;
  std::optional<Seconds> deadline;
  std::optional<int> min_reliability;
  std::optional<int> max_age_days;
};

struct RecommendOptions {
  OfferFilter filter;
  SortKey sort = SortKey::cost;
  Collapse collapse = Collapse::offer;
  bool pareto_only = false;
  std::size_t limit = 10;  // 0: all
  std::chrono::sys_days today;
};

struct Reason {
  std::string rule;
  std::string effect;  // prefer, advise, warn
  std::string message;
};

// How `--sort value` weighs a candidate; shares add up to the score.
struct ScoreShare {
  std::string factor;
  double weight = 0;
  double value = 0;  // 0 to 1
};

// A plan, and for recommend the offer that would run it.
struct Candidate {
  const GroupPlan* plan = nullptr;
  const Provider* provider = nullptr;  // null: no offer asked for
  const Offer* offer = nullptr;
  int price_age_days = 0;
  double instances = 1;
  std::optional<Cost> cost;
  std::optional<Range<Seconds>> wall;  // with set-up and rework
  double score = 0;                    // 0 to 1, by --sort value's weights
  std::vector<ScoreShare> shares;
  bool pareto = false;  // no other is both cheaper and faster
  int rank = 0;
  std::vector<Reason> reasons;
};

struct Rejection {
  const GroupPlan* plan = nullptr;
  const Provider* provider = nullptr;
  const Offer* offer = nullptr;  // null: the whole group, whatever the offer
  std::size_t offers = 1;        // that this stands for
  std::string code;
  std::string message;
  std::string nearest_fix;
  bool filtered = false;  // by what the user asked for
  double distance = 1e9;  // how far from enough: 1.2 is 20 % over or under
};

// A choice on another axis than the one sorted by.
struct Alternative {
  std::string axis;  // fastest, most-reliable
  Candidate candidate;
};

struct Recommendation {
  std::deque<Gpu> made_up;      // cards that are no catalog entry: "12GB", none
  std::deque<GroupPlan> plans;  // what candidates point into
  std::vector<Candidate> candidates;
  std::vector<Alternative> alternatives;
  std::vector<Rejection> rejections;
  std::size_t rows = 0;             // after --pareto and collapse, before the limit
  std::size_t total = 0;            // candidates before collapse and limit
  std::size_t considered = 0;       // offers in the catalog
  std::size_t statistics_only = 0;  // market prices that are not offers
  std::vector<Warning> warnings;

  Recommendation() = default;
  ~Recommendation() = default;
  Recommendation(const Recommendation&) = delete;  // pointers into plans
  Recommendation& operator=(const Recommendation&) = delete;
  Recommendation(Recommendation&&) = default;
  Recommendation& operator=(Recommendation&&) = default;
};

// The pricing modes that are ranked: those asked for, else on-demand, and spot
// but for serving. A voice that is served must not vanish in mid-sentence;
// reserved terms and serverless workers are other products than hours of a
// machine.
std::vector<std::string> ranked_pricing(const OfferFilter& filter, Task task);

// Ranks every offer that satisfies the filter and whose hardware does the job:
// `fits` before `tight`, then by the sort key, ties by time, reliability and
// id. Each offer that is left out has a reason.
Recommendation recommend(const Workload& workload, const Catalog& catalog,
                         const RecommendOptions& options);

// The same question without offers. `gpus` are ids or sizes ("12GB": the
// smallest usable memory of that class of card); "all" is every GPU that the
// filter accepts; empty sizes the recipe without a card. What does not fit is a
// result too.
Recommendation estimate_gpus(const Workload& workload, const Catalog& catalog,
                             const std::vector<std::string>& gpus, const OfferFilter& filter,
                             int gpu_count);

}  // namespace vcgpu
