// One question to the planner: a catalog, a request and a card.
#pragma once

#include <string>

#include "support/small_catalog.hpp"
#include "vcgpu/planner.hpp"

namespace vcgpu::test {

class PlannedJob {
 public:
  PlannedJob(const CatalogParts& parts, const WorkloadRequest& request, const std::string& gpu,
             double count = 1)
      : m_catalog(parts),
        m_workload(resolve(request, m_catalog)),
        m_plan(plan_group(m_workload, group_of(m_catalog.gpu(gpu), count), m_catalog)) {}
  PlannedJob(const PlannedJob&) = delete;  // the plan points into the catalog
  PlannedJob& operator=(const PlannedJob&) = delete;

  [[nodiscard]] const Catalog& catalog() const { return m_catalog; }
  [[nodiscard]] const Workload& workload() const { return m_workload; }
  [[nodiscard]] const GroupPlan& plan() const { return m_plan; }
  // The settings of the first stage.
  [[nodiscard]] const StagePlan& settings() const { return m_plan.stages.at(0).plan; }
  [[nodiscard]] Verdict verdict() const { return m_plan.fit.verdict; }
  // Its code is "none" where there is none.
  [[nodiscard]] Obstacle obstacle() const {
    return m_plan.obstacle.value_or(Obstacle{"none", "", ""});
  }

 private:
  Catalog m_catalog;
  Workload m_workload;
  GroupPlan m_plan;
};

}  // namespace vcgpu::test
