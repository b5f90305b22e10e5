#include "vcgpu/recommend.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/answered.hpp"
#include "support/catch.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

using Skus = std::vector<std::string>;

Provider& alpha(CatalogParts& parts) { return parts.providers[0]; }

// Of the four cards, only one offer each; the job takes 1/3 h anywhere.
RecommendOptions only(const std::string& gpu) {
  RecommendOptions options = small_options();
  options.filter.gpus = {gpu};
  return options;
}

std::vector<std::string> axes(const Recommendation& result) {
  std::vector<std::string> names;
  for (const Alternative& alternative : result.alternatives) names.push_back(alternative.axis);
  return names;
}

}  // namespace

TEST_CASE("offers that do the job are ranked by expected total") {
  const Answered answer(small_parts(), small_request());
  CHECK(answer.skus() == Skus{"a-4", "a-8", "a-12", "a-24"});
  CHECK(answer->candidates[0].rank == 1);
  CHECK(answer->candidates[3].rank == 4);
  // 300 s of work and 900 s of set-up at 0.4 USD/h: 3.33 and 10 cents.
  CHECK(answer->candidates[0].cost->total.expected.count() == Approx(0.13));
  CHECK(answer->candidates[0].wall->expected.count() == Approx(1200));
}

TEST_CASE("of equal totals the lower price per hour comes first") {
  CatalogParts parts = small_parts();
  // 20 minutes cost a cent at either price.
  alpha(parts).offers = {small_offer("a-dearer", "card-24gb", 0.031),
                         small_offer("z-cheaper", "card-24gb", 0.029)};
  CHECK(Answered(parts, small_request()).skus() == Skus{"z-cheaper", "a-dearer"});
}

TEST_CASE("an offer's age is counted to today") {
  CatalogParts parts = small_parts();
  alpha(parts).offers[0].as_of = "2026-11-20";
  CHECK(Answered(parts, small_request(), only("card-4gb"))->candidates.at(0).price_age_days == 10);
}

TEST_CASE("planning runs once for each group of GPUs, not for each offer") {
  CatalogParts parts = small_parts();
  for (int i = 0; i < 50; ++i)
    alpha(parts).offers.push_back(small_offer("more-" + std::to_string(i), "card-24gb", 3));
  CHECK(Answered(parts, small_request())->plans.size() == 4);
}

TEST_CASE("the limit shortens the list, not the total") {
  RecommendOptions options = small_options();
  options.limit = 2;
  const Answered answer(small_parts(), small_request(), options);
  CHECK(answer.skus() == Skus{"a-4", "a-8"});
  CHECK(answer->total == 4);
  CHECK(answer->considered == 4);
}

TEST_CASE("the total counts candidates before they are collapsed") {
  RecommendOptions options = small_options();
  options.collapse = Collapse::provider;
  const Answered answer(small_parts(), small_request(), options);
  CHECK(answer.skus() == Skus{"a-4"});
  CHECK(answer->total == 4);
}

TEST_CASE("market prices that cannot be rented are counted, never ranked") {
  CatalogParts parts = small_parts();
  alpha(parts).market.push_back(
      {"minimum", "card-24gb", 1, "", "", "", UsdPerHour(0.001), "test", "2026-11-30", ""});
  const Answered answer(parts, small_request());
  CHECK(answer->statistics_only == 1);
  CHECK(answer->total == 4);
}

TEST_CASE("an offer that the filter refuses is left out for the filter's reason") {
  const Answered answer(small_parts(), small_request(), only("card-8gb"));
  CHECK(answer.skus() == Skus{"a-8"});
  REQUIRE(answer->rejections.size() == 3);
  for (const Rejection& rejection : answer->rejections) {
    CHECK(rejection.code == "filter-gpu");
    CHECK(rejection.filtered);
  }
}

