#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/small_catalog.hpp"
#include "vcgpu/estimate.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

Range<Seconds> exactly(Seconds time) { return {time, time, time}; }

// A bill for the small model's job; the provider and the offer are free to
// change before it is made out.
struct Bill {
  Catalog catalog{small_parts()};
  Workload workload;
  Provider provider = small_provider("alpha");
  Offer offer = small_offer("a", "card-24gb", 2.4);
  CostAssumptions assumptions = small_assumptions().cost;
  Range<Seconds> work = exactly(hours(1));
  double instances = 1;

  explicit Bill(const WorkloadRequest& request = small_request())
      : workload(resolve(request, catalog)) {}
  Bill(const Bill&) = delete;  // the workload points into the catalog
  Bill& operator=(const Bill&) = delete;

  [[nodiscard]] Cost cost() const {
    return estimate_cost(workload, work, provider, offer, instances, assumptions);
  }
  [[nodiscard]] double total() const { return cost().total.expected.count(); }
  [[nodiscard]] double line(std::string_view name) const {
    for (const CostLine& item : cost().lines) {
      if (item.name == name) return item.usd.count();
    }
    return 0;
  }
  [[nodiscard]] bool notes(std::string_view part) const {
    const Cost made_out = cost();
    return std::any_of(made_out.notes.begin(), made_out.notes.end(), [&](std::string_view note) {
      return note.find(part) != std::string_view::npos;
    });
  }
};

}  // namespace

TEST_CASE("a job costs its hours and the set-up's") {
  const Bill bill;
  CHECK(bill.line("compute") == Approx(2.4));
  CHECK(bill.line("set-up") == Approx(0.6));
  CHECK(bill.total() == Approx(3.0));
}

TEST_CASE("time is billed in whole units of the provider") {
  Bill bill;
  bill.provider.billing_granularity_s = 3600;
  // 1.25 h are billed as 2 h.
  CHECK(bill.line("billing minimum and rounding") == Approx(1.8));
  CHECK(bill.total() == Approx(4.8));
}

TEST_CASE("time that is already whole is not rounded up further") {
  Bill bill;
  bill.provider.billing_granularity_s = 900;
  CHECK(bill.total() == Approx(3.0));
}

TEST_CASE("a provider's minimum charge is paid") {
  Bill bill;
  bill.provider.minimum_charge_s = 3 * 3600;
  CHECK(bill.total() == Approx(7.2));
}

TEST_CASE("an unknown granularity is taken as an hour and said") {
  Bill bill;
  bill.provider.billing_granularity_s = std::nullopt;
  bill.provider.minimum_charge_s = std::nullopt;
  CHECK(bill.total() == Approx(4.8));
  CHECK(bill.notes("billing granularity not known"));
}

TEST_CASE("storage is billed by the month for as long as the job runs") {
  Bill bill;
  bill.provider.storage.usd_per_gb_month = 14.4;
  // 20 GB environment + 40 min x 0.5 GB/h + 2 checkpoints of 0.4 GB, for 1.25 h
  // of a month of 30 days: 21.13 GB x 1.25 / 720 x 14.4 USD
  CHECK(bill.line("storage") == Approx(0.53));
}

TEST_CASE("included storage is not billed") {
  Bill bill;
  bill.provider.storage.usd_per_gb_month = 14.4;
  bill.provider.storage.included_gb = 100;
  CHECK(bill.line("storage") == 0);
}

TEST_CASE("a disk that comes with the offer is not billed") {
  Bill bill;
  bill.provider.storage.usd_per_gb_month = 14.4;
  bill.offer.disk_gb = 500;
  CHECK(bill.line("storage") == 0);
}

TEST_CASE("an unknown storage price is said, not taken as nothing") {
  Bill bill;
  bill.provider.storage.usd_per_gb_month = std::nullopt;
  CHECK(bill.notes("storage price not known"));
  bill.offer.disk_gb = 500;
  CHECK_FALSE(bill.notes("storage price not known"));
}

TEST_CASE("egress is billed for the last checkpoint") {
  Bill bill;
  bill.provider.egress_usd_per_gb = 1;
  CHECK(bill.line("egress") == Approx(0.4));
}

TEST_CASE("an unknown egress price is said, not taken as nothing") {
  Bill bill;
  bill.provider.egress_usd_per_gb = std::nullopt;
  CHECK(bill.notes("egress price not known"));
}

