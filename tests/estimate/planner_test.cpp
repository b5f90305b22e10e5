#include "vcgpu/planner.hpp"

#include <cmath>
#include <string>

#include "support/catch.hpp"
#include "support/planned_job.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

TEST_CASE("a card of a vendor that the model does not name is no candidate") {
  CatalogParts parts = small_parts();
  parts.gpus[3].vendor = Vendor::amd;
  const PlannedJob job(parts, small_request(), "card-24gb");
  CHECK(job.obstacle().code == "vendor-not-supported");
  CHECK(job.obstacle().message == "Small Voice's own instructions do not cover amd GPUs");
}

TEST_CASE("a card below the model's compute capability is no candidate") {
  CatalogParts parts = small_parts();
  Pins pins;
  pins.min_compute_capability = {8, 6};
  parts.models[0].variants[0].pins = pins;
  const PlannedJob job(parts, small_request(), "card-24gb");
  CHECK(job.obstacle().code == "compute-capability");
  CHECK(job.obstacle().message ==
        "Small Voice needs compute capability 8.6 or newer; Card card-24gb has 8.0");
  CHECK(job.obstacle().nearest_fix == "--compute-capability 8.6..");
}

TEST_CASE("a card newer than the model's pinned framework is no candidate") {
  CatalogParts parts = small_parts();
  Pins pins;
  pins.max_compute_capability = {7, 5};
  pins.framework = "torch 1.8";
  parts.models[0].variants[0].pins = pins;
  const PlannedJob job(parts, small_request(), "card-24gb");
  CHECK(job.obstacle().message ==
        "Small Voice pins a framework (torch 1.8) that knows compute capability up to 7.5; "
        "Card card-24gb has 8.0");
}

TEST_CASE("weights that forbid commercial use rule every card out") {
  CatalogParts parts = small_parts();
  parts.models[0].licence.commercial = "no";
  WorkloadRequest request = small_request();
  CHECK(PlannedJob(parts, request, "card-24gb").obstacle().code == "none");
  request.commercial = flag(true);
  CHECK(PlannedJob(parts, request, "card-24gb").obstacle().code == "licence");
}

TEST_CASE("a reserve for the desktop is not usable") {
  WorkloadRequest request = small_request();
  request.reserve = flag(gb(2));
  const PlannedJob job(small_parts(), request, "card-24gb");
  CHECK(in_gb(job.plan().usable) == Approx(22));
}

TEST_CASE("the time of a job is preparation and all stages, one after another") {
  CatalogParts parts = small_parts();
  parts.models = {small_model({small_stage("first"), small_stage("second")})};
  parts.models[0].variants[0].preprocess = {{"slice", "Slicing", 0.05, Basis::measured, "test"}};
  const PlannedJob job(parts, small_request(), "card-24gb");
  // 0.05 x 2400 s, and 300 s a stage.
  CHECK(job.plan().time.value().expected.count() == Approx(120 + 300 + 300));
  REQUIRE(job.plan().durations.size() == 3);
  CHECK(job.plan().durations[0].stage == "slice");
}

TEST_CASE("a stage that is asked for alone has its data prepared") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].preprocess = {{"slice", "Slicing", 0.05, Basis::measured, "test"}};
  WorkloadRequest request = small_request();
  request.stage = flag<std::string>("main");
  CHECK(PlannedJob(parts, request, "card-24gb").plan().time.value().expected.count() ==
        Approx(300));
}

TEST_CASE("the worst basis of a job's parts is the job's") {
  CatalogParts parts = small_parts();
  parts.models = {small_model({small_stage("first"), small_stage("second")})};
  parts.models[0].stages[1].training.speed.references[0].basis = Basis::analytic;
  CHECK(PlannedJob(parts, small_request(), "card-24gb").plan().time_basis == Basis::analytic);
}

TEST_CASE("the job's peak is that of its largest stage") {
  CatalogParts parts = small_parts();
  Stage large = small_stage("large");
  large.training.trainable = 400e6;
  parts.models = {small_model({small_stage("first"), large, small_stage("last")})};
  const PlannedJob job(parts, small_request(), "card-24gb");
  CHECK(job.plan().peak_stage == 1);
  CHECK(job.plan().device == job.plan().stages.at(1).device);
}

TEST_CASE("a job is only as good as its worst stage") {
  // Of 12 GB, with a fifth to be left free: stage "wide" is expected to take 9.5
  // and at most 11.75, which fits; stage "narrow" 10.5 and at most 10.6, which
  // leaves too little.
  CatalogParts parts = small_parts();
  parts.assumptions.memory.training[Family::conv_gan].sigma = std::log(1.25) / percentile_95_z;
  parts.assumptions.memory.training[Family::transformer].sigma = std::log(1.01) / percentile_95_z;
  const auto stage = [](const std::string& key, Family family, double gb_per_clip) {
    Stage made = small_stage(key);
    made.family = family;
    made.training.accumulation_supported = false;
    made.training.recipes[Task::finetune].batch.value = 1;
    made.training.profiles = {small_profile({Precision::fp16}, false, gb_per_clip)};
    made.training.optimizers.resize(1);
    return made;
  };
  parts.models = {small_model(
      {stage("wide", Family::conv_gan, 7.4), stage("narrow", Family::transformer, 8.4)})};
  WorkloadRequest request = small_request();
  request.headroom = flag(0.2);
  const PlannedJob job(parts, request, "card-12gb");
  REQUIRE(job.plan().stages.at(0).fit.verdict == Verdict::fits);
  REQUIRE(job.plan().stages.at(1).fit.verdict == Verdict::tight);
  CHECK(job.verdict() == Verdict::tight);
}

