// What must hold for every answer, whatever the catalog, the request and the
// filter.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/text.hpp"
#include "support/answered.hpp"
#include "support/catch.hpp"
#include "support/random_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

struct Question {
  CatalogParts parts;
  WorkloadRequest request;
  RecommendOptions options = small_options();
};

Question random_question(Random& random) {
  Question question;
  question.parts = random_parts(random);
  question.request = random_request(random);
  question.options.filter = random_filter(random, question.parts);
  question.options.sort = random.pick(
      {SortKey::cost, SortKey::cost, SortKey::time, SortKey::hourly, SortKey::value, SortKey::fit});
  return question;
}

void for_questions(unsigned seed, const std::function<void(Random&, const Question&)>& check) {
  Random random(seed);
  for (int i = 0; i < 1000; ++i) {
    const Question question = random_question(random);
    CAPTURE(seed, i);
    check(random, question);
  }
}

void for_answers(unsigned seed,
                 const std::function<void(const Question&, const Recommendation&)>& check) {
  for_questions(seed, [&](Random&, const Question& question) {
    const Answered answer(question.parts, question.request, question.options);
    check(question, *answer);
  });
}

void for_candidates(unsigned seed,
                    const std::function<void(const Question&, const Candidate&)>& check) {
  int seen = 0;
  for_answers(seed, [&](const Question& question, const Recommendation& result) {
    for (const Candidate& candidate : result.candidates) {
      CAPTURE(candidate.offer->sku);
      check(question, candidate);
      ++seen;
    }
  });
  CHECK(seen > 3000);
}

// The filter, told again in other words than the program's.
bool satisfies(const OfferFilter& filter, const Candidate& candidate) {
  const Gpu& gpu = *candidate.plan->group.gpu;
  const Offer& offer = *candidate.offer;
  const Provider& provider = *candidate.provider;
  const auto in = [](const auto& list, const auto& value) {
    return list.empty() || std::count(list.begin(), list.end(), value) > 0;
  };
  const auto named = [](const std::vector<std::string>& list, const auto& matches) {
    return list.empty() || std::any_of(list.begin(), list.end(), matches);
  };
  const bool in_region = named(filter.regions, [&](const std::string& wanted) {
    return std::any_of(offer.regions.begin(), offer.regions.end(), [&](const std::string& region) {
      return region == "any" || region.rfind(lower(wanted), 0) == 0;
    });
  });
  const bool priced = named(filter.pricing, [&](const std::string& wanted) {
    return offer.pricing.substr(0, wanted.size()) == wanted;
  });
  const bool arch = named(filter.architectures, [&](const std::string& wanted) {
    return lower(wanted) == lower(gpu.architecture);
  });
  return in(filter.gpus, gpu.id) && (!filter.vram_gb || gpu.memory_gb >= *filter.vram_gb->low) &&
         (!filter.gpu_count || (offer.gpu_count >= 1 && offer.gpu_count <= 2)) &&
         in(filter.vendors, gpu.vendor) && arch &&
         (!filter.min_compute_capability ||
          (gpu.compute_capability && *gpu.compute_capability >= *filter.min_compute_capability)) &&
         (filter.excluded_providers.empty() || provider.id != filter.excluded_providers[0]) &&
         in_region && priced && in(filter.tiers, offer.tier) &&
         (!filter.max_hourly || offer.usd_per_hour <= *filter.max_hourly) &&
         (!filter.budget || candidate.cost->total.expected <= *filter.budget) &&
         (!filter.deadline || !candidate.wall || candidate.wall->expected <= *filter.deadline) &&
         (!filter.min_reliability ||
          (provider.reliability && *provider.reliability >= *filter.min_reliability)) &&
         (!filter.max_age_days || age_days(offer.as_of, small_today) <= *filter.max_age_days);
}

template <class T>
bool in_order(const Range<T>& range) {
  return range.low <= range.expected && range.expected <= range.high;
}

bool possible(double value) { return std::isfinite(value) && value >= 0; }

template <class T>
bool possible(const Range<T>& range) {
  return possible(range.low.count()) && possible(range.expected.count()) &&
         possible(range.high.count());
}

std::vector<std::string> ranking(const Question& question) {
  return Answered(question.parts, question.request, question.options).skus();
}

