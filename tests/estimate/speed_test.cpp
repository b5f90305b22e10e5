#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "support/catch.hpp"
#include "support/small_catalog.hpp"
#include "vcgpu/estimate.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

using Index = std::pair<std::string, double>;

double index_of(const std::string& gpu, Precision precision) {
  return speed_index(embedded_group(gpu), precision, embedded_catalog().assumptions().speed)
      .value();
}

double scaling(Interconnect interconnect, int count, double gradient_gb) {
  return scaling_efficiency(interconnect, count, gb(gradient_gb),
                            embedded_catalog().assumptions().speed);
}

// The small model's stage on 480 clips of 5 s for 10 epochs.
struct Job {
  Catalog catalog;
  Workload workload;
  GpuGroup group;
  StagePlan plan;

  explicit Job(const CatalogParts& parts = small_parts())
      : catalog(parts), workload(resolve(small_request(), catalog)) {
    group = group_of(catalog.gpu("card-24gb"));
    plan.precision = Precision::fp16;
    plan.optimizer = &workload.stages[0].stage->training.optimizers.front();
    plan.batch = 8;
  }
  Job(const Job&) = delete;  // the workload points into the catalog
  Job& operator=(const Job&) = delete;
  [[nodiscard]] StageDuration duration() const {
    return estimate_duration(workload.stages[0], plan, group, catalog).value();
  }
  [[nodiscard]] double seconds() const { return duration().time.expected.count(); }
};

Job job_with(void (*change)(CatalogParts&)) {
  CatalogParts parts = small_parts();
  change(parts);
  return Job(parts);
}

InferenceSpeed speed_of(const Inference& inference, const std::string& gpu = "card-24gb") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].inference = inference;
  const Catalog catalog(parts);
  const Workload workload = resolve(small_request(Task::realtime), catalog);
  return estimate_inference_speed(*workload.inference, group_of(catalog.gpu(gpu)), catalog).value();
}

}  // namespace

TEST_CASE("the speed index is that of the hardware notes, section 3") {
  // Relative to an A100 80 GB SXM, in mixed precision.
  const auto [gpu, index] = GENERATE(values<Index>(
      {{"b200-180gb", 4.06},        {"h200-sxm-141gb", 2.36},   {"h100-sxm-80gb", 1.86},
       {"h20-96gb", 1.28},          {"h100-pcie-80gb", 1.26},   {"rtx-pro-6000-blackwell-ws", 1.04},
       {"a100-sxm-80gb", 1.00},     {"a100-pcie-40gb", 0.84},   {"rtx-5090-32gb", 0.83},
       {"rtx-6000-ada-48gb", 0.64}, {"l40s-48gb", 0.59},        {"rtx-4090-24gb", 0.54},
       {"a30-24gb", 0.51},          {"rtx-5080-16gb", 0.47},    {"v100-sxm2-16gb", 0.46},
       {"rtx-a6000-48gb", 0.44},    {"rtx-3090-24gb", 0.41},    {"quadro-rtx-8000-48gb", 0.39},
       {"a10-24gb", 0.36},          {"rtx-2080-ti-11gb", 0.29}, {"l4-24gb", 0.22},
       {"t4-16gb", 0.20},           {"rtx-4060-ti-16gb", 0.17}, {"rtx-3060-12gb", 0.17}}));
  CAPTURE(gpu);
  CHECK(index_of(gpu, Precision::fp16) == Approx(index).margin(0.02));
}

TEST_CASE("an H100 is as much faster in TF32 as WaveGlow training on it was") {
  // Hardware notes, section 3: measured TF32 WaveGlow, 1.93 x an A100.
  CHECK(index_of("h100-sxm-80gb", Precision::tf32) == Approx(1.93).margin(0.1));
}

TEST_CASE("a card without TF32 falls back to its fp32 rate, less what that costs") {
  // V100: (900 / 2039)^0.65 x (15.7 / 156)^0.26 x 0.65
  CHECK(index_of("v100-sxm2-16gb", Precision::fp32) == Approx(0.21).margin(0.01));
}

TEST_CASE("a card without any rate has no speed") {
  Gpu gpu = small_gpu("x", 8);
  gpu.fp16_tflops = gpu.bf16_tflops = gpu.tf32_tflops = gpu.fp32_tflops = std::nullopt;
  CHECK_FALSE(speed_index(group_of(gpu), Precision::fp16, small_assumptions().speed));
}