TEST_CASE("a stage without a known speed leaves the job without a time") {
  CatalogParts parts = small_parts();
  Gpu& gpu = parts.gpus[3];
  gpu.fp32_tflops = gpu.tf32_tflops = gpu.fp16_tflops = gpu.bf16_tflops = std::nullopt;
  CHECK_FALSE(PlannedJob(parts, small_request(), "card-24gb").plan().time);
}

TEST_CASE("memory by component is that of the planned settings") {
  const PlannedJob job(small_parts(), small_request(), "card-12gb");
  const MemoryEstimate memory =
      memory_of(job.workload(), job.plan(), 0, job.catalog().assumptions());
  CHECK(memory.device == job.plan().device);
}

TEST_CASE("serving takes as many streams as were asked for where they fit and keep up") {
  WorkloadRequest request = small_request(Task::realtime);
  request.streams = flag(4);
  const PlannedJob job(small_parts(), request, "card-24gb");
  CHECK(job.plan().inference.value().streams_per_gpu == 4);
  CHECK(in_gb(job.plan().device.expected) == Approx(1.4 + 0.5));
}

TEST_CASE("serving takes no more streams than keep up") {
  WorkloadRequest request = small_request(Task::realtime);
  request.streams = flag(100);
  request.max_rtf = flag(0.85);
  // 0.1 s of compute a second: 8 streams stay below 0.85.
  CHECK(PlannedJob(small_parts(), request, "card-24gb").plan().inference.value().streams_per_gpu ==
        8);
}

TEST_CASE("serving takes no more streams than memory holds") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].inference->profiles[0].phases[0].terms[0].bytes = 1e9;
  WorkloadRequest request = small_request(Task::realtime);
  request.streams = flag(8);
  // (1 + n) x 1.05 + 0.5 <= 8
  CHECK(PlannedJob(parts, request, "card-8gb").plan().inference.value().streams_per_gpu == 6);
}

TEST_CASE("streams that mostly listen need fewer places") {
  WorkloadRequest request = small_request(Task::realtime);
  request.streams = flag(4);
  request.duty = flag(0.5);
  CHECK(PlannedJob(small_parts(), request, "card-24gb").plan().inference.value().streams_per_gpu ==
        2);
}

TEST_CASE("a card that does not keep up with one stream is too slow") {
  WorkloadRequest request = small_request(Task::realtime);
  request.max_rtf = flag(0.05);
  const PlannedJob job(small_parts(), request, "card-24gb");
  CHECK(job.obstacle().code == "too-slow");
  CHECK(job.obstacle().message == "real-time factor 0.10 on Card card-24gb, above 0.05");
}

TEST_CASE("a card whose first audio comes too late is no candidate") {
  WorkloadRequest request = small_request(Task::realtime);
  request.latency = flag(Seconds(0.15));
  const PlannedJob job(small_parts(), request, "card-24gb");
  CHECK(job.obstacle().code == "too-late");
  CHECK(job.obstacle().message == "first audio after 200 ms on Card card-24gb, above 150ms");
}

TEST_CASE("a latency is not promised where the time to the first audio is not known") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].inference->references[0].first_audio_ms = std::nullopt;
  WorkloadRequest request = small_request(Task::realtime);
  CHECK(PlannedJob(parts, request, "card-24gb").obstacle().code == "none");
  request.latency = flag(Seconds(1));
  CHECK(PlannedJob(parts, request, "card-24gb").obstacle().code == "unknown-latency");
}

TEST_CASE("inference that does not fit says what it needs") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].inference->components[0].parameters = 2e9;
  const PlannedJob job(parts, small_request(Task::realtime), "card-4gb");
  CHECK(job.obstacle().code == "does-not-fit");
  // 4.1 GB and context against 4 GB; the high end is 5 % above.
  CHECK(job.obstacle().message == "needs 4.3 GiB for one request, Card card-4gb gives 3.7 GiB");
  CHECK(job.obstacle().nearest_fix == "a GPU with 4.5 GiB usable or more");
}

TEST_CASE("a volume of audio takes its real-time factor, shared among the GPUs") {
  WorkloadRequest request = small_request(Task::batch);
  request.volume = flag(hours(10));
  CHECK(PlannedJob(small_parts(), request, "card-24gb").plan().time.value().expected.count() ==
        Approx(3600));
  CHECK(PlannedJob(small_parts(), request, "card-24gb", 2).plan().time.value().expected.count() ==
        Approx(1800));
}

TEST_CASE("inference in bf16 is not planned on a card without bf16") {
  CatalogParts parts = small_parts();
  parts.gpus[3].bf16_tflops = std::nullopt;
  WorkloadRequest request = small_request(Task::realtime);
  request.precision = flag(Precision::bf16);
  const PlannedJob job(parts, request, "card-24gb");
  CHECK(job.obstacle().code == "no-precision");
}
