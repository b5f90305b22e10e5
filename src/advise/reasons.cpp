#include "advise/reasons.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

class Reasons {
 public:
  void add(const char* rule, const char* effect, std::string message) {
    m_list.push_back({rule, effect, std::move(message)});
  }
  [[nodiscard]] std::vector<Reason> take() { return std::move(m_list); }

 private:
  std::vector<Reason> m_list;
};

void about_memory(const Candidate& candidate, Reasons& reasons) {
  const GroupPlan& plan = *candidate.plan;
  if (plan.group.gpu->id == no_gpu_id) return;
  const Bytes free = plan.usable - plan.device.expected;
  if (plan.fit.verdict == Verdict::fits)
    reasons.add("fits", "prefer",
                fmt::format("peak {:.1f} of {:.1f} GiB usable, {:.1f} GiB free",
                            in_gib(plan.device.expected), in_gib(plan.usable), in_gib(free)));
  else if (plan.fit.verdict == Verdict::tight)
    reasons.add(
        "tight", "warn",
        fmt::format(
            "{:.0f} % chance to run out of memory; trouble often comes after the first epochs",
            plan.fit.oom_probability * 100));
  else
    reasons.add("does-not-fit", "warn",
                plan.obstacle ? plan.obstacle->message + (plan.obstacle->nearest_fix.empty()
                                                              ? ""
                                                              : "; " + plan.obstacle->nearest_fix)
                              : "does not fit");
}

void about_settings(const Candidate& candidate, Reasons& reasons) {
  for (const PlannedStage& stage : candidate.plan->stages) {
    const StagePlan& plan = stage.plan;
    const char* unit = stage.workload->stage->batch_unit == BatchUnit::clips    ? ""
                       : stage.workload->stage->batch_unit == BatchUnit::frames ? " frames"
                                                                                : " s";
    if (plan.effective_batch() < 0.95 * plan.wanted_batch)
      reasons.add("smaller-batch",
                  plan.effective_batch() < 0.5 * plan.wanted_batch ? "warn" : "advise",
                  fmt::format("stage {}: batch {}{} instead of the recipe's {} to fit",
                              stage.workload->stage->id, number_text(plan.effective_batch()), unit,
                              number_text(plan.wanted_batch)));
    // What was set by the user needs no reason.
    const WorkloadRequest& asked = stage.workload->asked;
    const char* end =
        stage.fit.verdict == Verdict::does_not_fit ? "does not make it fit" : "makes it fit";
    const std::string& id = stage.workload->stage->id;
    if (plan.checkpointing && !stage.workload->recipe->checkpointing && !asked.checkpointing)
      reasons.add(
          "checkpointing", "advise",
          fmt::format("stage {}: gradient checkpointing {}, at about a third more time", id, end));
    if (plan.optimizer->id == "adamw-8bit" && !asked.optimizer)
      reasons.add("8-bit-optimizer", "advise", fmt::format("stage {}: 8-bit AdamW {}", id, end));
    if (plan.method == Method::lora && stage.workload->recipe->method == Method::full &&
        !asked.lora_rank)
      reasons.add("lora", "advise",
                  fmt::format("stage {}: LoRA rank {} instead of full training {}", id,
                              plan.lora_rank, end));
    if (!is_half(stage.workload->recipe->precision) && is_half(plan.precision) && !asked.precision)
      reasons.add(
          "other-precision", "warn",
          fmt::format("stage {}: {} {}, where the recipe trains in {}: switch it on", id,
                      name_of(plan.precision), end, name_of(stage.workload->recipe->precision)));
    if (plan.precision != stage.workload->recipe->precision &&
        is_half(stage.workload->recipe->precision) && !is_half(plan.precision))
      reasons.add("no-mixed-precision", "warn",
                  fmt::format("stage {}: this card trains in fp32, more memory and slower",
                              stage.workload->stage->id));
  }
}

void about_speed(const Candidate& candidate, Reasons& reasons) {
  const GroupPlan& plan = *candidate.plan;
  if (plan.time_basis == Basis::analytic && (candidate.wall || plan.speed))
    reasons.add("analytic-time", "warn",
                "the time is an analytic estimate: nobody has published one for this stage");
  if (plan.speed && !candidate.wall && plan.speed->first_audio_ms)
    reasons.add("first-audio", "advise",
                fmt::format("first audio after {:.0f} ms, {:.0f} to {:.0f}",
                            plan.speed->first_audio_ms->expected, plan.speed->first_audio_ms->low,
                            plan.speed->first_audio_ms->high));
  if (plan.speed && !candidate.wall && plan.speed->rtf.high > 1)
    reasons.add("may-stutter", "warn",
                fmt::format("real-time factor {:.2f}, up to {:.2f}: above 1 the voice stutters",
                            plan.speed->rtf.expected, plan.speed->rtf.high));
}

void about_offer(const Candidate& candidate, const Catalog& catalog, Reasons& reasons) {
  const Offer& offer = *candidate.offer;
  const Provider& provider = *candidate.provider;
  const PriceAssumptions& prices = catalog.assumptions().prices;
  if (candidate.price_age_days > prices.old_after_days)
    reasons.add("old-price", "warn",
                fmt::format("the price is of {}, {} days old: check it before you rent",
                            offer.as_of, candidate.price_age_days));
  if (offer.pricing == "spot")
    reasons.add("spot", "warn", "spot: can be taken away at any time; save checkpoints");
  if (offer.tier == "community")
    reasons.add("community-host", "warn", "a third party's machine: no private data, no guarantee");
  if (offer.host_reliability && *offer.host_reliability < prices.good_host_reliability)
    reasons.add("host-reliability", "warn",
                fmt::format("this host's uptime was {:.1f} %", *offer.host_reliability * 100));
  const MarketReference* market = catalog.market_of(offer.gpu);
  const double per_gpu = offer.usd_per_hour.count() / offer.gpu_count;
  if (market != nullptr && market->median_usd && offer.pricing == "on-demand" &&
      per_gpu < prices.plausible_from_median * *market->median_usd)
    reasons.add(
        "far-below-market", "warn",
        fmt::format(
            "{:.2f} USD per GPU-hour is far below the market's median of {:.2f}: may be sold out",
            per_gpu, *market->median_usd));
  if (!provider.reliability)
    reasons.add("unknown-reliability", "advise",
                fmt::format("how reliable {} is, is not known", provider.name));
  else if (*provider.reliability <= 2)
    reasons.add(
        "low-reliability", "warn",
        fmt::format("reliability {} of 5: {}", *provider.reliability, provider.reliability_reason));
  for (const std::string_view note : candidate.cost->notes)
    reasons.add("cost-note", "advise", std::string(note));
}

}  // namespace

std::vector<Reason> reasons_for(const Candidate& candidate, const Recommendation& all,
                                const Catalog& catalog) {
  Reasons reasons;
  if (candidate.rank == 1 && candidate.offer != nullptr) {
    const bool cheapest =
        std::all_of(all.candidates.begin(), all.candidates.end(), [&](const Candidate& other) {
          return other.plan->fit.verdict != Verdict::fits ||
                 other.cost->total.expected >= candidate.cost->total.expected;
        });
    if (cheapest && candidate.plan->fit.verdict == Verdict::fits)
      reasons.add("cheapest", "prefer",
                  fmt::format("lowest expected total of {} offers that do the job", all.total));
  }
  about_memory(candidate, reasons);
  about_settings(candidate, reasons);
  about_speed(candidate, reasons);
  if (candidate.offer != nullptr) about_offer(candidate, catalog, reasons);
  return reasons.take();
}

}  // namespace vcgpu
