// The answer of fit for people.
#pragma once

#include <string>

#include "report/answer.hpp"
#include "report/style.hpp"
#include "vcgpu/fit.hpp"

namespace vcgpu {

// How much of it is shown.
struct FitDetail {
  bool more_room = false;  // the rungs beyond what is needed
  bool missing = false;    // levers that are not there, and why
  bool grid = false;       // verdicts by clip and batch
};

std::string fit_table(const Answer& answer, const FitAnswer& fit, const FitDetail& detail,
                      const Style& style);

}  // namespace vcgpu
