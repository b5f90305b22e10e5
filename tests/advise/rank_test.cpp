#include "advise/rank.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/candidates.hpp"
#include "support/catch.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

using Skus = std::vector<std::string>;

Skus sorted(Candidates& candidates, SortKey key) {
  sort_candidates(candidates.list, key);
  return candidates.skus();
}

Skus pareto(Candidates& candidates) {
  mark_pareto(candidates.list);
  Skus skus;
  for (const Candidate& candidate : candidates.list) {
    if (candidate.pareto) skus.push_back(candidate.offer->sku);
  }
  std::sort(skus.begin(), skus.end());
  return skus;
}

}  // namespace

TEST_CASE("what fits comes before what is tight, however cheap") {
  Candidates c;
  c.add({.usd = 1, .verdict = Verdict::tight, .sku = "tight"});
  c.add({.usd = 9, .verdict = Verdict::fits, .sku = "fits"});
  CHECK(sorted(c, SortKey::cost) == Skus{"fits", "tight"});
}

TEST_CASE("each sort key puts its own best first") {
  Candidates c;
  c.add({.usd = 2, .hours = 3, .sku = "cheap", .usd_per_hour = 3});
  c.add({.usd = 3, .hours = 1, .sku = "fast", .usd_per_hour = 9});
  c.add({.usd = 4, .hours = 2, .sku = "low-rate", .usd_per_hour = 1});
  CHECK(sorted(c, SortKey::cost) == Skus{"cheap", "fast", "low-rate"});
  CHECK(sorted(c, SortKey::time) == Skus{"fast", "low-rate", "cheap"});
  CHECK(sorted(c, SortKey::hourly) == Skus{"low-rate", "cheap", "fast"});
}

TEST_CASE("sorting by fit puts the safest first") {
  Candidates c;
  c.add({.usd = 1, .sku = "risky"});
  c.add({.usd = 9, .sku = "safe"});
  c.last_plan().fit.oom_probability = 0.001;
  CHECK(sorted(c, SortKey::fit) == Skus{"safe", "risky"});
}

TEST_CASE("several instances count for the hourly price") {
  Candidates c;
  c.add({.sku = "three", .usd_per_hour = 1}).instances = 3;
  c.add({.sku = "one", .usd_per_hour = 2});
  CHECK(sorted(c, SortKey::hourly) == Skus{"one", "three"});
}

TEST_CASE("equal costs are ranked by time, then by reliability") {
  Candidates c;
  c.add({.hours = 2, .reliability = 5, .sku = "slow"});
  c.add({.hours = 1, .reliability = 2, .sku = "fast"});
  c.add({.hours = 1, .reliability = 4, .sku = "fast-reliable"});
  CHECK(sorted(c, SortKey::cost) == Skus{"fast-reliable", "fast", "slow"});
}

TEST_CASE("what is equal in all numbers is ranked by GPU, provider and SKU") {
  Candidates c;
  c.add({.gpu = "b", .provider = "a", .sku = "a"});
  c.add({.gpu = "a", .provider = "b", .sku = "c"});
  c.add({.gpu = "a", .provider = "a", .sku = "e"});
  c.add({.gpu = "a", .provider = "a", .sku = "d"});
  CHECK(sorted(c, SortKey::cost) == Skus{"d", "e", "c", "a"});
}

TEST_CASE("offers that differ in one word alone have one order") {
  const auto word = GENERATE(values<std::string>({"pricing", "tier", "region", "interconnect"}));
  Candidates c;
  for (const char* value : {"x", "y"}) {
    c.add({});
    Offer& offer = c.last_offer();
    if (word == "pricing") offer.pricing = value;
    if (word == "tier") offer.tier = value;
    if (word == "region") offer.regions = {value};
    if (word == "interconnect") offer.interconnect = value;
  }
  std::vector<Candidate> reversed(c.list.rbegin(), c.list.rend());
  sort_candidates(c.list, SortKey::cost);
  sort_candidates(reversed, SortKey::cost);
  CAPTURE(word);
  CHECK(c.list.front().offer == reversed.front().offer);
}

TEST_CASE("a candidate without a time comes after those with one") {
  Candidates c;
  c.add({.usd = 1, .sku = "unknown"}).wall.reset();
  c.add({.usd = 9, .sku = "known"});
  CHECK(sorted(c, SortKey::time) == Skus{"known", "unknown"});
}

