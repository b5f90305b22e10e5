// A report is run through the same functions as a user's question. What it
// states is taken as asked; the rest are the training code's own defaults on
// that card, not what the planner would choose, because the reporter had no
// planner.
#include "vcgpu/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "advise/cards.hpp"
#include "base/text.hpp"
#include "estimate/levers.hpp"
#include "estimate/recipe.hpp"
#include "estimate/workload_levers.hpp"
#include "vcgpu/error.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

template <class T>
Asked<T> stated(const std::optional<T>& value) {
  return value ? Asked<T>(Setting<T>{*value, Origin::workload}) : std::nullopt;
}

bool knows_runtime(const Inference& inference, const std::string& runtime) {
  const auto names = [&](const auto& list) {
    return std::find(list.begin(), list.end(), runtime) != list.end();
  };
  return std::any_of(inference.profiles.begin(), inference.profiles.end(),
                     [&](const MemoryProfile& profile) { return names(profile.runtimes); }) ||
         std::any_of(
             inference.references.begin(), inference.references.end(),
             [&](const InferenceReference& reference) { return reference.runtime == runtime; });
}

bool sets_segment(const ModelChoice& choice, const std::string& name) {
  const auto stages = stages_of(*choice.model, *choice.variant);
  return std::any_of(stages.begin(), stages.end(), [&](const Stage* stage) {
    return (name.empty() || is_named(*stage, name)) && crops_clips(*stage);
  });
}

WorkloadRequest request_of(const EvidenceReport& report, const ModelChoice& choice) {
  WorkloadRequest request;
  request.task.value = report.task;
  request.model.value = choice.model->id + "@" + choice.variant->id;
  request.precision = stated(report.precision);
  if (report.os) request.os = {*report.os, Origin::workload};
  if (is_training(report.task)) {
    if (!report.stage.empty()) request.stage = Setting<std::string>{report.stage, Origin::workload};
    request.max_clip = stated(report.max_clip);
    request.grad_accum = stated(report.grad_accum);
    // Old reports name the crop whether or not the stage has one.
    if (sets_segment(choice, report.stage))
      request.segment_samples = stated(report.segment_samples);
    request.checkpointing = stated(report.checkpointing);
    if (!report.optimizer.empty())
      request.optimizer = Setting<std::string>{report.optimizer, Origin::workload};
    return request;
  }
  request.offload = stated(report.offload);
  request.output = stated(report.output);
  if (!choice.variant->inference) return request;
  const Inference& inference = *choice.variant->inference;
  // A clip in inference is what a zero-shot model imitates, or what a converter
  // is given in one piece.
  if (report.max_clip) {
    if (has_rule(inference.lengths, Variable::reference_seconds))
      request.reference = stated(report.max_clip);
    else if (!report.output)
      request.output = stated(report.max_clip);
  }
  // Compiling changes speed; a server changes what is held.
  const bool plain =
      report.runtime.empty() || report.runtime == "pytorch" || report.runtime == "compile";
  if (knows_runtime(inference, report.runtime))
    request.runtime = Setting<std::string>{report.runtime, Origin::workload};
  else if (!plain)
    throw Error(ExitCode::usage, "no-runtime",
                fmt::format("the memory of {}@{} on {} is not known", choice.model->id,
                            choice.variant->id, report.runtime));
  return request;
}

// A batch counted in clips for a stage that counts frames or seconds is of
// clips of the stated length.
void set_batch(const EvidenceReport& report, StageWorkload& stage) {
  if (!report.batch) return;
  double batch = *report.batch;
  if (report.batch_unit == "clips" && stage.stage->batch_unit == BatchUnit::frames)
    batch *= std::max(1.0, stage.lengths[Variable::clip_frames]);
  if (report.batch_unit == "clips" && stage.stage->batch_unit == BatchUnit::seconds)
    batch *= stage.max_clip.value.count();
  stage.asked.batch_size = Setting<double>{batch, Origin::workload};
}

void set_lora(const EvidenceReport& report, StageWorkload& stage) {
  if (!report.lora) return;
  const std::optional<Lora>& lora = stage.stage->training.lora;
  if (*report.lora && !lora)
    throw Error(ExitCode::usage, "no-lora",
                fmt::format("no LoRA is known for stage {}", stage.stage->id));
  stage.asked.lora_rank = Setting<int>{*report.lora ? lora->default_rank : 0, Origin::workload};
}

