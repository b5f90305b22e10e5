// One ladder: a catalog, a request and a card.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/small_catalog.hpp"
#include "vcgpu/fit.hpp"

namespace vcgpu::test {

class Fitted {
 public:
  Fitted(const CatalogParts& parts, const WorkloadRequest& request, const std::string& gpu,
         int count = 1)
      : m_catalog(parts),
        m_workload(resolve(request, m_catalog)),
        m_answer(fit_gpus(m_workload, m_catalog, {gpu}, {}, count)) {}
  Fitted(const Fitted&) = delete;  // the answer points into the catalog
  Fitted& operator=(const Fitted&) = delete;

  [[nodiscard]] const GpuFit* operator->() const { return &m_answer.gpus.at(0); }
  [[nodiscard]] const StageFit& stage() const { return m_answer.gpus.at(0).stages.at(0); }
  [[nodiscard]] const Rung& chosen() const {
    if (stage().chosen() == nullptr) throw std::runtime_error("nothing fits");
    return *stage().chosen();
  }
  // Of the rungs up to what is needed.
  [[nodiscard]] std::vector<std::string> levers() const {
    std::vector<std::string> names;
    for (const Rung& rung : stage().ladder) {
      if (!rung.more_room) names.push_back(rung.lever);
    }
    return names;
  }
  [[nodiscard]] bool has(const std::string& lever) const {
    const std::vector<Rung>& ladder = stage().ladder;
    return std::any_of(ladder.begin(), ladder.end(),
                       [&](const Rung& rung) { return rung.lever == lever; });
  }
  // Empty where it is not missing.
  [[nodiscard]] std::string why_missing(const std::string& lever) const {
    for (const MissingLever& missing : stage().missing) {
      if (missing.lever == lever) return missing.why;
    }
    return {};
  }

 private:
  Catalog m_catalog;
  Workload m_workload;
  FitAnswer m_answer;
};

}  // namespace vcgpu::test
