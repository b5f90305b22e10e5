// The parts of a training pass that follow from parameter counts by rule, and
// the bytes of a profile's terms: what the memory estimate adds up and what a
// calibration takes off before it fits the rest.
#pragma once

#include "vcgpu/estimate.hpp"

namespace vcgpu {

// Bytes on one GPU.
struct FixedParts {
  double weights = 0, frozen = 0, gradients = 0, optimizer = 0, ema = 0, copies = 0,
         step_temporary = 0;
  bool gradients_in_forward = false;
  double bucket = 0;

  [[nodiscard]] double resident() const { return weights + frozen + optimizer + ema; }
  [[nodiscard]] double in_phase(PhaseKind kind) const {
    double bytes = resident();
    if (kind != PhaseKind::forward || gradients_in_forward) bytes += gradients;
    if (kind == PhaseKind::forward) bytes += copies;
    if (kind == PhaseKind::step) bytes += step_temporary;
    return bytes;
  }
};

FixedParts fixed_parts(const Training& training, const StagePlan& plan,
                       const MemoryProfile& profile);

// Of the longest clip in a batch of the plan's size.
Lengths lengths_in_plan(const StageWorkload& stage, const StagePlan& plan);

double term_bytes(const Term& term, const Lengths& lengths);
// Tensors, and what libraries take besides.
struct TermsBytes {
  double live = 0, workspace = 0;
};
TermsBytes terms_bytes(const Phase& phase, const Lengths& lengths);

// Of communication libraries, on each of `gpus` GPUs.
Bytes communication_buffers(int gpus, const MemoryAssumptions& memory);

}  // namespace vcgpu