class Judge {
 public:
  explicit Judge(const Catalog& catalog) : m_catalog(catalog) {}

  Judgement judge(const EvidenceReport& report) {
    Judgement judgement;
    judgement.report = &report;
    judgement.half = half_of(report.thread);
    judgement.model = report.model;
    if (report.judges_peak && report.peak_gb && is_reading(report.peak_kind))
      judgement.measured = measured_bytes(report);
    try {
      if (report.gpus == 0) throw Error(ExitCode::usage, "no-gpu", "ran without a GPU");
      const ModelChoice choice = m_catalog.model(
          report.variant.empty() ? report.model : report.model + "@" + report.variant);
      judgement.model = choice.model->id;
      run(report, choice, judgement);
    } catch (const Error& error) {
      judgement.not_judged = error.what();
      judgement.measured.reset();
    }
    return judgement;
  }

 private:
  static bool is_reading(PeakKind kind) {
    return kind != PeakKind::reservation && kind != PeakKind::requirement;
  }

  // Scripts print torch's peak in 10^9 bytes; error messages, notebooks that
  // print what is reserved and tools that read a card mean GiB.
  static Bytes measured_bytes(const EvidenceReport& report) {
    return report.peak_kind == PeakKind::allocated ? gb(*report.peak_gb) : gib(*report.peak_gb);
  }

  const Gpu& card_of(const EvidenceReport& report) {
    if (!report.gpu.empty()) return *card_named(report.gpu, m_catalog, m_made_up).gpu;
    if (report.vram_gb) return m_made_up.emplace_back(card_of_size(m_catalog, *report.vram_gb));
    return m_made_up.emplace_back(no_card());
  }

  void run(const EvidenceReport& report, const ModelChoice& choice, Judgement& judgement) {
    Workload workload = resolve(request_of(report, choice), m_catalog);
    const Gpu& gpu = card_of(report);
    const GpuGroup group{&gpu, static_cast<double>(report.gpus),
                         interconnect_of(gpu, report.gpus, {})};
    MemoryEstimate peak;
    double bucket = 0;
    if (workload.inference) {
      peak = inference_memory(report, *workload.inference, group);
    } else {
      for (StageWorkload& stage : workload.stages) {
        set_batch(report, stage);
        set_lora(report, stage);
        // Who does not say has often not set it up.
        if (!report.precision && stage.recipe->unconfigured_precision)
          stage.asked.precision =
              Setting<Precision>{*stage.recipe->unconfigured_precision, Origin::model_default};
        MemoryEstimate memory =
            estimate_memory(stage, recipe_plan(stage, group), m_catalog.assumptions());
        if (memory.device.expected > peak.device.expected) peak = std::move(memory);
      }
      for (const MemoryComponent& component : peak.components) {
        if (component.name == "DDP gradient bucket") bucket = component.bytes.count();
      }
    }
    judgement.predicted = of_kind(report, peak, Bytes(bucket), group, workload);
    if (judgement.measured) {
      judgement.error = judgement.predicted.expected / *judgement.measured - 1;
      // "Under 3 GB" is contradicted only by more.
      if (report.peak_is_bound) judgement.error = std::max(*judgement.error, 0.0);
    }
    if (!report.judges_verdict || gpu.id == no_gpu_id) return;
    judgement.usable = usable_vram(group, reserve_on(gpu, workload.asked, m_catalog.assumptions()));
    judgement.fit = judge_fit(peak.device, judgement.usable, workload.asked.headroom.value,
                              m_catalog.assumptions());
  }

  // What the tool that was read counts.
  Range<Bytes> of_kind(const EvidenceReport& report, const MemoryEstimate& peak, Bytes bucket,
                       const GpuGroup& group, const Workload& workload) const {
    const auto plus = [](const Range<Bytes>& range, Bytes more) {
      return range.map([&](Bytes bytes) { return bytes + more; });
    };
    const Assumptions& assumptions = m_catalog.assumptions();
    if (report.peak_kind == PeakKind::allocated) return plus(peak.allocated, bucket);
    if (report.peak_kind == PeakKind::reserved)
      return plus(peak.reading, Bytes(0) - assumptions.memory.cuda_context.expected);
    const Bytes others = reserve_on(*group.gpu, workload.asked, assumptions);
    return on_its_card(plus(peak.reading, others), plus(peak.device, others),
                       usable_vram(group, Bytes(0)));
  }

