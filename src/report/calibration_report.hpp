// What `calibrate` found out, for people and for programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "estimate/calibration.hpp"
#include "report/records.hpp"
#include "report/style.hpp"
#include "vcgpu/catalog.hpp"

namespace vcgpu {

struct CalibrationReport {
  const Catalog* catalog = nullptr;  // with the new entry
  const Calibration* calibration = nullptr;
  const Stage* before = nullptr;  // the stage as it was; null for an own model
  std::string model, variant;     // of the new entry
  std::string model_name;
  bool overrides = false;  // an entry that the catalog has
  std::string file;        // of the measurements
  std::vector<SpeedReference> speeds;
  Json entry;                                    // the overlay
  std::optional<std::filesystem::path> written;  // where the entry is now
  std::vector<std::string> next;                 // commands that use it
  std::vector<Warning> warnings;                 // that belong to no profile
};

// data/schema/calibration.schema.json.
Json calibration_document(const CalibrationReport& report);
RecordShape calibration_shape();

std::string calibration_table(const CalibrationReport& report, const Style& style);

// "1.234 MB x batch x clip_frames".
std::string term_text(const Term& term);

// The memory of a calibrated row by the new stage.
MemoryEstimate estimate_of(const CalibratedRow& row, const CalibrationReport& report);

// The fitted phase that the row which took most shows.
const Phase& shown_phase(const CalibratedProfile& fitted, const CalibrationReport& report);

// An overlay's text, laid out for people.
std::string overlay_text(const Json& overlay);

}  // namespace vcgpu
