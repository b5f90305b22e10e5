// The remarks on quality are common practice of people who train and serve
// voices, not measurements: they name what a lever can cost. Many a voice hears
// nothing of it.
#include "advise/fit_words.hpp"

#include <algorithm>

namespace vcgpu {

namespace levers {

const LeverWords recipe{"recipe", "as the recipe has it", QualityCost::none,
                        "the training code's own settings"};
const LeverWords micro_batch{"micro-batch", "smaller micro-batch", QualityCost::none,
                             "same effective batch and the same updates, in more passes"};
const LeverWords some_smaller_batch{
    "smaller-batch", "smaller batch", QualityCost::training_dynamics,
    "at least half of the recipe's batch: noisier updates, more of them, seldom audible"};
const LeverWords checkpointing{"checkpointing", "gradient checkpointing", QualityCost::none,
                               "the same numbers, activations are computed twice"};
const LeverWords sharding{"sharding", "sharding", QualityCost::none,
                          "the same updates, every pass waits for more traffic"};
const LeverWords attention{
    "attention", "fused attention (SDPA)", QualityCost::numerics,
    "rounding alone, but it needs a newer framework than the recipe was written for"};
const LeverWords precision{
    "precision", "16-bit autocast", QualityCost::numerics,
    "16-bit products over fp32 weights: usual, but watch the loss for NaN in fp16"};
const LeverWords small_batch{
    "small-batch", "batch below half", QualityCost::training_dynamics,
    "below half of the recipe's batch: noisy updates; lower the learning rate with it"};
const LeverWords optimizer{"8-bit-optimizer", "8-bit optimizer", QualityCost::numerics,
                           "the optimizer's state in 8 bits: nearly the same updates"};
const LeverWords averaged_copy{
    "no-ema", "no averaged copy (EMA)", QualityCost::training_dynamics,
    "the last weights instead of their average: rougher, compare more checkpoints"};
const LeverWords adapters{
    "lora", "LoRA", QualityCost::capacity,
    "only adapters learn: enough for one voice, less for a new language or style"};
const LeverWords shorter_clips{
    "shorter-clips", "shorter clips", QualityCost::data,
    "longer clips must be cut or are lost: less of how a long sentence sounds"};

const LeverWords as_served{"recipe", "as served", QualityCost::none, "the project's own settings"};
const LeverWords fewer_streams{"fewer-streams", "fewer streams", QualityCost::none,
                               "the same audio, fewer voices at once on a card"};
const LeverWords half{"half", "16-bit weights", QualityCost::numerics,
                      "16-bit weights: what most projects serve, rarely audible"};
const LeverWords int8{"int8", "8-bit weights", QualityCost::numerics,
                      "8-bit weights: a small loss, listen to a few sentences"};
const LeverWords int4{"int4", "4-bit weights", QualityCost::numerics,
                      "4-bit weights: audible for some voices, slips of the tongue"};
const LeverWords offload{"offload", "parts in host memory", QualityCost::none,
                         "the same audio, each request waits for transfers"};
const LeverWords context{"context", "smaller context", QualityCost::data,
                         "shorter texts in one request"};
const LeverWords reference{"reference", "shorter reference", QualityCost::data,
                           "less of the voice to imitate; 5 to 10 s are mostly enough"};
const LeverWords shorter_output{"shorter-output", "shorter pieces", QualityCost::data,
                                "long texts are cut: seams in the melody of speech"};

}  // namespace levers

std::string_view name_of(QualityCost cost) {
  switch (cost) {
    case QualityCost::none:
      return "none";
    case QualityCost::numerics:
      return "numerics";
    case QualityCost::training_dynamics:
      return "training-dynamics";
    case QualityCost::capacity:
      return "capacity";
    case QualityCost::data:
      return "data";
  }
  return "?";
}

Rung rung_of(const LeverWords& words) {
  Rung rung;
  rung.lever = words.lever;
  rung.name = words.name;
  rung.cost = words.cost;
  rung.quality = words.quality;
  return rung;
}

Bytes needed_memory(const Range<Bytes>& device, double headroom) {
  return std::max(device.high, device.expected / (1 - headroom));
}

bool helps(const Rung& rung, const Rung& before) {
  if (rung.needed >= before.needed) return false;
  return rung.fit.verdict == Verdict::fits || rung.needed <= before.needed * 0.99;
}

std::optional<std::size_t> recommended_rung(const std::vector<Rung>& ladder) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    if (ladder[i].fit.verdict == Verdict::does_not_fit || ladder[i].more_room) continue;
    if (ladder[i].fit.verdict == Verdict::fits) return i;
    if (!best || ladder[i].fit.oom_probability < ladder[*best].fit.oom_probability) best = i;
  }
  return best;
}

}  // namespace vcgpu