TEST_CASE("half a card has half the bandwidth and half the compute") {
  const Gpu gpu = small_gpu("x", 8);
  // Exponents 0.5 and 0.5 in the small catalog.
  CHECK(speed_index(group_of(gpu, 0.5), Precision::fp16, small_assumptions().speed).value() ==
        Approx(0.5));
}

TEST_CASE("one GPU scales perfectly") { CHECK(scaling(Interconnect::pcie_geforce, 1, 5) == 1); }

TEST_CASE("scaling is that of the hardware notes, section 5") {
  using Row = std::tuple<Interconnect, int, double, double>;
  // WaveGlow has 0.35 GB of gradients, BERT-large 1.3 GB.
  const auto [interconnect, count, gradient, efficiency] =
      GENERATE(values<Row>({{Interconnect::nvswitch, 8, 0.35, 0.96},
                            {Interconnect::nvswitch, 8, 1.3, 0.945},
                            {Interconnect::nvlink_mesh, 8, 0.35, 0.85},
                            {Interconnect::nvlink_mesh, 2, 1.3, 0.85},
                            {Interconnect::nvlink_pair, 2, 0.35, 0.78},
                            {Interconnect::pcie_professional, 8, 0.35, 0.88},
                            {Interconnect::pcie_professional, 4, 1.3, 0.86},
                            {Interconnect::pcie_geforce, 2, 0.35, 0.79},
                            {Interconnect::pcie_geforce, 4, 0.35, 0.56},
                            {Interconnect::pcie_geforce, 8, 0.35, 0.42},
                            {Interconnect::pcie_geforce, 8, 1.3, 0.18}}));
  CAPTURE(count, gradient);
  CHECK(scaling(interconnect, count, gradient) == Approx(efficiency).margin(0.001));
}

TEST_CASE("a larger gradient never scales better on GeForce cards") {
  double before = 1;
  for (const double gradient : {0.0, 0.1, 0.35, 0.6, 1.0, 1.3, 4.0}) {
    const double now = scaling(Interconnect::pcie_geforce, 8, gradient);
    CHECK(now <= before);
    before = now;
  }
}

TEST_CASE("three GPUs scale between two and four") {
  const double three = scaling(Interconnect::pcie_geforce, 3, 0.35);
  CHECK(three < 0.79);
  CHECK(three > 0.56);
}

TEST_CASE("the reference's own setting takes the reference's own time") {
  const Job job;
  // 480 clips / 8 = 60 passes x 10 epochs, two passes a second.
  CHECK(job.duration().passes == 600);
  CHECK(job.seconds() == Approx(300));
}

TEST_CASE("a slower card takes longer by the ratio of the indices") {
  Job job = job_with([](CatalogParts& parts) { parts.gpus[1].bandwidth_gb_s = 500; });
  job.group = group_of(job.catalog.gpu("card-8gb"));
  // (500 / 2000)^0.5
  CHECK(job.seconds() == Approx(600));
}

TEST_CASE("a stage that waits for the host gains less from a faster card") {
  Job job = job_with([](CatalogParts& parts) {
    parts.gpus[1].bandwidth_gb_s = 500;
    parts.models[0].stages[0].training.speed.gpu_exponent = 0.5;
  });
  job.group = group_of(job.catalog.gpu("card-8gb"));
  CHECK(job.seconds() == Approx(300 * std::sqrt(2)));
}

TEST_CASE("the host's share of a pass does not shrink on a faster card") {
  Job job = job_with([](CatalogParts& parts) {
    parts.gpus[1].bandwidth_gb_s = 8000;
    parts.models[0].stages[0].training.speed.host_per_step = Seconds(0.1);
  });
  job.group = group_of(job.catalog.gpu("card-8gb"));
  // 600 x (0.1 + 0.4 / 2)
  CHECK(job.seconds() == Approx(180));
}

TEST_CASE("half the batch takes twice the passes of half the work") {
  Job job;
  job.plan.batch = 4;
  CHECK(job.duration().passes == 1200);
  CHECK(job.seconds() == Approx(300));
}

TEST_CASE("the last batch of an epoch counts whole") {
  Job job;
  job.plan.batch = 7;
  // ceil(480 / 7) = 69
  CHECK(job.duration().passes == 690);
}

TEST_CASE("fp32 is slower than mixed precision by the family's gain") {
  Job job;
  job.plan.precision = Precision::fp32;
  // Twice by the gain; the index is 1 at either precision.
  CHECK(job.seconds() == Approx(600));
}