double best_cost(const Question& question) {
  const Answered answer(question.parts, question.request, question.options);
  for (const Candidate& candidate : answer->candidates) {
    if (candidate.plan->fit.verdict == Verdict::fits) return candidate.cost->total.expected.count();
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

TEST_CASE("every candidate satisfies every filter") {
  for_candidates(11, [](const Question& question, const Candidate& candidate) {
    CHECK(satisfies(question.options.filter, candidate));
  });
}

TEST_CASE("without a word on pricing only what can be rented by the hour is ranked") {
  for_candidates(27, [](const Question& question, const Candidate& candidate) {
    if (!question.options.filter.pricing.empty()) return;
    const std::string& pricing = candidate.offer->pricing;
    const bool serving = question.request.task.value == Task::realtime;
    CHECK((pricing == "on-demand" || (pricing == "spot" && !serving)));
  });
}

TEST_CASE("every candidate fits, or may fit") {
  for_candidates(12, [](const Question&, const Candidate& candidate) {
    CHECK(candidate.plan->fit.verdict != Verdict::does_not_fit);
    CHECK(candidate.plan->device.expected <= candidate.plan->usable);
    CHECK_FALSE(candidate.plan->obstacle);
  });
}

TEST_CASE("every stage of a candidate that fits fits") {
  for_candidates(13, [](const Question&, const Candidate& candidate) {
    if (candidate.plan->fit.verdict != Verdict::fits) return;
    for (const PlannedStage& stage : candidate.plan->stages)
      CHECK(stage.fit.verdict == Verdict::fits);
  });
}

TEST_CASE("no stage is planned in a precision that the card does not have") {
  for_candidates(14, [](const Question&, const Candidate& candidate) {
    const Gpu& gpu = *candidate.plan->group.gpu;
    for (const PlannedStage& stage : candidate.plan->stages) {
      if (stage.plan.precision == Precision::bf16) CHECK(gpu.bf16_tflops);
      if (stage.plan.precision == Precision::fp16) CHECK(gpu.fp16_tflops);
    }
  });
}

TEST_CASE("every total is the sum of its lines, to the cent") {
  for_candidates(15, [](const Question&, const Candidate& candidate) {
    double sum = 0;
    for (const CostLine& line : candidate.cost->lines) {
      CHECK(line.usd.count() ==
            Approx(std::round(line.quantity * line.unit_price_usd * 100) / 100).margin(1e-6));
      sum += line.usd.count();
    }
    CHECK(candidate.cost->total.expected.count() == Approx(sum).margin(1e-6));
  });
}

TEST_CASE("low, expected and high of every candidate are in order") {
  for_candidates(16, [](const Question&, const Candidate& candidate) {
    CHECK(in_order(candidate.plan->device));
    CHECK(in_order(candidate.cost->total));
    if (candidate.wall) CHECK(in_order(*candidate.wall));
    for (const StageDuration& duration : candidate.plan->durations) CHECK(in_order(duration.time));
    if (candidate.plan->speed) CHECK(in_order(candidate.plan->speed->rtf));
  });
}

TEST_CASE("no candidate has a number that is negative, infinite or none") {
  for_candidates(17, [](const Question&, const Candidate& candidate) {
    CHECK(possible(candidate.plan->device));
    CHECK(possible(candidate.plan->usable.count()));
    CHECK(possible(candidate.plan->fit.oom_probability));
    CHECK(possible(candidate.cost->total));
    CHECK(possible(candidate.score));
    CHECK(candidate.score <= 1.000001);
    CHECK(candidate.instances >= 1);
    if (candidate.wall) CHECK(possible(*candidate.wall));
    for (const CostLine& line : candidate.cost->lines) {
      CHECK(possible(line.quantity));
      CHECK(possible(line.unit_price_usd));
      CHECK(possible(line.usd.count()));
    }
    for (const PlannedStage& stage : candidate.plan->stages) {
      CHECK(stage.plan.batch >= 1);
      CHECK(stage.plan.grad_accum >= 1);
    }
  });
}

TEST_CASE("every offer is a candidate or has a reason why not") {
  for_answers(18, [](const Question&, const Recommendation& result) {
    std::size_t rejected = 0;
    for (const Rejection& rejection : result.rejections) {
      rejected += rejection.offers;
      CHECK_FALSE(rejection.code.empty());
      CHECK_FALSE(rejection.message.empty());
    }
    CHECK(result.candidates.size() == result.total);
    CHECK(result.considered == result.total + rejected);
  });
}

TEST_CASE("ranks count from one, what fits before what is tight") {
  for_answers(19, [](const Question&, const Recommendation& result) {
    for (std::size_t i = 0; i < result.candidates.size(); ++i) {
      CHECK(result.candidates[i].rank == static_cast<int>(i) + 1);
      if (i > 0)
        CHECK(result.candidates[i - 1].plan->fit.verdict <= result.candidates[i].plan->fit.verdict);
    }
  });
}

TEST_CASE("the Pareto set holds what nothing beats and beats all the rest") {
  for_answers(20, [](const Question&, const Recommendation& result) {
    const auto at_least_as_good = [](const Candidate& a, const Candidate& b) {
      return a.cost->total.expected <= b.cost->total.expected &&
             a.wall->expected <= b.wall->expected;
    };
    for (const Candidate& candidate : result.candidates) {
      if (!candidate.wall) continue;
      const auto beaten_by = [&](const Candidate& other) {
        return other.pareto && &other != &candidate && at_least_as_good(other, candidate);
      };
      const bool beaten =
          std::any_of(result.candidates.begin(), result.candidates.end(), beaten_by);
      if (candidate.plan->fit.verdict == Verdict::fits) CHECK(candidate.pareto == !beaten);
      if (candidate.plan->fit.verdict != Verdict::fits) CHECK_FALSE(candidate.pareto);
    }
  });
}

TEST_CASE("the order of providers and offers in the catalog does not change the ranking") {
  for_questions(21, [](Random& random, const Question& question) {
    Question shuffled = question;
    random.shuffle(shuffled.parts.providers);
    for (Provider& provider : shuffled.parts.providers) random.shuffle(provider.offers);
    CHECK(ranking(question) == ranking(shuffled));
  });
}

TEST_CASE("an offer more never makes the best cost worse") {
  for_questions(22, [](Random& random, const Question& question) {
    Question more = question;
    more.options.sort = SortKey::cost;
    const double before = best_cost(more);
    more.parts.providers.push_back(random_provider(random, "new", question.parts.gpus));
    CHECK(best_cost(more) <= before);
  });
}

TEST_CASE("the same offer at a lower price never ranks lower") {
  int compared = 0;
  for_questions(23, [&](Random& random, const Question& question) {
    Question more = question;
    more.options.sort = SortKey::cost;
    std::vector<Offer>& offers = more.parts.providers[0].offers;
    if (offers.empty()) return;
    Offer cheaper = random.pick(offers);
    const std::string dearer = cheaper.sku;
    cheaper.sku = "zzz";  // last of equals by name
    cheaper.usd_per_hour = cheaper.usd_per_hour * random.between(0.3, 0.97);
    offers.push_back(cheaper);
    const Answered answer(more.parts, more.request, more.options);
    const Candidate* low = nullptr;
    const Candidate* high = nullptr;
    for (const Candidate& candidate : answer->candidates) {
      if (candidate.offer->sku == "zzz") low = &candidate;
      if (candidate.offer->sku == dearer) high = &candidate;
    }
    if (low == nullptr || high == nullptr) return;
    ++compared;
    CHECK(low->cost->total.expected <= high->cost->total.expected);
    CHECK(low->rank < high->rank);
  });
  CHECK(compared > 200);
}

TEST_CASE("more usable memory never makes what fits not fit") {
  for_questions(24, [](Random& random, const Question& question) {
    const std::size_t card = static_cast<std::size_t>(
        random.integer(0, static_cast<int>(question.parts.gpus.size()) - 1));
    Verdict before = Verdict::does_not_fit;
    for (double usable = 2; usable < 200; usable *= 1.3) {
      CatalogParts parts = question.parts;
      parts.gpus[card].memory_gb = 200;
      parts.gpus[card].usable_gib = usable;
      const Catalog catalog(parts);
      const Workload workload = resolve(question.request, catalog);
      const GroupPlan plan = plan_group(workload, group_of(catalog.gpus()[card]), catalog);
      if (plan.obstacle && plan.obstacle->code != "does-not-fit") return;
      CAPTURE(usable);
      CHECK(plan.fit.verdict <= before);
      before = plan.fit.verdict;
    }
  });
}

TEST_CASE("a faster card of the same memory is never slower") {
  for_questions(25, [](Random&, const Question& question) {
    CatalogParts parts = question.parts;
    Gpu faster = parts.gpus[0];
    faster.id = "faster";
    faster.bandwidth_gb_s *= 2;
    parts.gpus.push_back(faster);
    const Catalog catalog(parts);
    const Workload workload = resolve(question.request, catalog);
    const GroupPlan slow = plan_group(workload, group_of(catalog.gpu(parts.gpus[0].id)), catalog);
    const GroupPlan fast = plan_group(workload, group_of(catalog.gpu("faster")), catalog);
    if (!slow.time || !fast.time || slow.obstacle || fast.obstacle) return;
    CHECK(fast.time->expected.count() <= slow.time->expected.count() * 1.0001);
  });
}

TEST_CASE("an obstacle's fix is never empty where the job does not fit") {
  for_answers(26, [](const Question&, const Recommendation& result) {
    for (const Rejection& rejection : result.rejections) {
      if (rejection.code == "does-not-fit") CHECK_FALSE(rejection.nearest_fix.empty());
    }
  });
}
