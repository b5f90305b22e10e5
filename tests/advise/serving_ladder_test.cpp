#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fitted.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

Inference& served(CatalogParts& parts) { return *parts.models[0].variants[0].inference; }

MemoryProfile profile_in(Precision precision) {
  MemoryProfile profile = small_inference().profiles[0];
  profile.precisions = {precision};
  return profile;
}

// 2 GB of fp32 weights, 0.1 GB a stream, 0.5 GB of context.
CatalogParts fp32_parts() {
  CatalogParts parts = small_parts();
  served(parts).default_precision = Precision::fp32;
  served(parts).profiles.push_back(profile_in(Precision::fp32));
  return parts;
}

}  // namespace

TEST_CASE("inference that fits is served as the project does") {
  const Fitted fit(small_parts(), small_request(Task::batch), "card-4gb");
  CHECK(fit.levers() == std::vector<std::string>{"recipe"});
  // 1 GB of weights, 0.1 GB for the stream, 0.5 GB of context.
  CHECK(in_gb(fit.chosen().device.expected) == Approx(1.6));
}

TEST_CASE("fewer streams is the first rung where many were asked for") {
  CatalogParts parts = small_parts();
  parts.gpus.push_back(small_gpu("card-2gb", 2));
  WorkloadRequest request = small_request(Task::realtime);
  request.streams = flag(8);
  const Fitted fit(parts, request, "card-2gb");
  CHECK(fit.stage().ladder.front().serving->streams_per_gpu == 8);
  CHECK(fit.chosen().lever == "fewer-streams");
  // (1 + s / 10) x 1.05 + 0.5 <= 2 GB, and 1.5 + s / 10 <= 1.9 GB.
  CHECK(fit.chosen().serving->streams_per_gpu == 4);
  CHECK(fit->plan.inference->streams_per_gpu == 4);
}

TEST_CASE("half precision comes before 8 and 4 bits") {
  CatalogParts parts = fp32_parts();
  served(parts).profiles.push_back(profile_in(Precision::int8));
  served(parts).profiles.push_back(profile_in(Precision::int4));
  for (Gpu& gpu : parts.gpus) gpu.int8_tops = 600;
  parts.gpus.push_back(small_gpu("card-2gb", 2));
  const Fitted two(parts, small_request(Task::batch), "card-2gb");
  CHECK(two.chosen().lever == "half");
  CHECK(two.chosen().cost == QualityCost::numerics);
  parts.gpus.push_back(small_gpu("tiny", 1.2));
  parts.gpus.back().int8_tops = 600;
  CHECK(Fitted(parts, small_request(Task::batch), "tiny").chosen().lever == "int8");
  parts.gpus.back().int8_tops = std::nullopt;
  const Fitted old(parts, small_request(Task::batch), "tiny");
  CHECK(old.chosen().lever == "int4");
  CHECK(old.why_missing("int8").find("has no int8") != std::string::npos);
}

TEST_CASE("a precision that the user set is kept, and named with what fits without it") {
  CatalogParts parts = fp32_parts();
  served(parts).default_precision = Precision::fp16;
  parts.gpus.push_back(small_gpu("card-2gb", 2));
  WorkloadRequest request = small_request(Task::batch);
  request.precision = flag(Precision::fp32);
  const Fitted fit(parts, request, "card-2gb");
  CHECK_FALSE(fit->solved());
  REQUIRE(fit.stage().fixed.size() == 1);
  CHECK(fit.stage().fixed[0].flag == "--precision fp32");
  CHECK(fit.stage().fixed[0].without.find("fp16") != std::string::npos);
}

TEST_CASE("offloading is a rung where its memory is known") {
  CatalogParts parts = small_parts();
  MemoryProfile offloaded = profile_in(Precision::fp16);
  offloaded.offload = true;
  offloaded.phases[0].components = {"nothing of it"};
  served(parts).profiles.push_back(offloaded);
  parts.gpus.push_back(small_gpu("card-1gb", 1));
  const Fitted fit(parts, small_request(Task::batch), "card-1gb");
  CHECK(fit.chosen().lever == "offload");
  CHECK(fit.chosen().serving->offload);
  CHECK_FALSE(fit.chosen().time_factor);  // what transfers cost is not known
}

TEST_CASE("a smaller context is the largest that fits") {
  CatalogParts parts = small_parts();
  LengthRule rule;
  rule.variable = Variable::context_tokens;
  rule.constant = 8192;
  served(parts).lengths = {rule};
  served(parts).profiles[0].phases[0].terms = {{"static cache", 0.5e6, {Variable::context_tokens}}};
  const Fitted fit(parts, small_request(Task::batch), "card-4gb");
  CHECK(fit.chosen().lever == "context");
  // (1 + t x 0.5 MB) x 1.05 + 0.5 <= 4 GB: 4,666; 1.5 + t x 0.5 MB <= 3.8 GB: 4,600.
  CHECK(fit.chosen().context_tokens == Approx(4600));
  CHECK(fit->plan.fit.verdict == Verdict::fits);
}

TEST_CASE("a shorter reference and shorter pieces come last") {
  CatalogParts parts = small_parts();
  LengthRule reference;
  reference.variable = Variable::reference_seconds;
  reference.constant = 20;
  LengthRule output;
  output.variable = Variable::output_seconds;
  output.per_second = 1;
  served(parts).lengths = {reference, output};
  served(parts).profiles[0].phases[0].terms = {{"reference", 0.1e9, {Variable::reference_seconds}},
                                               {"output", 0.1e9, {Variable::output_seconds}}};
  // 1 GB of weights, 2 GB for the reference and 1 GB for 10 s of output.
  const Fitted fit(parts, small_request(Task::batch), "card-4gb");
  CHECK(fit.chosen().lever == "reference");
  // (2 + r / 10) x 1.05 + 0.5 <= 4 GB: 13 s.
  CHECK(fit.chosen().reference->count() == 13);
  parts.gpus.push_back(small_gpu("card-2.5gb", 2.5));
  const Fitted less(parts, small_request(Task::batch), "card-2.5gb");
  CHECK(less.levers() == std::vector<std::string>{"recipe", "reference", "shorter-output"});
  // (1.3 + o / 10) x 1.05 + 0.5 <= 2.5 GB: 6 s; 1.8 + o / 10 <= 2.375 GB: 5 s.
  CHECK(less.chosen().longest.count() == 5);
  CHECK(less->workload.inference->output.value.count() == 5);
}
