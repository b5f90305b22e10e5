#include "advise/reasons.hpp"

#include <algorithm>
#include <string>

#include "support/answered.hpp"
#include "support/catch.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

// The reason of one rule for the first candidate; its effect is "absent" where
// there is none.
Reason first_reason(const Answered& answer, const std::string& rule) {
  const std::vector<Reason>& reasons = answer->candidates.at(0).reasons;
  const auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const Reason& reason) { return reason.rule == rule; });
  return found == reasons.end() ? Reason{rule, "absent", ""} : *found;
}

RecommendOptions on(const std::string& gpu) {
  RecommendOptions options = small_options();
  options.filter.gpus = {gpu};
  return options;
}

Offer& offer_of_24gb(CatalogParts& parts) { return parts.providers[0].offers[3]; }

}  // namespace

TEST_CASE("the first is preferred for its cost, against as many as do the job") {
  const Answered answer(small_parts(), small_request());
  CHECK(first_reason(answer, "cheapest").message ==
        "lowest expected total of 4 offers that do the job");
}

TEST_CASE("the first of another order is not called the cheapest") {
  CatalogParts parts = small_parts();
  parts.gpus[3].bandwidth_gb_s = 200'000;
  RecommendOptions options = small_options();
  options.sort = SortKey::time;
  CHECK(first_reason(Answered(parts, small_request(), options), "cheapest").effect == "absent");
}

TEST_CASE("what fits says how much it leaves free") {
  // 10.1 GB expected of 24 GB
  CHECK(first_reason(Answered(small_parts(), small_request(), on("card-24gb")), "fits").message ==
        "peak 9.4 of 22.4 GiB usable, 12.9 GiB free");
}

TEST_CASE("what is tight is warned of with its chance") {
  CatalogParts parts = small_parts();
  parts.gpus[3].usable_gib = in_gib(gb(10.1));
  WorkloadRequest request = small_request();
  request.batch_size = flag(8.0);
  request.precision = flag(Precision::fp16);
  request.checkpointing = flag(false);
  request.optimizer = flag<std::string>("adamw");
  const Reason reason = first_reason(Answered(parts, request, on("card-24gb")), "tight");
  CHECK(reason.effect == "warn");
  CHECK_THAT(reason.message, StartsWith("50 % chance to run out of memory"));
}

TEST_CASE("checkpointing that the recipe does not have is advised") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.accumulation_supported = false;
  CHECK(first_reason(Answered(parts, small_request(), on("card-4gb")), "checkpointing").effect ==
        "advise");
  CHECK(first_reason(Answered(parts, small_request(), on("card-24gb")), "checkpointing").effect ==
        "absent");
}

TEST_CASE("a batch below the recipe's is said") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.accumulation_supported = false;
  CHECK(first_reason(Answered(parts, small_request(), on("card-8gb")), "smaller-batch").message ==
        "stage main: batch 5 instead of the recipe's 8 to fit");
}

TEST_CASE("a card that cannot train in half precision is warned of") {
  CatalogParts parts = small_parts();
  parts.gpus[3].tensor_cores = std::nullopt;
  parts.gpus[3].bf16_tflops = std::nullopt;
  CHECK(first_reason(Answered(parts, small_request(), on("card-24gb")), "no-mixed-precision")
            .effect == "warn");
}

TEST_CASE("a time that nobody has published is warned of") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.speed.references[0].basis = Basis::analytic;
  CHECK(first_reason(Answered(parts, small_request()), "analytic-time").effect == "warn");
  CHECK(first_reason(Answered(small_parts(), small_request()), "analytic-time").effect == "absent");
}

TEST_CASE("a price is old after as many days as the assumptions say") {
  CatalogParts parts = small_parts();
  offer_of_24gb(parts).as_of = "2026-10-31";
  CHECK(first_reason(Answered(parts, small_request(), on("card-24gb")), "old-price").effect ==
        "absent");
  offer_of_24gb(parts).as_of = "2026-10-30";
  CHECK(first_reason(Answered(parts, small_request(), on("card-24gb")), "old-price").message ==
        "the price is of 2026-10-30, 31 days old: check it before you rent");
}

TEST_CASE("spot and community hosts are warned of") {
  CatalogParts parts = small_parts();
  offer_of_24gb(parts).pricing = "spot";
  offer_of_24gb(parts).tier = "community";
  const Answered answer(parts, small_request(), on("card-24gb"));
  CHECK(first_reason(answer, "spot").effect == "warn");
  CHECK(first_reason(answer, "community-host").effect == "warn");
}

TEST_CASE("a host that was down more than a good one is warned of") {
  CatalogParts parts = small_parts();
  offer_of_24gb(parts).host_reliability = 0.95;
  CHECK(
      first_reason(Answered(parts, small_request(), on("card-24gb")), "host-reliability").message ==
      "this host's uptime was 95.0 %");
}

TEST_CASE("a price far below the market's is warned of, per GPU") {
  CatalogParts parts = small_parts();
  MarketReference reference;
  reference.gpu = "card-24gb";
  reference.median_usd = 2;
  parts.market = {reference};
  offer_of_24gb(parts).usd_per_hour = UsdPerHour(1.5);
  CHECK(
      first_reason(Answered(parts, small_request(), on("card-24gb")), "far-below-market").effect ==
      "absent");
  offer_of_24gb(parts).gpu_count = 2;  // 0.75 a GPU, below 0.4 x 2
  CHECK(
      first_reason(Answered(parts, small_request(), on("card-24gb")), "far-below-market").message ==
      "0.75 USD per GPU-hour is far below the market's median of 2.00: may be sold out");
}

TEST_CASE("a provider's reliability is warned of where low, and said where not known") {
  CatalogParts parts = small_parts();
  parts.providers[0].reliability = 2;
  parts.providers[0].reliability_reason = "no guarantee";
  CHECK(first_reason(Answered(parts, small_request()), "low-reliability").message ==
        "reliability 2 of 5: no guarantee");
  parts.providers[0].reliability = std::nullopt;
  CHECK(first_reason(Answered(parts, small_request()), "unknown-reliability").effect == "advise");
}

TEST_CASE("what the cost leaves out is said") {
  CatalogParts parts = small_parts();
  parts.providers[0].egress_usd_per_gb = std::nullopt;
  CHECK(first_reason(Answered(parts, small_request()), "cost-note").message ==
        "egress price not known: not in the total");
}

TEST_CASE("a service that may fall behind real time is warned of") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].inference->references[0].rtf = 0.79;
  parts.models[0].variants[0].inference->references[0].basis = Basis::analytic;
  CHECK(first_reason(Answered(parts, small_request(Task::realtime)), "may-stutter").effect ==
        "warn");
}
