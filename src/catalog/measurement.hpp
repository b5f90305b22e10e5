// A user's own measurements of training steps, as `calibrate` reads them.
//
// A row is one step: its batch, the longest clip in it, and the most memory it
// took. CSV with a header, a JSON list of objects, or JSON lines; the names of
// columns and keys are the same. docs/calibrate.md has the table of them.
//
// CSV is read with Debian's libfccp: it knows quotes, comments, byte order
// marks and both line ends. What it cannot do, a cell with a line break, no
// number needs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catalog/json_source.hpp"
#include "vcgpu/units.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu {

inline constexpr std::size_t max_measurement_bytes = 4'000'000;
inline constexpr std::size_t max_measurements = 10'000;

// What was read. allocated: torch.cuda.max_memory_allocated, live tensors.
// reserved: max_memory_reserved, with the allocator's slack. device: the card
// as nvidia-smi shows it, with the CUDA context besides.
enum class PeakCounter { allocated, reserved, device };
std::string_view name_of(PeakCounter kind);

struct Measurement {
  std::size_t line = 0;  // of the file, from 1
  double batch = 0;      // per GPU and pass, in the stage's unit
  Seconds clip;          // the longest of the batch: what the others are padded to
  Precision precision{};
  Bytes peak;
  PeakCounter kind = PeakCounter::allocated;
  int grad_accum = 1;
  int gpus = 1;
  std::optional<bool> checkpointing;
  std::optional<int> lora_rank;  // 0: off
  std::optional<double> text_tokens;
  std::optional<Attention> attention;
  std::optional<std::string> optimizer;
  std::string gpu;                          // as torch names it; may be empty
  std::optional<Seconds> seconds_per_step;  // with all its accumulated passes
  std::string date;                         // YYYY-MM-DD; may be empty
};

// The rows of `source.text`, in order; at least one. Throws Error (usage) with
// file, line, column and what would be right.
std::vector<Measurement> read_measurements(const JsonText& source);

}  // namespace vcgpu
