// The bill: every line is a quantity times a unit price, and the total is the
// sum of the lines as shown, to the cent.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "vcgpu/estimate.hpp"

namespace vcgpu {

namespace {

constexpr double hour_s = 3600;

bool is_spot(const Offer& offer) { return offer.pricing == "spot"; }

// Expected share of time lost to interruptions: half a checkpoint interval of
// work and a restart for each.
double rework_share(const Offer& offer, const CostAssumptions& assumptions) {
  if (!is_spot(offer)) return 0;
  const auto rate = assumptions.interruptions_per_hour.find(offer.tier);
  const double per_hour = rate == assumptions.interruptions_per_hour.end() ? 0 : rate->second;
  return per_hour * in_hours(assumptions.checkpoint_interval / 2 + assumptions.restart);
}

Seconds billed(Seconds used, const Provider& provider) {
  // Not known: an hour at a time, the dearer of what is common.
  const double granularity = provider.billing_granularity_s.value_or(hour_s);
  const double minimum = provider.minimum_charge_s.value_or(granularity);
  const double rounded = std::ceil(used.count() / granularity - 1e-9) * granularity;
  return Seconds(std::max(rounded, minimum));
}

double cents(double usd) { return std::round(usd * 100) / 100; }

// Data set, environment and the checkpoints that are kept.
double storage_gb(const Workload& workload, const CostAssumptions& assumptions) {
  double gb = assumptions.environment_gb +
              in_hours(workload.dataset.value) * assumptions.dataset_gb_per_hour;
  for (const StageWorkload& stage : workload.stages)
    gb += assumptions.checkpoints_kept * stage.stage->training.trainable *
          stage.stage->training.weight_bytes / 1e9;
  if (workload.inference)
    gb += in_hours(workload.inference->volume.value) * assumptions.dataset_gb_per_hour;
  return gb;
}

// What leaves the machine: the last checkpoint of each stage, or the audio.
double egress_gb(const Workload& workload, const CostAssumptions& assumptions) {
  double gb = 0;
  for (const StageWorkload& stage : workload.stages)
    gb += stage.stage->training.trainable * stage.stage->training.weight_bytes / 1e9;
  if (workload.task == Task::batch)
    gb += in_hours(workload.inference->volume.value) * assumptions.dataset_gb_per_hour;
  return gb;
}

struct Bill {
  std::vector<CostLine> lines;

  // What comes to less than half a cent is no line, except the first.
  void add(std::string_view name, double quantity, std::string_view unit, double unit_price_usd) {
    const Usd usd(cents(quantity * unit_price_usd));
    if (usd.count() > 0 || lines.empty())
      lines.push_back({name, quantity, unit, unit_price_usd, usd});
  }
  [[nodiscard]] Usd total() const {
    double sum = 0;
    for (const CostLine& item : lines) sum += item.usd.count();
    return Usd(cents(sum));
  }
};

Bill bill_of(const Workload& workload, Seconds work, Seconds setup, const Provider& provider,
             const Offer& offer, double instances, const CostAssumptions& assumptions) {
  const double price = offer.usd_per_hour.count();
  const Seconds rework = work * rework_share(offer, assumptions);
  const Seconds used = work + setup + rework;
  const Seconds charged = billed(used, provider);
  Bill bill;
  bill.lines.reserve(6);
  const auto hours_line = [&](std::string_view name, Seconds time) {
    bill.add(name, in_hours(time) * instances, "instance-hour", price);
  };
  hours_line("compute", work);
  hours_line("set-up", setup);
  hours_line("expected rework (spot)", rework);
  hours_line("billing minimum and rounding", charged - used);
  const double gb =
      std::max(0.0, storage_gb(workload, assumptions) - provider.storage.included_gb.value_or(0));
  if (provider.storage.usd_per_gb_month && !offer.disk_gb) {
    const double months = in_hours(charged) / (24 * assumptions.days_per_month);
    bill.add("storage", gb * months * instances, "GB-month", *provider.storage.usd_per_gb_month);
  }
  if (provider.egress_usd_per_gb && *provider.egress_usd_per_gb > 0)
    bill.add("egress", egress_gb(workload, assumptions), "GB", *provider.egress_usd_per_gb);
  return bill;
}

// A month of serving: the machines run the hours asked for, every day.
Bill month_of_serving(const Workload& workload, const Provider& provider, const Offer& offer,
                      double instances, const CostAssumptions& assumptions) {
  const InferenceWorkload& inference = *workload.inference;
  Bill bill;
  bill.add("compute", inference.hours_per_day.value * assumptions.days_per_month * instances,
           "instance-hour", offer.usd_per_hour.count());
  const double gb =
      std::max(0.0, assumptions.environment_gb - provider.storage.included_gb.value_or(0));
  if (provider.storage.usd_per_gb_month && !offer.disk_gb)
    bill.add("storage", gb * instances, "GB-month", *provider.storage.usd_per_gb_month);
  return bill;
}

}  // namespace

Range<Seconds> wall_time(const Range<Seconds>& work, const Offer& offer,
                         const CostAssumptions& assumptions) {
  const double factor = 1 + rework_share(offer, assumptions);
  return work.map([&](Seconds time) { return time * factor; }) + assumptions.setup;
}

Cost estimate_cost(const Workload& workload, const Range<Seconds>& work, const Provider& provider,
                   const Offer& offer, double instances, const CostAssumptions& assumptions) {
  const auto bill = [&](Seconds time, Seconds setup) {
    return bill_of(workload, time, setup, provider, offer, instances, assumptions);
  };
  const bool serving = workload.task == Task::realtime;
  Bill expected = serving ? month_of_serving(workload, provider, offer, instances, assumptions)
                          : bill(work.expected, assumptions.setup.expected);
  const Usd total = expected.total();
  Cost cost;
  cost.total = serving ? Range<Usd>{total, total, total}
                       : Range<Usd>{bill(work.low, assumptions.setup.low).total(), total,
                                    bill(work.high, assumptions.setup.high).total()};
  // Each bill is rounded line by line, which can turn the ends by a cent.
  cost.total.low = std::min(cost.total.low, total);
  cost.total.high = std::max(cost.total.high, total);
  cost.lines = std::move(expected.lines);
  if (serving) {
    const InferenceWorkload& inference = *workload.inference;
    const double audio_hours = inference.streams.value * inference.duty.value *
                               inference.hours_per_day.value * assumptions.days_per_month;
    cost.per_month = total;
    cost.per_audio_hour = total / audio_hours;
  } else if (workload.task == Task::batch) {
    cost.per_audio_hour = total / in_hours(workload.inference->volume.value);
  }
  if (!provider.billing_granularity_s)
    cost.notes.emplace_back("billing granularity not known: rounded up to the hour");
  if (!provider.storage.usd_per_gb_month && !offer.disk_gb)
    cost.notes.emplace_back("storage price not known: not in the total");
  if (!provider.egress_usd_per_gb)
    cost.notes.emplace_back("egress price not known: not in the total");
  return cost;
}

}  // namespace vcgpu
