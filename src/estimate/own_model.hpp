// A model that the catalog does not know, described by the user's measurements
// alone: as little as an entry can hold, with what is assumed said so.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/measurement.hpp"
#include "vcgpu/catalog.hpp"

namespace vcgpu {

struct OwnModelFacts {
  std::string id;
  std::string stage;
  Family family = Family::transformer;
  double parameters = 0;                      // that are trained
  double frozen = 0;                          // in memory besides
  double weight_bytes = 4, frozen_bytes = 4;  // per parameter
  std::string date;                           // of the measurements
};

// Throws Error (usage) that names the flag `what` where `id` is not kebab-case.
void check_id(const std::string& id, std::string_view what);

// One variant with one stage, whose memory profiles are still empty: calibrate()
// fills them. Its recipe has the medians of the rows and their longest clip.
// Throws Error (usage) for an id that is none, or for an optimizer it does not
// know.
VoiceModel own_model(const OwnModelFacts& facts, std::span<const Measurement> rows,
                     const Catalog& catalog);

// Speeds of the rows that say how long a step took, on a card that the catalog
// knows: one for each card, precision and method, by the row with most work.
std::vector<SpeedReference> measured_speeds(const Stage& stage, std::span<const Measurement> rows,
                                            const std::string& date, const Catalog& catalog);

// Lays measured speeds over what the stage had for the same card, precision and
// method.
void take_speeds(TrainingSpeed& speed, const std::vector<SpeedReference>& measured);

}  // namespace vcgpu
