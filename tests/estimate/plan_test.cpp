#include "vcgpu/plan.hpp"

#include <string>
#include <tuple>

#include "support/catch.hpp"
#include "support/embedded.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

TEST_CASE("how several cards are connected follows from the offer's word and the card") {
  using Row = std::tuple<std::string, std::string, Interconnect>;
  const auto [gpu, stated, interconnect] =
      GENERATE(values<Row>({{"h100-sxm-80gb", "", Interconnect::nvswitch},
                            {"h100-sxm-80gb", "sxm", Interconnect::nvswitch},
                            {"v100-sxm2-16gb", "sxm", Interconnect::nvlink_mesh},
                            {"rtx-4090-24gb", "", Interconnect::pcie_geforce},
                            {"rtx-4090-24gb", "pcie", Interconnect::pcie_geforce},
                            {"rtx-3090-24gb", "nvlink", Interconnect::nvlink_pair},
                            {"rtx-3090-24gb", "", Interconnect::pcie_geforce},
                            {"rtx-a6000-48gb", "pcie", Interconnect::pcie_professional},
                            {"l40s-48gb", "", Interconnect::pcie_professional}}));
  CAPTURE(gpu, stated);
  CHECK(interconnect_of(embedded_catalog().gpu(gpu), 4, stated) == interconnect);
}

TEST_CASE("one card needs no connection") {
  CHECK(interconnect_of(embedded_catalog().gpu("h100"), 1, "sxm") == Interconnect::none);
}

TEST_CASE("half a card gives half its memory") {
  const Gpu& gpu = embedded_catalog().gpu("l40s-48gb");
  CHECK(in_gib(usable_vram({&gpu, 0.5, Interconnect::none}, Bytes(0))) == Approx(22.2));
}

TEST_CASE("a reserve is taken off, down to nothing") {
  const Gpu& gpu = embedded_catalog().gpu("t4");
  CHECK(in_gib(usable_vram({&gpu, 1, Interconnect::none}, gib(1))) == Approx(13.56));
  CHECK(usable_vram({&gpu, 1, Interconnect::none}, gib(100)).count() == 0);
}

TEST_CASE("a share of a card is one GPU, several cards are as many") {
  const Gpu& gpu = embedded_catalog().gpu("t4");
  CHECK(GpuGroup{&gpu, 0.125, Interconnect::none}.gpus() == 1);
  CHECK(GpuGroup{&gpu, 8, Interconnect::none}.gpus() == 8);
  CHECK(GpuGroup{&gpu, 8, Interconnect::none}.share() == 1);
}

TEST_CASE("the effective batch counts accumulation and GPUs") {
  StagePlan plan;
  plan.batch = 3;
  plan.grad_accum = 4;
  plan.gpus = 2;
  CHECK(plan.effective_batch() == 24);
}