TEST_CASE("the Pareto set is what nothing beats in both cost and time") {
  Candidates c;
  c.add({.usd = 1, .hours = 9, .sku = "cheapest"});
  c.add({.usd = 3, .hours = 3, .sku = "middle"});
  c.add({.usd = 4, .hours = 4, .sku = "beaten"});
  c.add({.usd = 9, .hours = 1, .sku = "fastest"});
  c.add({.usd = 9.5, .hours = 1, .sku = "as-fast-but-dearer"});
  CHECK(pareto(c) == Skus{"cheapest", "fastest", "middle"});
}

TEST_CASE("only what fits is in the Pareto set or beats what is") {
  Candidates c;
  c.add({.usd = 1, .hours = 1, .verdict = Verdict::tight, .sku = "tight"});
  c.add({.usd = 2, .hours = 2, .sku = "fits"});
  CHECK(pareto(c) == Skus{"fits"});
}

TEST_CASE("of equals one is in the Pareto set, the better ranked") {
  Candidates c;
  c.add({.sku = "b"});
  c.add({.sku = "a"});
  CHECK(pareto(c) == Skus{"a"});
}

TEST_CASE("a mark of a set before is taken off") {
  Candidates c;
  c.add({.usd = 2, .hours = 2, .sku = "beaten"}).pareto = true;
  c.add({.usd = 1, .hours = 1, .sku = "best"});
  CHECK(pareto(c) == Skus{"best"});
}

TEST_CASE("the score weighs cost, time, free memory and reliability as stated") {
  Candidates c;
  c.add({.usd = 2, .hours = 4, .reliability = 5, .free_share = 0.25});
  c.add({.usd = 4, .hours = 1, .reliability = 0, .free_share = 0});
  score_candidates(c.list);
  // weights 0.5, 0.2, 0.1, 0.2
  CHECK(c.list[0].score == Approx(0.5 * 1 + 0.2 * 0.25 + 0.1 * 0.25 + 0.2 * 1));
  CHECK(c.list[1].score == Approx(0.5 * 0.5 + 0.2 * 1));
}

TEST_CASE("the shares of a score add up to it") {
  Candidates c;
  c.add({.usd = 2, .hours = 4});
  c.add({.usd = 3, .hours = 1});
  score_candidates(c.list);
  for (const Candidate& candidate : c.list) {
    double sum = 0;
    double weights = 0;
    for (const ScoreShare& share : candidate.shares) {
      sum += share.weight * share.value;
      weights += share.weight;
    }
    CHECK(sum == Approx(candidate.score));
    CHECK(weights == Approx(1));
  }
}

TEST_CASE("sorting by value follows the score") {
  Candidates c;
  c.add({.usd = 1, .hours = 9, .reliability = 1, .sku = "cheap"});
  c.add({.usd = 1.2, .hours = 1, .reliability = 5, .sku = "balanced"});
  score_candidates(c.list);
  CHECK(sorted(c, SortKey::value) == Skus{"balanced", "cheap"});
}

TEST_CASE("one candidate of each provider is kept, the first") {
  Candidates c;
  c.add({.provider = "a", .sku = "a1"});
  c.add({.provider = "b", .sku = "b1"});
  c.add({.provider = "a", .sku = "a2"});
  collapse_candidates(c.list, Collapse::provider);
  CHECK(c.skus() == Skus{"a1", "b1"});
}

TEST_CASE("one candidate of each GPU and count is kept, the first") {
  Candidates c;
  c.add({.gpu = "x", .sku = "x1"});
  c.add({.gpu = "y", .sku = "y1"});
  c.add({.gpu = "x", .sku = "x2"});
  c.add({.gpu = "x", .sku = "2x"});
  c.last_plan().group.count = 2;
  collapse_candidates(c.list, Collapse::gpu);
  CHECK(c.skus() == Skus{"x1", "y1", "2x"});
}

TEST_CASE("without collapsing every offer is kept") {
  Candidates c;
  c.add({.sku = "1"});
  c.add({.sku = "2"});
  collapse_candidates(c.list, Collapse::offer);
  CHECK(c.list.size() == 2);
}
