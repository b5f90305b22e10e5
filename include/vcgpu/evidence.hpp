// Public reports of what ran, what ran out of memory and how much it took
// (data/evidence.json): what the estimator is tested against.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vcgpu/units.hpp"
#include "vcgpu/voice_model.hpp"

namespace vcgpu {

// `spill`: a Windows card that went on in host memory, which is no fit.
enum class Outcome { ok, oom, spill, peak };

// What a peak counts. `allocated` and `reserved` are torch's; `device` is the
// whole card, as nvidia-smi shows it; a `reservation` is what a server takes
// without needing it; a `requirement` is a statement, not a reading.
enum class PeakKind { allocated, reserved, device, reservation, requirement };

// Half of the threads fit the estimator's constants, the other half judge it. A
// thread never stands on both sides.
enum class EvidenceHalf { fitting, testing };

struct EvidenceReport {
  std::string id;
  std::string model, variant, stage;  // ids or aliases; variant and stage may be empty
  Task task{};
  std::string gpu;  // empty where the report names no card of the catalog
  std::optional<double> vram_gb;
  int gpus = 1;  // 0: ran without one

  // What the reporter set, absent where not stated.
  std::optional<double> batch;
  std::string batch_unit;
  bool batch_is_total = false;
  std::optional<int> grad_accum;
  std::optional<Precision> precision;
  std::optional<Seconds> max_clip;  // training clip, or reference clip of inference
  std::optional<Seconds> output;
  std::optional<double> segment_samples;
  std::string optimizer;
  std::optional<bool> checkpointing, lora, offload;
  std::string runtime;
  std::optional<HostOs> os;
  std::optional<int> concurrency;

  Outcome outcome{};
  std::optional<double> peak_gb;  // as written: GiB on a card, whatever it is called
  PeakKind peak_kind = PeakKind::device;
  bool peak_is_bound = false;                        // "under 3 GB"
  bool judges_verdict = false, judges_peak = false;  // what it is good for
  std::vector<std::string> assumed;                  // fields that were filled in
  std::string confidence, source, thread, note;
  std::string finding;  // why the estimate differs, where it is known
};

// By the low bit of the 64-bit FNV-1a hash of the thread's name.
EvidenceHalf half_of(std::string_view thread);

// The shipped reports.
std::vector<EvidenceReport> embedded_evidence();

// A file of the same form, or JSON lines with the same fields, where null is as
// good as absent. Throws Error (bad_catalog) with file, line and pointer.
std::vector<EvidenceReport> read_evidence_file(const std::filesystem::path& path);

}  // namespace vcgpu