  [[nodiscard]] MemoryEstimate inference_memory(const EvidenceReport& report,
                                                InferenceWorkload workload,
                                                const GpuGroup& group) const {
    if (const auto precision = inference_precision(workload, *group.gpu))
      workload.precision.value = *precision;
    InferencePlan plan{.precision = workload.precision.value,
                       .offload = workload.offload.value,
                       .streams_per_gpu = 1,
                       .gpus = group.gpus()};
    const double streams =
        std::max(report.batch.value_or(1), static_cast<double>(report.concurrency.value_or(1)));
    plan.streams_per_gpu = static_cast<int>(std::clamp(streams, 1.0, 1e6));
    return estimate_memory(workload, plan, m_catalog.assumptions());
  }

  const Catalog& m_catalog;
  std::deque<Gpu> m_made_up;
};

// A value and how much it counts.
using Weighted = std::vector<std::pair<double, double>>;

double total_weight(const Weighted& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, const auto& value) { return sum + value.second; });
}

// The least value that `share` of the weight does not exceed.
std::optional<double> percentile(Weighted values, double share) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double wanted = share * total_weight(values);
  double sum = 0;
  for (const auto& [value, weight] : values) {
    sum += weight;
    if (sum >= wanted - 1e-9) return value;
  }
  return values.back().first;
}

}  // namespace

std::vector<Judgement> judge_evidence(std::span<const EvidenceReport> reports,
                                      const Catalog& catalog) {
  Judge judge(catalog);
  std::vector<Judgement> judgements;
  for (const EvidenceReport& report : reports) {
    if (report.judges_verdict || report.judges_peak) judgements.push_back(judge.judge(report));
  }
  return judgements;
}

AccuracyScore score(std::span<const Judgement> judgements) {
  AccuracyScore result;
  std::set<std::string_view> threads;
  // Some threads hold many readings of one thing: each thread counts once.
  std::map<std::string_view, double> readings;
  for (const Judgement& judgement : judgements) {
    if (judgement.error) ++readings[judgement.report->thread];
  }
  Weighted errors;
  Weighted waste;
  double inside = 0;
  for (const Judgement& judgement : judgements) {
    if (!judgement.fit && !judgement.error) continue;
    ++result.reports;
    threads.insert(judgement.report->thread);
    if (judgement.error) {
      const double weight = 1 / readings.at(judgement.report->thread);
      errors.emplace_back(std::abs(*judgement.error), weight);
      waste.emplace_back(judgement.predicted.high / *judgement.measured - 1, weight);
      if (judgement.predicted.low <= *judgement.measured &&
          *judgement.measured <= judgement.predicted.high)
        inside += weight;
    }
    if (!judgement.fit) continue;
    ++(judgement.failed() ? result.judged_failed : result.judged_worked);
    if (judgement.missed_oom()) ++result.missed_ooms;
    if (judgement.false_alarm()) ++result.false_alarms;
    if (judgement.fit->verdict == Verdict::tight) ++result.tight;
  }
  result.threads = threads.size();
  result.peaks = errors.size();
  if (!errors.empty()) result.inside_range = inside / total_weight(errors);
  result.median_error = percentile(errors, 0.5);
  result.p90_error = percentile(std::move(errors), 0.9);
  result.median_waste = percentile(std::move(waste), 0.5);
  return result;
}

std::map<std::string, AccuracyScore> score_by_model(std::span<const Judgement> judgements) {
  std::map<std::string, std::vector<Judgement>> by_model;
  for (const Judgement& judgement : judgements) by_model[judgement.model].push_back(judgement);
  std::map<std::string, AccuracyScore> scores;
  for (const auto& [model, list] : by_model) scores.emplace(model, score(list));
  return scores;
}

}  // namespace vcgpu
