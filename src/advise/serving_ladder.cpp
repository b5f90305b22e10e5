// Each lever is pulled on top of those before it; with every rung as many of
// the wanted streams are taken as fit.
#include "advise/serving_ladder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "advise/fit_words.hpp"
#include "base/numbers.hpp"
#include "estimate/levers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

constexpr double least_context = 512;  // tokens: a sentence or two
constexpr double least_reference_s = 3;
constexpr double least_output_s = 1;

struct State {
  InferenceWorkload workload;
  InferencePlan plan;
};

class ServingClimb {
 public:
  ServingClimb(const Workload& workload, const GpuGroup& group, const Catalog& catalog)
      : m_workload(workload),
        m_group(group),
        m_catalog(catalog),
        m_usable(
            usable_vram(group, reserve_on(*group.gpu, workload.asked, catalog.assumptions()))) {}

  ServingLadder run() {
    m_fit.stage = "inference";
    State state = as_served();
    m_wanted = state.plan.streams_per_gpu;
    m_fit.ladder.push_back(rung(levers::as_served, state));
    ServingLadder result;
    result.recipe_fits = fits(m_fit.ladder.back());
    std::optional<InferenceWorkload> chosen;
    for (const auto& [words, pull] : steps()) {
      if (!chosen && fits(m_fit.ladder.back())) chosen = state.workload;
      State next = state;
      if (const std::string why = (this->*pull)(next); !why.empty()) {
        m_fit.missing.push_back({std::string(words->lever), why});
        continue;
      }
      next.plan.streams_per_gpu =
          chosen ? std::min(m_wanted, state.plan.streams_per_gpu) : most_streams(next);
      Rung more = rung(*words, next);
      more.more_room = chosen.has_value();
      if (!helps(more, m_fit.ladder.back()) ||
          (chosen && more.needed > m_fit.ladder.back().needed * 0.99)) {
        if (!chosen) m_fit.missing.push_back({std::string(words->lever), "saves nothing here"});
        continue;
      }
      m_fit.ladder.push_back(std::move(more));
      state = std::move(next);
    }
    if (!chosen) chosen = state.workload;
    m_fit.recommended = recommended_rung(m_fit.ladder);
    if (!m_fit.recommended) name_fixed_settings();
    result.workload = *chosen;
    result.fit = std::move(m_fit);
    return result;
  }

 private:
  using Pull = std::string (ServingClimb::*)(State&) const;  // why not; empty: pulled

  static std::vector<std::pair<const LeverWords*, Pull>> steps() {
    return {{&levers::fewer_streams, &ServingClimb::fewer_streams},
            {&levers::half, &ServingClimb::half},
            {&levers::int8, &ServingClimb::int8},
            {&levers::int4, &ServingClimb::int4},
            {&levers::offload, &ServingClimb::offload},
            {&levers::context, &ServingClimb::context},
            {&levers::reference, &ServingClimb::reference},
            {&levers::shorter_output, &ServingClimb::shorter_output}};
  }

  // What the planner would start from: the project's precision, or its fall-back
  // on this card, and the streams that this GPU has to carry and keeps up with.
  [[nodiscard]] State as_served() const {
    State state{*m_workload.inference, {}};
    InferenceWorkload& inference = state.workload;
    if (const auto precision = inference_precision(inference, *m_group.gpu))
      inference.precision.value = *precision;
    int streams = 1;
    if (m_workload.task == Task::realtime) {
      double most = std::ceil(inference.streams.value * inference.duty.value / m_group.gpus());
      if (const auto speed = estimate_inference_speed(inference, m_group, m_catalog))
        most = std::min(most, std::floor(inference.max_rtf.value / speed->rtf.expected));
      else
        most = 1;
      streams = static_cast<int>(std::clamp(most, 1.0, 1e6));
    }
    state.plan = {inference.precision.value, inference.offload.value, streams, m_group.gpus()};
    return state;
  }