TEST_CASE("a group that cannot do the job is one rejection for all its offers") {
  CatalogParts parts = small_parts();
  alpha(parts).offers.push_back(small_offer("b-4", "card-4gb", 0.2));
  WorkloadRequest request = small_request();
  request.batch_size = flag(8.0);
  request.checkpointing = flag(false);
  const Answered answer(parts, request);
  const Rejection& rejection = answer.rejection("does-not-fit");
  CHECK(rejection.offers == 2);
  CHECK(rejection.offer == nullptr);
  CHECK_FALSE(rejection.filtered);
  CHECK_FALSE(rejection.nearest_fix.empty());
}

TEST_CASE("what was asked for is listed after what cannot be done") {
  CatalogParts parts = small_parts();
  WorkloadRequest request = small_request();
  request.batch_size = flag(8.0);
  request.checkpointing = flag(false);
  RecommendOptions options = small_options();
  options.filter.gpus = {"card-4gb", "card-24gb"};
  const Answered answer(parts, request, options);
  REQUIRE(answer->rejections.size() == 3);
  CHECK(answer->rejections.front().code == "does-not-fit");
}

TEST_CASE("an offer over the budget is left out with its cost") {
  RecommendOptions options = only("card-24gb");
  options.filter.budget = Usd(0.5);
  const Answered answer(small_parts(), small_request(), options);
  CHECK(answer->candidates.empty());
  // 1/3 h at 2.4 USD/h
  CHECK(answer.rejection("over-budget").message == "0.80 USD expected, above --budget");
}

TEST_CASE("a budget of exactly the cost is enough") {
  RecommendOptions options = only("card-24gb");
  options.filter.budget = Usd(0.8);
  CHECK(Answered(small_parts(), small_request(), options)->candidates.size() == 1);
}

TEST_CASE("an offer past the deadline is left out with its time") {
  RecommendOptions options = only("card-24gb");
  options.filter.deadline = minutes(19);
  const Answered answer(small_parts(), small_request(), options);
  CHECK(answer.rejection("over-deadline").message == "20m expected, above --deadline");
}

TEST_CASE("a host that is down too often is left out") {
  CatalogParts parts = small_parts();
  alpha(parts).offers[3].host_reliability = 0.85;
  const Answered answer(parts, small_request(), only("card-24gb"));
  CHECK(answer.rejection("unreliable-host").message == "this host's uptime is 85.0 %");
}

TEST_CASE("a card whose speed is not known is left out, not taken as fast") {
  CatalogParts parts = small_parts();
  Gpu& gpu = parts.gpus[3];
  gpu.fp32_tflops = gpu.tf32_tflops = gpu.fp16_tflops = gpu.bf16_tflops = std::nullopt;
  const Answered answer(parts, small_request(), only("card-24gb"));
  CHECK(answer.rejection("unknown-speed").message ==
        "the speed of Card card-24gb on this job is not known");
}

TEST_CASE("reserved terms and serverless workers are ranked only where asked for") {
  CatalogParts parts = small_parts();
  alpha(parts).offers[0].pricing = "serverless";
  alpha(parts).offers[1].pricing = "reserved-1y";
  CHECK(Answered(parts, small_request()).skus() == Skus{"a-12", "a-24"});
  RecommendOptions options = small_options();
  options.filter.pricing = {"serverless", "reserved"};
  CHECK(Answered(parts, small_request(), options).skus() == Skus{"a-4", "a-8"});
}

TEST_CASE("spot is ranked for a job, and not for a service unless asked for") {
  CatalogParts parts = small_parts();
  alpha(parts).offers[0].pricing = "spot";
  CHECK(Answered(parts, small_request()).skus().front() == "a-4");
  CHECK(Answered(parts, small_request(Task::realtime)).skus().front() == "a-8");
  RecommendOptions options = small_options();
  options.filter.pricing = {"spot"};
  CHECK(Answered(parts, small_request(Task::realtime), options).skus() == Skus{"a-4"});
}

TEST_CASE("a provider below the least reliability is left out unless asked for") {
  CatalogParts parts = small_parts();
  parts.assumptions.prices.min_provider_reliability = 2;
  alpha(parts).reliability = 1;
  alpha(parts).reliability_reason = "home computers";
  const Answered answer(parts, small_request(), only("card-24gb"));
  CHECK(answer->candidates.empty());
  CHECK(answer.rejection("unreliable-provider").message == "reliability 1 of 5: home computers");
  CHECK(answer.rejection("unreliable-provider").nearest_fix == "--min-reliability 1");
  RecommendOptions options = only("card-24gb");
  options.filter.min_reliability = 1;
  CHECK(Answered(parts, small_request(), options)->candidates.size() == 1);
}