TEST_CASE("a reference in fp32 is sped up for mixed precision") {
  const Job job = job_with([](CatalogParts& parts) {
    parts.models[0].stages[0].training.speed.references[0].precision = Precision::fp32;
  });
  CHECK(job.seconds() == Approx(150));
}

TEST_CASE("checkpointing costs its factor, the stage's own where it has one") {
  Job job;
  job.plan.checkpointing = true;
  CHECK(job.seconds() == Approx(450));
  Job own = job_with([](CatalogParts& parts) {
    parts.models[0].stages[0].training.speed.checkpointing_factor = 1.2;
  });
  own.plan.checkpointing = true;
  CHECK(own.seconds() == Approx(360));
}

TEST_CASE("longer clips take longer by the part of the work that grows with them") {
  const Job job = job_with([](CatalogParts& parts) {
    parts.models[0].stages[0].training.speed.clip_share = 0.5;
    parts.models[0].stages[0].training.speed.references[0].mean_clip = Seconds(2.5);
  });
  // Twice the reference's clip length at a share of a half.
  CHECK(job.seconds() == Approx(450));
}

TEST_CASE("two GPUs halve the passes, less what they lose on communication") {
  Job job;
  job.group = group_of(job.catalog.gpu("card-24gb"), 2);
  job.plan.gpus = 2;
  CHECK(job.duration().passes == 300);
  // 0.4 GB of gradients: efficiency 0.9.
  CHECK(job.seconds() == Approx(150 / 0.9));
}

TEST_CASE("steps are of the wanted batch, whatever the data set") {
  Job job;
  job.workload.stages[0].epochs.reset();
  job.workload.stages[0].steps = flag<std::int64_t>(100);
  job.plan.wanted_batch = 8;
  CHECK(job.duration().passes == 100);
}

TEST_CASE("a card that holds less of a step's batch makes more passes") {
  Job job;
  job.workload.stages[0].epochs.reset();
  job.workload.stages[0].steps = flag<std::int64_t>(100);
  job.plan.wanted_batch = 8;
  job.plan.batch = 2;
  job.plan.grad_accum = 4;
  CHECK(job.duration().passes == 400);
}

TEST_CASE("references of a worse basis are left out") {
  const Job job = job_with([](CatalogParts& parts) {
    std::vector<SpeedReference>& references = parts.models[0].stages[0].training.speed.references;
    references.push_back(references.front());
    references.back().basis = Basis::analytic;
    references.back().steps_per_s = 100;
  });
  CHECK(job.seconds() == Approx(300));
}

TEST_CASE("references of one basis are averaged geometrically") {
  const Job job = job_with([](CatalogParts& parts) {
    std::vector<SpeedReference>& references = parts.models[0].stages[0].training.speed.references;
    references.push_back(references.front());
    references.back().steps_per_s = 8;
  });
  CHECK(job.seconds() == Approx(150));
}

TEST_CASE("the range of time is as wide as its basis says") {
  const Job job;
  const Range<Seconds> time = job.duration().time;
  CHECK(time.high.count() == Approx(300 * std::exp(0.1 * percentile_95_z)));
  CHECK(time.low.count() == Approx(300 / std::exp(0.1 * percentile_95_z)));
}

TEST_CASE("inference on the reference's card runs at the reference's factor") {
  const InferenceSpeed speed = speed_of(small_inference());
  CHECK(speed.rtf.expected == Approx(0.1));
  CHECK(speed.first_audio_ms.value().expected == Approx(200));
}

TEST_CASE("a reference for one request is preferred to one for many") {
  Inference inference = small_inference();
  inference.references[0].streams = 16;
  inference.references.push_back(inference.references[0]);
  inference.references[1].streams = 1;
  inference.references[1].rtf = 0.3;
  inference.references[1].basis = Basis::analytic;
  CHECK(speed_of(inference).rtf.expected == Approx(0.3));
}

TEST_CASE("a reference of a better basis is preferred") {
  Inference inference = small_inference();
  inference.references.push_back(inference.references[0]);
  inference.references[0].basis = Basis::analytic;
  inference.references[1].rtf = 0.2;
  CHECK(speed_of(inference).rtf.expected == Approx(0.2));
}

TEST_CASE("nothing is said of a runtime without a reference") {
  const Catalog catalog(small_parts());
  Workload workload = resolve(small_request(Task::realtime), catalog);
  workload.inference->runtime.value = "vllm";
  CHECK_FALSE(
      estimate_inference_speed(*workload.inference, group_of(catalog.gpu("card-24gb")), catalog));
}
