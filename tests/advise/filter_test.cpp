#include "advise/filter.hpp"

#include <optional>
#include <string>
#include <tuple>

#include "support/catch.hpp"
#include "support/small_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

constexpr const char* accepted = "accepted";

std::string gpu_miss(const OfferFilter& filter, const std::string& gpu, double count = 1) {
  const std::optional<FilterMiss> miss = refuses(filter, embedded_catalog().gpu(gpu), count);
  return miss ? miss->code : accepted;
}

std::string offer_miss(const OfferFilter& filter, const Offer& offer, int age = 0,
                       std::optional<int> reliability = 3) {
  Provider provider = small_provider("alpha");
  provider.reliability = reliability;
  const std::optional<FilterMiss> miss = refuses(filter, provider, offer, age);
  return miss ? miss->code : accepted;
}

Offer offer() { return small_offer("a", "card-24gb", 1); }

}  // namespace

TEST_CASE("an empty filter accepts all hardware and every plain offer") {
  CHECK(gpu_miss({}, "t4", 8) == accepted);
  CHECK(offer_miss({}, offer(), 10'000, std::nullopt) == accepted);
}

TEST_CASE("a GPU filter accepts the GPUs that it lists") {
  OfferFilter filter;
  filter.gpus = {"t4-16gb", "l4-24gb"};
  CHECK(gpu_miss(filter, "t4") == accepted);
  CHECK(gpu_miss(filter, "a10") == "gpu");
}

TEST_CASE("a size of card in the GPU filter accepts every card of that size") {
  OfferFilter filter;
  filter.gpus = {"t4-16gb"};
  filter.memory_sizes_gb = {24};
  CHECK(gpu_miss(filter, "a10") == accepted);
  CHECK(gpu_miss(filter, "t4") == accepted);
  CHECK(gpu_miss(filter, "rtx 3060") == "gpu");
}

TEST_CASE("a range of memory goes by the size on the box") {
  OfferFilter filter;
  filter.vram_gb = OpenRange{24, 48};
  CHECK(gpu_miss(filter, "l40s") == accepted);  // 44.4 GiB usable
  CHECK(gpu_miss(filter, "a10") == accepted);
  CHECK(gpu_miss(filter, "t4") == "vram");
  CHECK(gpu_miss(filter, "a100") == "vram");
}

TEST_CASE("a range of GPU counts includes its ends and fractions") {
  OfferFilter filter;
  filter.gpu_count = OpenRange{1, 2};
  CHECK(gpu_miss(filter, "t4", 2) == accepted);
  CHECK(gpu_miss(filter, "t4", 4) == "gpu-count");
  CHECK(gpu_miss(filter, "t4", 0.5) == "gpu-count");
}

TEST_CASE("a vendor filter") {
  OfferFilter filter;
  filter.vendors = {Vendor::amd};
  CHECK(gpu_miss(filter, "mi300x") == accepted);
  CHECK(gpu_miss(filter, "t4") == "vendor");
}

TEST_CASE("an architecture filter ignores case and spaces") {
  OfferFilter filter;
  filter.architectures = {"ada-lovelace"};
  CHECK(gpu_miss(filter, "l40s") == accepted);
  CHECK(gpu_miss(filter, "t4") == "arch");
}

TEST_CASE("compute capability is compared as a version, not as a number") {
  OfferFilter filter;
  filter.min_compute_capability = {8, 6};
  filter.max_compute_capability = {9, 0};
  CHECK(gpu_miss(filter, "l40s") == accepted);
  CHECK(gpu_miss(filter, "h100") == accepted);
  CHECK(gpu_miss(filter, "a100") == "compute-capability");
  CHECK(gpu_miss(filter, "b200") == "compute-capability");
}

TEST_CASE("a card without a compute capability is no match for a range of them") {
  OfferFilter filter;
  filter.min_compute_capability = {5, 0};
  CHECK(gpu_miss(filter, "mi300x") == "compute-capability");
}

TEST_CASE("a provider filter accepts the providers that it lists") {
  OfferFilter filter;
  filter.providers = {"alpha"};
  CHECK(offer_miss(filter, offer()) == accepted);
  filter.providers = {"beta"};
  CHECK(offer_miss(filter, offer()) == "provider");
}

TEST_CASE("an excluded provider is refused even where it is listed") {
  OfferFilter filter;
  filter.providers = {"alpha"};
  filter.excluded_providers = {"alpha"};
  CHECK(offer_miss(filter, offer()) == "exclude-provider");
}

TEST_CASE("a region filter accepts the beginning of any word of a region's name") {
  using Row = std::tuple<std::string, std::string, bool>;
  const auto [region, wanted, matches] = GENERATE(values<Row>({{"eu-1", "EU", true},
                                                               {"us-east-1", "us-east", true},
                                                               {"us-east-1", "east", true},
                                                               {"US East (Ohio)", "us-east", true},
                                                               {"Texas-US", "us", true},
                                                               {"Australia", "us", false},
                                                               {"eu-1", "us", false},
                                                               {"eu-1", "", false},
                                                               {"eu-1", "-", false}}));
  CAPTURE(region, wanted);
  CHECK(region_matches(region, wanted) == matches);
}

TEST_CASE("an offer outside the region is refused") {
  OfferFilter filter;
  filter.regions = {"us-east", "EU"};
  CHECK(offer_miss(filter, offer()) == accepted);
  filter.regions = {"us-east"};
  CHECK(offer_miss(filter, offer()) == "region");
}

TEST_CASE("an offer in any region is in every region") {
  OfferFilter filter;
  filter.regions = {"us-east"};
  Offer anywhere = offer();
  anywhere.regions = {"any"};
  CHECK(offer_miss(filter, anywhere) == accepted);
}

TEST_CASE("an offer whose region is not known is in none") {
  OfferFilter filter;
  filter.regions = {"eu"};
  Offer nowhere = offer();
  nowhere.regions.clear();
  CHECK(offer_miss(filter, nowhere) == "region");
}

TEST_CASE("a pricing filter, with reserved for every term") {
  OfferFilter filter;
  filter.pricing = {"reserved"};
  CHECK(offer_miss(filter, offer()) == "pricing");
  Offer reserved = offer();
  reserved.pricing = "reserved-3y";
  CHECK(offer_miss(filter, reserved) == accepted);
  filter.pricing = {"reserved-1y"};
  CHECK(offer_miss(filter, reserved) == "pricing");
}

TEST_CASE("a tier filter") {
  OfferFilter filter;
  filter.tiers = {"secure"};
  CHECK(offer_miss(filter, offer()) == "tier");
}

TEST_CASE("a highest price per hour is for the whole instance and included") {
  OfferFilter filter;
  filter.max_hourly = UsdPerHour(1);
  CHECK(offer_miss(filter, offer()) == accepted);
  filter.max_hourly = UsdPerHour(0.999);
  CHECK(offer_miss(filter, offer()) == "max-hourly");
}

TEST_CASE("a least reliability refuses what is below it or not known") {
  OfferFilter filter;
  filter.min_reliability = 3;
  CHECK(offer_miss(filter, offer(), 0, 3) == accepted);
  CHECK(offer_miss(filter, offer(), 0, 2) == "min-reliability");
  CHECK(offer_miss(filter, offer(), 0, std::nullopt) == "min-reliability");
}

TEST_CASE("a highest age of prices is included") {
  OfferFilter filter;
  filter.max_age_days = 30;
  CHECK(offer_miss(filter, offer(), 30) == accepted);
  CHECK(offer_miss(filter, offer(), 31) == "max-age");
}

TEST_CASE("a refusal says what was found") {
  OfferFilter filter;
  filter.max_age_days = 30;
  CHECK(refuses(filter, small_provider("alpha"), offer(), 190).value().message ==
        "the price is 190 days old");
}