TEST_CASE("the fix of a rejected provider makes it a candidate of that job") {
  CatalogParts parts = small_parts();
  parts.assumptions.prices.min_provider_reliability = 5;
  const Answered answer(parts, small_request(), only("card-24gb"));
  CHECK(answer.rejection("unreliable-provider").nearest_fix == "--min-reliability 3");
}

TEST_CASE("only the Pareto set is listed where it is asked for") {
  CatalogParts parts = small_parts();
  parts.gpus[2].bandwidth_gb_s = 8000;  // twice as fast at three times the price
  RecommendOptions options = small_options();
  options.pareto_only = true;
  CHECK(Answered(parts, small_request(), options).skus() == Skus{"a-4", "a-12"});
}

TEST_CASE("nothing that fits leaves no candidate and a reason for each offer") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.trainable = 10e9;
  const Answered answer(parts, small_request());
  CHECK(answer->candidates.empty());
  CHECK(answer->total == 0);
  REQUIRE(answer->rejections.size() == 4);
  for (const Rejection& rejection : answer->rejections) {
    CHECK(rejection.code == "does-not-fit");
    CHECK_FALSE(rejection.nearest_fix.empty());
  }
}

TEST_CASE("a catalog without offers gives an empty answer") {
  CatalogParts parts = small_parts();
  parts.providers.clear();
  const Answered answer(parts, small_request());
  CHECK(answer->considered == 0);
  CHECK(answer->candidates.empty());
  CHECK(answer->alternatives.empty());
}

TEST_CASE("a faster choice is named where it is not the first") {
  CatalogParts parts = small_parts();
  parts.gpus[3].bandwidth_gb_s = 20'000;
  parts.models[0].stages[0].training.recipes[Task::finetune].epochs = 1000;
  const Answered answer(parts, small_request());
  REQUIRE(axes(*answer) == Skus{"fastest"});
  CHECK(answer->alternatives[0].candidate.offer->sku == "a-24");
}

TEST_CASE("of offers nearly as fast the cheapest is named the fastest") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.recipes[Task::finetune].epochs = 1000;
  parts.gpus[2].bandwidth_gb_s = 19'500;
  parts.gpus[3].bandwidth_gb_s = 20'000;
  const Answered answer(parts, small_request());
  REQUIRE(axes(*answer) == Skus{"fastest"});
  CHECK(answer->alternatives[0].candidate.offer->sku == "a-12");
}

TEST_CASE("a more reliable choice is named where it is not the first, spot never") {
  CatalogParts parts = small_parts();
  parts.providers.push_back(small_provider(
      "beta", {small_offer("b-spot", "card-24gb", 5), small_offer("b-24", "card-24gb", 6)}));
  parts.providers[1].reliability = 5;
  parts.providers[1].offers[0].pricing = "spot";
  const Answered answer(parts, small_request());
  REQUIRE(axes(*answer) == Skus{"most-reliable"});
  CHECK(answer->alternatives[0].candidate.offer->sku == "b-24");
}

TEST_CASE("a cheaper choice is named where another key is sorted by") {
  CatalogParts parts = small_parts();
  parts.gpus[3].bandwidth_gb_s = 200'000;
  RecommendOptions options = small_options();
  options.sort = SortKey::time;
  const Answered answer(parts, small_request(), options);
  REQUIRE(answer.skus().front() == "a-24");
  CHECK(axes(*answer) == Skus{"cheapest", "most-reliable"});
}

TEST_CASE("the number of offers behind a reason does not depend on how they are collapsed") {
  RecommendOptions options = small_options();
  options.collapse = Collapse::provider;
  const Answered answer(small_parts(), small_request(), options);
  CHECK(answer->candidates.at(0).reasons.at(0).message ==
        "lowest expected total of 4 offers that do the job");
}

