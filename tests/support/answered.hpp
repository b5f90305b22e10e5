// One recommendation: a catalog, a request, options.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "support/small_catalog.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu::test {

class Answered {
 public:
  Answered(const CatalogParts& parts, const WorkloadRequest& request,
           const RecommendOptions& options = small_options())
      : m_catalog(parts),
        m_workload(resolve(request, m_catalog)),
        m_result(recommend(m_workload, m_catalog, options)) {}
  Answered(const Answered&) = delete;  // the result points into the catalog
  Answered& operator=(const Answered&) = delete;

  [[nodiscard]] const Recommendation& operator*() const { return m_result; }
  [[nodiscard]] const Recommendation* operator->() const { return &m_result; }
  [[nodiscard]] const Catalog& catalog() const { return m_catalog; }

  [[nodiscard]] std::vector<std::string> skus() const {
    std::vector<std::string> names;
    for (const Candidate& candidate : m_result.candidates) names.push_back(candidate.offer->sku);
    return names;
  }
  // The first with this code.
  [[nodiscard]] const Rejection& rejection(const std::string& code) const {
    for (const Rejection& rejection : m_result.rejections) {
      if (rejection.code == code) return rejection;
    }
    throw std::runtime_error("nothing was rejected as " + code);
  }

 private:
  Catalog m_catalog;
  Workload m_workload;
  Recommendation m_result;
};

}  // namespace vcgpu::test
