#include "advise/fit_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/stage_planner.hpp"

namespace vcgpu {

namespace {

constexpr double most_batch = 1e6;           // as --batch-size accepts
constexpr Seconds longest_known = hours(1);  // as --max-clip accepts
constexpr std::array clip_seconds{3.0, 5.0, 10.0, 15.0, 20.0, 30.0};
constexpr std::array batch_steps{1.0, 2.0, 4.0, 8.0, 16.0};

class Limits {
 public:
  Limits(const Workload& workload, const StageWorkload& stage, const StagePlan& plan, Bytes usable,
         const Assumptions& assumptions)
      : m_workload(workload),
        m_stage(stage),
        m_plan(plan),
        m_usable(usable),
        m_assumptions(assumptions) {}

  [[nodiscard]] std::optional<double> largest_batch() const {
    const double least = smallest_batch(m_stage);
    if (!fits(m_stage, least)) return std::nullopt;
    double low = least;
    double high = least;
    while (high < most_batch && fits(m_stage, high)) {
      low = high;
      high = std::min(high * 2, most_batch);
    }
    if (fits(m_stage, high)) return high;
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (fits(m_stage, middle) ? low : high) = middle;
    }
    return low;
  }

  // In whole seconds, or the trainer's own cap.
  [[nodiscard]] std::optional<Seconds> longest_clip() const {
    const Seconds cap = m_stage.stage->training.cap_clip.value_or(longest_known);
    if (fits(with_clips_up_to(m_stage, cap), m_plan.batch)) return cap;
    double low = 0;
    double high = std::ceil(cap.count());
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (fits(with_clips_up_to(m_stage, Seconds(middle)), m_plan.batch) ? low : high) = middle;
    }
    return low >= 1 ? std::optional(Seconds(low)) : std::nullopt;
  }

  [[nodiscard]] std::vector<GridCell> grid() const {
    const std::optional<Seconds>& cap = m_stage.stage->training.cap_clip;
    // Frames and seconds are budgets: parts of the recipe's own.
    const double unit =
        m_stage.stage->batch_unit == BatchUnit::clips
            ? 1
            : std::max(1.0, std::round(m_plan.wanted_batch / m_plan.gpus / batch_steps.back()));
    std::vector<GridCell> cells;
    for (const double seconds : clip_seconds) {
      const Seconds clip(seconds);
      if (cap && clip > *cap) continue;
      const StageWorkload stage = with_clips_up_to(m_stage, clip);
      for (const double step : batch_steps) {
        const Range<Bytes> device = peak(stage, step * unit);
        cells.push_back({clip, step * unit, device.expected, judge(device).verdict});
      }
    }
    return cells;
  }

 private:
  [[nodiscard]] Range<Bytes> peak(const StageWorkload& stage, double batch) const {
    StagePlan plan = m_plan;
    plan.batch = batch;
    return device_peak(stage, plan, m_assumptions);
  }
  [[nodiscard]] Fit judge(const Range<Bytes>& device) const {
    return judge_fit(device, m_usable, m_workload.asked.headroom.value, m_assumptions);
  }
  [[nodiscard]] bool fits(const StageWorkload& stage, double batch) const {
    return judge(peak(stage, batch)).verdict == Verdict::fits;
  }

  const Workload& m_workload;
  const StageWorkload& m_stage;
  const StagePlan& m_plan;
  Bytes m_usable;
  const Assumptions& m_assumptions;
};

}  // namespace

void add_limits(const Workload& workload, const StageWorkload& stage, const StagePlan& plan,
                Bytes usable, const Assumptions& assumptions, StageFit& fit) {
  const Limits limits(workload, stage, plan, usable, assumptions);
  fit.largest_batch = limits.largest_batch();
  fit.longest_clip = limits.longest_clip();
  fit.grid = limits.grid();
}

}  // namespace vcgpu