TEST_CASE("a provider whose facts are known leaves no notes") {
  CHECK(Bill().cost().notes.empty());
}

TEST_CASE("spot pays for the expected rework after interruptions") {
  Bill bill;
  bill.work = exactly(hours(10));
  bill.offer.pricing = "spot";
  // 0.1 interruptions an hour x (0.25 h half an interval + 0.25 h restart)
  CHECK(bill.line("expected rework (spot)") == Approx(10 * 0.05 * 2.4));
  CHECK(in_hours(wall_time(bill.work, bill.offer, bill.assumptions).expected) ==
        Approx(10 * 1.05 + 0.25));
}

TEST_CASE("spot on community hosts is interrupted more often") {
  Bill bill;
  bill.work = exactly(hours(10));
  bill.offer.pricing = "spot";
  bill.offer.tier = "community";
  CHECK(bill.line("expected rework (spot)") == Approx(10 * 0.1 * 2.4));
}

TEST_CASE("on-demand is not interrupted") {
  Bill bill;
  bill.work = exactly(hours(10));
  CHECK(bill.line("expected rework (spot)") == 0);
  CHECK(wall_time(bill.work, bill.offer, bill.assumptions).expected == hours(10.25));
}

TEST_CASE("several instances cost as many times") {
  Bill bill;
  bill.instances = 3;
  CHECK(bill.total() == Approx(9.0));
}

TEST_CASE("every line is its quantity times its unit price, to the cent") {
  Bill bill;
  bill.work = exactly(hours(1.237));
  bill.provider.billing_granularity_s = 600;
  bill.provider.storage.usd_per_gb_month = 7.77;
  bill.provider.egress_usd_per_gb = 0.113;
  bill.offer.pricing = "spot";
  const Cost cost = bill.cost();
  REQUIRE(cost.lines.size() == 6);
  double sum = 0;
  for (const CostLine& line : cost.lines) {
    CAPTURE(std::string(line.name));
    CHECK(line.usd.count() ==
          Approx(std::round(line.quantity * line.unit_price_usd * 100) / 100).margin(1e-9));
    sum += line.usd.count();
  }
  CHECK(cost.total.expected.count() == Approx(sum).margin(1e-9));
}

TEST_CASE("the range of cost follows the range of time") {
  Bill bill;
  bill.work = {hours(0.5), hours(1), hours(2)};
  const Cost cost = bill.cost();
  CHECK(cost.total.low.count() == Approx(0.75 * 2.4));
  CHECK(cost.total.expected.count() == Approx(3.0));
  CHECK(cost.total.high.count() == Approx(2.25 * 2.4));
}

TEST_CASE("the low end of the cost is never above the expected, whatever the rounding") {
  Bill bill;
  bill.provider.billing_granularity_s = 3600;
  bill.provider.minimum_charge_s = 3600;
  for (int minute = 1; minute < 40; ++minute) {
    bill.work = {minutes(minute * 0.7), minutes(minute), minutes(minute * 1.4)};
    for (const double usd : {0.07, 0.193, 0.37, 1.337, 2.499}) {
      bill.offer.usd_per_hour = UsdPerHour(usd);
      const Cost cost = bill.cost();
      CAPTURE(minute, usd);
      CHECK(cost.total.low <= cost.total.expected);
      CHECK(cost.total.expected <= cost.total.high);
    }
  }
}

TEST_CASE("serving is billed by the month of the hours asked for") {
  WorkloadRequest request = small_request(Task::realtime);
  request.hours_per_day = flag(8.0);
  request.streams = flag(2);
  request.duty = flag(0.5);
  Bill bill(request);
  bill.provider.storage.usd_per_gb_month = 0.1;
  // 8 h x 30 days x 2.4 USD, and 20 GB of environment.
  CHECK(bill.line("compute") == Approx(576));
  CHECK(bill.line("storage") == Approx(2));
  CHECK(bill.cost().per_month.value().count() == Approx(578));
  // 2 streams x 0.5 x 240 h of audio
  CHECK(bill.cost().per_audio_hour.value().count() == Approx(578.0 / 240));
}

TEST_CASE("a volume of audio costs so much an hour of it") {
  WorkloadRequest request = small_request(Task::batch);
  request.volume = flag(hours(10));
  const Bill bill(request);
  CHECK(bill.cost().per_audio_hour.value().count() == Approx(0.3));
}