  static bool known(const InferenceWorkload& workload, Precision precision, bool offloaded) {
    return find_profile(workload.inference->profiles, {.precision = precision,
                                                       .attention = std::nullopt,
                                                       .offload = offloaded,
                                                       .runtime = workload.runtime.value}) !=
           nullptr;
  }

  std::string fewer_streams(State& state) const {
    return state.plan.streams_per_gpu > 1 ? "" : "one stream already";
  }

  std::string half(State& state) const {
    if (is_half(state.plan.precision) || state.plan.precision == Precision::int8 ||
        state.plan.precision == Precision::int4)
      return "16 bits or fewer already";
    for (const Precision precision : {Precision::fp16, Precision::bf16}) {
      if (set_precision(state, precision).empty()) return "";
    }
    return set_precision(state, Precision::fp16);
  }
  std::string int8(State& state) const { return set_precision(state, Precision::int8); }
  std::string int4(State& state) const { return set_precision(state, Precision::int4); }

  std::string set_precision(State& state, Precision precision) const {
    if (m_workload.asked.precision) return "you set --precision";
    if (state.plan.precision == precision) return "on already";
    if (!known(state.workload, precision, state.plan.offload))
      return fmt::format("not known in {}", name_of(precision));
    if (!supports(*m_group.gpu, precision))
      return fmt::format("{} has no {}", m_group.gpu->name, name_of(precision));
    state.plan.precision = state.workload.precision.value = precision;
    return "";
  }

  std::string offload(State& state) const {
    if (m_workload.asked.offload) return "you set --offload";
    if (!known(state.workload, state.plan.precision, true)) return "not known for this model";
    state.plan.offload = state.workload.offload.value = true;
    return "";
  }

  std::string context(State& state) const {
    if (m_workload.asked.context) return "you set --context";
    return shrink(state, Variable::context_tokens, least_context);
  }
  std::string reference(State& state) const {
    if (m_workload.asked.reference) return "you set --reference";
    return shrink(state, Variable::reference_seconds, least_reference_s);
  }

  // The most of a length that fits, else `least`.
  std::string shrink(State& state, Variable variable, double least) const {
    const std::vector<LengthRule>& rules = state.workload.inference->lengths;
    if (std::none_of(rules.begin(), rules.end(),
                     [&](const LengthRule& rule) { return rule.variable == variable; }))
      return "memory does not depend on it, or it is not known how";
    const double most = state.workload.lengths[variable];
    if (most <= least) return "short already";
    longest_that_fits(state, least, most, [&](State& tried, double length) {
      tried.workload.lengths =
          lengths_with(tried.workload.output.value, variable, length, state.workload);
    });
    return "";
  }

  std::string shorter_output(State& state) const {
    const double most = state.workload.output.value.count();
    if (most <= least_output_s) return "short already";
    longest_that_fits(state, least_output_s, most, [&](State& tried, double seconds) {
      tried.workload.output.value = Seconds(seconds);
      tried.workload.lengths =
          lengths_with(Seconds(seconds), Variable::output_seconds, seconds, state.workload);
    });
    return "";
  }

  // Lengths of a request, with one of them given and the others as in `before`.
  [[nodiscard]] Lengths lengths_with(Seconds output, Variable variable, double value,
                                     const InferenceWorkload& before) const {
    GivenLengths given = given_lengths(m_workload.asked);
    const auto keep = [&](Variable other) {
      return other == variable ? value : before.lengths[other];
    };
    if (before.lengths[Variable::context_tokens] > 0)
      given.context_tokens = keep(Variable::context_tokens);
    if (before.lengths[Variable::reference_seconds] > 0)
      given.reference = Seconds(keep(Variable::reference_seconds));
    Lengths lengths = lengths_of(before.inference->lengths, output, given);
    if (lengths[Variable::output_seconds] == 0) lengths[Variable::output_seconds] = output.count();
    return lengths;
  }

