// The answer of fit as a document.
#pragma once

#include "report/answer.hpp"
#include "vcgpu/fit.hpp"

namespace vcgpu {

// answer_document() of `answer`, whose recommendation is `fit`'s, with the
// ladder and the limits in every result.
Json fit_document(const Answer& answer, const FitAnswer& fit);

}  // namespace vcgpu
