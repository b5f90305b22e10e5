#include "report/cells.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

std::string task_text(Task task) {
  switch (task) {
    case Task::train:
      return "Train";
    case Task::finetune:
      return "Fine-tune";
    case Task::realtime:
      return "Serve";
    case Task::batch:
      return "Synthesise with";
  }
  return "?";
}

std::string padded(const std::string& shown, std::string_view plain, std::size_t columns) {
  const std::size_t width = display_width(plain);
  return width < columns ? shown + std::string(columns - width, ' ') : shown;
}

}  // namespace

std::string settings_text(const StagePlan& settings, const Style& style) {
  std::string text = fmt::format("b{}", number_text(settings.batch));
  if (settings.grad_accum > 1) text += style.times() + number_text(settings.grad_accum);
  text += fmt::format(" {}", name_of(settings.precision));
  if (settings.method == Method::lora) text += fmt::format(" r{}", settings.lora_rank);
  if (settings.checkpointing) text += " ckpt";
  return text;
}

std::string settings_text(const InferencePlan& plan) {
  return fmt::format("{} {} stream{}", name_of(plan.precision), plan.streams_per_gpu,
                     plan.streams_per_gpu == 1 ? "" : "s");
}

std::string plan_text(const GroupPlan& plan, const Style& style) {
  if (plan.inference) return settings_text(*plan.inference);
  const PlannedStage& stage = plan.stages[plan.peak_stage];
  // A pipeline says which stage needs the most memory.
  return (plan.stages.size() > 1 ? stage.workload->stage->id + " " : "") +
         settings_text(stage.plan, style);
}

std::string gib_text(const GroupPlan& plan) {
  const auto text = [](Bytes bytes) {
    return fmt::format("{:.{}f}", in_gib(bytes), in_gib(bytes) < 99.95 ? 1 : 0);
  };
  if (plan.group.gpu->id == no_gpu_id) return text(plan.device.expected) + " GiB";
  return text(plan.device.expected) + "/" + text(plan.usable) + " GiB";
}

double fill_of(const GroupPlan& plan) {
  return plan.usable.count() > 0 ? plan.device.expected / plan.usable : 1;
}

std::string time_text(const Candidate& candidate, const Style& style) {
  if (candidate.plan->inference && candidate.plan->speed && !candidate.wall)
    return fmt::format("RTF {:.2f}", candidate.plan->speed->rtf.expected);
  if (!candidate.wall) return "time unknown";
  const auto coarse = [](Seconds time) {
    return duration_text(time.count() >= 60 ? Seconds(60 * std::round(time.count() / 60)) : time);
  };
  return style.span(coarse(candidate.wall->low), coarse(candidate.wall->high));
}

std::string cost_text(const Candidate& candidate, const Style& style) {
  if (!candidate.cost) return "";
  const Cost& cost = *candidate.cost;
  // Cents say nothing beside hundreds.
  const bool whole = cost.total.high.count() >= 100;
  const auto text = [&](Usd usd) {
    const std::string money = money_text(usd);
    return whole ? money_text(Usd(std::round(usd.count()))).substr(0, money.size() - 3) : money;
  };
  if (cost.per_month) return "$" + text(cost.total.expected) + "/month";
  return "$" + style.span(text(cost.total.low), text(cost.total.high));
}

std::string price_text(const Candidate& candidate, int old_after_days) {
  std::string text = candidate.instances > 1 ? number_text(candidate.instances) + "x " : "";
  text += fmt::format("${}/h", rate_text(candidate.offer->usd_per_hour));
  if (candidate.price_age_days > old_after_days)
    text += fmt::format(" ({}d old)", candidate.price_age_days);
  return text;
}

std::string offer_text(const Candidate& candidate) {
  const Offer& offer = *candidate.offer;
  std::string text = printable(candidate.provider->name, 30);
  if (offer.tier == "community" || offer.tier == "secure") text += " " + offer.tier;
  return text + " " + printable(offer.pricing, 20);
}

void add_wrapped(std::string& out, std::string_view lead, std::string_view text,
                 std::size_t columns) {
  const std::size_t indent = display_width(lead);
  bool first = true;
  for (const std::string& line : wrapped(text, columns > indent + 20 ? columns - indent : 20)) {
    out += first ? std::string(lead) : std::string(indent, ' ');
    out += line + "\n";
    first = false;
  }
}

std::string verdict_cell(const Candidate& candidate, const Style& style, std::size_t columns) {
  if (candidate.plan->group.gpu->id == no_gpu_id) return std::string(columns, ' ');
  const std::string_view plain = candidate.plan->fit.verdict == Verdict::fits    ? "fits"
                                 : candidate.plan->fit.verdict == Verdict::tight ? "tight"
                                                                                 : "does not fit";
  return padded(style.verdict(candidate.plan->fit.verdict), plain, columns);
}

std::string workload_text(const Workload& workload, const GroupPlan* best) {
  const VoiceModel& model = workload.model();
  std::string text =
      fmt::format("{} {} ({}@{})", task_text(workload.task), printable(workload.variant().name, 80),
                  model.id, workload.variant().id);
  if (workload.inference) {
    const InferenceWorkload& inference = *workload.inference;
    if (workload.task == Task::batch) {
      text += fmt::format(
          ": {} of audio in requests of {}, {}\nThe amount decides time and cost: --volume.",
          audio_text(inference.volume.value), duration_text(inference.output.value),
          name_of(inference.precision.value));
    } else {
      text += fmt::format(
          ": {} stream{} active {:.0f} % of {} h a day, requests of {}, {}\nHow many speak at once "
          "decides the machines: --streams, --duty.",
          inference.streams.value, inference.streams.value == 1 ? "" : "s",
          inference.duty.value * 100, number_text(inference.hours_per_day.value),
          duration_text(inference.output.value), name_of(inference.precision.value));
    }
    return text;
  }
  text += fmt::format(": {} of audio", audio_text(workload.dataset.value));
  std::vector<std::string> stages;
  for (const StageWorkload& stage : workload.stages) {
    std::string part = stage.stage->id + " ";
    part += stage.epochs ? fmt::format("{} epochs", number_text(stage.epochs->value))
                         : fmt::format("{} steps", stage.steps->value);
    stages.push_back(part);
  }
  Seconds longest{};
  Origin origin = Origin::model_default;
  for (const StageWorkload& stage : workload.stages) {
    if (stage.max_clip.value < longest) continue;
    longest = stage.max_clip.value;
    origin = stage.max_clip.origin;
  }
  text += fmt::format(", {}, clips up to {}", joined(stages, ", "), duration_text(longest));
  if (best != nullptr && !best->stages.empty())
    text += fmt::format(", {}", name_of(best->stages[best->peak_stage].plan.precision));
  text +=
      origin == Origin::model_default
          ? "\nThe longest clip decides memory and is a guess here: set it with --max-clip."
          : "\nThe longest clip decides memory; the amount of audio and the epochs decide time.";
  return text;
}

}  // namespace vcgpu