  template <class Set>
  void longest_that_fits(State& state, double least, double most, Set set) const {
    double low = least;
    double high = std::ceil(most) - 1;
    const State before = state;
    const auto fits_with = [&](double length) {
      State tried = before;
      tried.plan.streams_per_gpu = 1;
      set(tried, length);
      return fits(rung(levers::context, tried));
    };
    while (high - low >= 1) {
      const double middle = std::ceil((low + high) / 2);
      if (fits_with(middle))
        low = middle;
      else
        high = middle - 1;
    }
    set(state, low);
  }

  [[nodiscard]] int most_streams(State state) const {
    int low = 1;
    int high = m_wanted;
    while (low < high) {
      state.plan.streams_per_gpu = low + (high - low + 1) / 2;
      if (fits(rung(levers::fewer_streams, state)))
        low = state.plan.streams_per_gpu;
      else
        high = state.plan.streams_per_gpu - 1;
    }
    return low;
  }

  void name_fixed_settings() {
    const WorkloadRequest& asked = m_workload.asked;
    const auto add = [&](const std::string& flag, auto WorkloadRequest::*lever) {
      WorkloadRequest freed = asked;
      (freed.*lever).reset();
      const GroupPlan plan = plan_group(resolve(freed, m_catalog), m_group, m_catalog);
      const bool fits = !plan.obstacle && plan.fit.verdict == Verdict::fits;
      m_fit.fixed.push_back(
          {flag, fits ? fmt::format("{}, {:.1f} GiB", name_of(plan.inference->precision),
                                    in_gib(plan.device.expected))
                      : ""});
    };
    if (asked.precision)
      add(fmt::format("--precision {}", name_of(asked.precision->value)),
          &WorkloadRequest::precision);
    if (asked.runtime) add("--runtime " + asked.runtime->value, &WorkloadRequest::runtime);
    if (asked.context)
      add("--context " + number_text(asked.context->value), &WorkloadRequest::context);
    if (asked.reference)
      add("--reference " + duration_text(asked.reference->value), &WorkloadRequest::reference);
    if (asked.output)
      add("--output-length " + duration_text(asked.output->value), &WorkloadRequest::output);
  }

  static bool fits(const Rung& rung) { return rung.fit.verdict == Verdict::fits; }

  [[nodiscard]] Rung rung(const LeverWords& words, const State& state) const {
    Rung next = rung_of(words);
    next.longest = state.workload.output.value;
    next.serving = state.plan;
    const Lengths& lengths = state.workload.lengths;
    if (lengths[Variable::context_tokens] > 0)
      next.context_tokens = lengths[Variable::context_tokens];
    if (lengths[Variable::reference_seconds] > 0)
      next.reference = Seconds(lengths[Variable::reference_seconds]);
    const Assumptions& assumptions = m_catalog.assumptions();
    const double headroom = m_workload.asked.headroom.value;
    next.device = estimate_memory(state.workload, state.plan, assumptions).device;
    next.needed = needed_memory(next.device, headroom);
    next.fit = judge_fit(next.device, m_usable, headroom, assumptions);
    const auto speed = estimate_inference_speed(state.workload, m_group, m_catalog);
    const auto first = estimate_inference_speed(*m_workload.inference, m_group, m_catalog);
    // What waiting for transfers costs is not known.
    if (speed && first && !state.plan.offload)
      next.time_factor = speed->rtf.expected / first->rtf.expected;
    return next;
  }

  const Workload& m_workload;
  const GpuGroup& m_group;
  const Catalog& m_catalog;
  Bytes m_usable;
  int m_wanted = 1;
  StageFit m_fit;
};

}  // namespace

ServingLadder climb_serving(const Workload& workload, const GpuGroup& group,
                            const Catalog& catalog) {
  return ServingClimb(workload, group, catalog).run();
}

}  // namespace vcgpu