TEST_CASE("an alternative keeps the rank that it has in the list") {
  CatalogParts parts = small_parts();
  parts.gpus[3].bandwidth_gb_s = 20'000;
  parts.models[0].stages[0].training.recipes[Task::finetune].epochs = 1000;
  const Answered answer(parts, small_request());
  REQUIRE(answer->alternatives.size() == 1);
  const Candidate& alternative = answer->alternatives[0].candidate;
  const auto listed = std::find_if(
      answer->candidates.begin(), answer->candidates.end(),
      [&](const Candidate& candidate) { return candidate.offer == alternative.offer; });
  REQUIRE(listed != answer->candidates.end());
  CHECK(alternative.rank == listed->rank);
}

TEST_CASE("a service takes as many instances as its streams need") {
  WorkloadRequest request = small_request(Task::realtime);
  request.streams = flag(20);
  // 8 streams keep up on a card.
  const Answered answer(small_parts(), request, only("card-24gb"));
  CHECK(answer->candidates.at(0).instances == 3);
}

TEST_CASE("every offer of the embedded catalog is ranked or has a reason why not") {
  for (const VoiceModel& model : embedded_catalog().models()) {
    for (const Task task : {Task::finetune, Task::batch, Task::realtime}) {
      std::optional<Workload> workload;
      try {
        workload = resolve(request_for(task, model.id), embedded_catalog());
      } catch (const Error&) {
        continue;  // the model has no such task
      }
      const Recommendation result = recommend(*workload, embedded_catalog(), small_options());
      std::size_t rejected = 0;
      for (const Rejection& rejection : result.rejections) rejected += rejection.offers;
      CAPTURE(model.id, static_cast<int>(task));
      CHECK(result.total + rejected == result.considered);
      CHECK(result.considered > 1000);
    }
  }
}

TEST_CASE("without a GPU the recipe is sized on a card with room for anything") {
  const Catalog catalog(small_parts());
  const Workload workload = resolve(small_request(), catalog);
  const Recommendation result = estimate_gpus(workload, catalog, {}, {}, 1);
  REQUIRE(result.candidates.size() == 1);
  CHECK(in_gb(result.candidates[0].plan->device.expected) == Approx(10.1));
  CHECK_FALSE(result.candidates[0].wall);
}

TEST_CASE("a GPU that is asked for is sized even where the job does not fit") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.trainable = 10e9;
  const Catalog catalog(parts);
  const Workload workload = resolve(small_request(), catalog);
  const Recommendation result = estimate_gpus(workload, catalog, {"card-24gb"}, {}, 1);
  REQUIRE(result.candidates.size() == 1);
  CHECK(result.candidates[0].plan->fit.verdict == Verdict::does_not_fit);
}

TEST_CASE("a size of card stands for the least that such cards give") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("other-24gb", 23));
  parts.gpus.back().memory_gb = 24;
  const Catalog catalog(parts);
  const Workload workload = resolve(small_request(), catalog);
  const Recommendation result = estimate_gpus(workload, catalog, {"24GB"}, {}, 1);
  REQUIRE(result.candidates.size() == 1);
  CHECK(in_gb(result.candidates[0].plan->usable) == Approx(23));
  CHECK_FALSE(result.candidates[0].wall);
}

TEST_CASE("all GPUs are those that the filter accepts, what fits first") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.trainable = 500e6;
  const Catalog catalog(parts);
  const Workload workload = resolve(small_request(), catalog);
  OfferFilter filter;
  filter.vram_gb = OpenRange{4, 12};
  const Recommendation result = estimate_gpus(workload, catalog, {"all"}, filter, 1);
  REQUIRE(result.candidates.size() == 3);
  CHECK(result.candidates[0].plan->group.gpu->id == "card-8gb");
  CHECK(result.candidates[1].plan->group.gpu->id == "card-12gb");
  CHECK(result.candidates[2].plan->group.gpu->id == "card-4gb");
  CHECK(result.candidates[2].plan->fit.verdict == Verdict::does_not_fit);
}
