// Random catalogs, requests and filters, the same for the same seed.
//
// Values are such as real entries have, with what is often absent absent at
// random. The standard's distributions differ between libraries, so numbers are
// made from the engine's own.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "support/small_catalog.hpp"

namespace vcgpu::test {

class Random {
 public:
  explicit Random(unsigned seed) : m_engine(seed) {}

  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(m_engine()) / 4294967296.0);
  }
  // Evenly over the orders of magnitude.
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  int integer(int low, int high) { return static_cast<int>(std::floor(between(low, high + 1))); }
  bool chance(double probability) { return between(0, 1) < probability; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + integer(0, static_cast<int>(values.size()) - 1));
  }
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(integer(0, static_cast<int>(values.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(integer(0, static_cast<int>(i) - 1))]);
  }
  double round_price(double low, double high) {
    return std::round(log_between(low, high) * 1000) / 1000;
  }

 private:
  std::mt19937 m_engine;
};

inline Gpu random_gpu(Random& random, const std::string& id) {
  Gpu gpu = small_gpu(id, random.log_between(4, 192));
  gpu.vendor = random.chance(0.1) ? Vendor::amd : Vendor::nvidia;
  gpu.form = random.pick({Form::consumer, Form::workstation, Form::datacenter});
  gpu.architecture = random.pick<std::string>({"Pascal", "Turing", "Ampere", "Hopper"});
  gpu.nvlink_kind = random.chance(0.3) ? "NVLink4 + NVSwitch" : "";
  if (random.chance(0.2)) gpu.compute_capability = std::nullopt;
  gpu.bandwidth_gb_s = random.log_between(200, 8000);
  gpu.fp16_tflops = gpu.bf16_tflops = random.log_between(20, 2000);
  gpu.tf32_tflops = *gpu.fp16_tflops / 2;
  if (random.chance(0.3)) gpu.bf16_tflops = gpu.tf32_tflops = std::nullopt;
  if (random.chance(0.1)) gpu.tensor_cores = gpu.fp16_tflops = std::nullopt;
  if (random.chance(0.05))
    gpu.fp16_tflops = gpu.bf16_tflops = gpu.tf32_tflops = gpu.fp32_tflops = std::nullopt;
  return gpu;
}

inline Offer random_offer(Random& random, const std::string& sku, const std::vector<Gpu>& gpus) {
  Offer offer = small_offer(sku, random.pick(gpus).id, 1);
  offer.gpu_count = random.pick({0.5, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0});
  offer.usd_per_hour = UsdPerHour(random.round_price(0.03, 8) * std::max(1.0, offer.gpu_count));
  offer.pricing = random.pick<std::string>(
      {"on-demand", "on-demand", "on-demand", "spot", "spot", "serverless", "reserved-1y"});
  offer.tier = random.pick<std::string>({"standard", "secure", "community"});
  offer.regions = {random.pick<std::string>({"eu-1", "us-east-1", "us-west-2", "any"})};
  if (random.chance(0.1)) offer.regions.clear();
  offer.interconnect = random.pick<std::string>({"", "", "pcie", "sxm", "nvlink"});
  if (random.chance(0.3)) offer.disk_gb = random.between(10, 500);
  if (random.chance(0.2)) offer.host_reliability = random.between(0.8, 1);
  offer.as_of = date_text(small_today - std::chrono::days(random.integer(0, 300)));
  return offer;
}

inline Provider random_provider(Random& random, const std::string& id,
                                const std::vector<Gpu>& gpus) {
  Provider provider = small_provider(id);
  provider.billing_granularity_s = random.pick({1.0, 6.0, 60.0, 600.0, 3600.0});
  provider.minimum_charge_s = random.pick({0.0, 60.0, 3600.0});
  provider.storage.usd_per_gb_month = random.round_price(0.01, 0.3);
  provider.egress_usd_per_gb = random.chance(0.5) ? 0 : random.round_price(0.01, 0.2);
  provider.reliability = random.integer(1, 5);
  if (random.chance(0.3)) provider.storage.included_gb = random.between(10, 200);
  if (random.chance(0.2)) provider.billing_granularity_s = std::nullopt;
  if (random.chance(0.2)) provider.minimum_charge_s = std::nullopt;
  if (random.chance(0.2)) provider.storage.usd_per_gb_month = std::nullopt;
  if (random.chance(0.2)) provider.egress_usd_per_gb = std::nullopt;
  if (random.chance(0.2)) provider.reliability = std::nullopt;
  const int offers = random.integer(0, 12);
  for (int i = 0; i < offers; ++i)
    provider.offers.push_back(random_offer(random, id + "-" + std::to_string(i), gpus));
  return provider;
}

inline Stage random_stage(Random& random, const std::string& key) {
  Stage stage = small_stage(key);
  stage.family =
      random.pick({Family::conv_gan, Family::transformer, Family::flow, Family::diffusion});
  Training& training = stage.training;
  training.trainable = random.log_between(10e6, 1000e6);
  training.frozen = random.chance(0.3) ? random.log_between(1e6, 500e6) : 0;
  training.gradients_always_resident = random.chance(0.5);
  training.multi_gpu = random.chance(0.7);
  training.ddp_on_one_gpu = random.chance(0.3);
  training.accumulation_supported = random.chance(0.6);
  if (random.chance(0.2)) training.accumulation_fixed = 4;
  if (random.chance(0.5)) training.optimizers.resize(1);
  training.optimizers[0].step_temporary_bytes = random.pick({0.0, 4.0});
  const double gb_per_clip = random.log_between(0.01, 3);
  for (MemoryProfile& profile : training.profiles) {
    profile.phases[0].terms[0].bytes *= gb_per_clip;
    profile.basis = random.pick({Basis::measured, Basis::reported, Basis::analytic});
  }
  if (random.chance(0.4)) {
    training.profiles.erase(training.profiles.begin() + 3);
    training.profiles.erase(training.profiles.begin() + 1);
  }
  if (random.chance(0.3)) {
    Lora lora;
    lora.ranks = {8};
    lora.default_rank = 8;
    lora.parameters_per_rank = training.trainable / 1000;
    lora.frozen = training.trainable;
    training.lora = lora;
    MemoryProfile adapters = training.profiles[0];
    adapters.method = Method::lora;
    training.profiles.push_back(adapters);
  }
  Recipe& recipe = training.recipes[Task::finetune];
  recipe.precision = random.pick({Precision::fp16, Precision::fp32});
  recipe.batch.value = random.integer(1, 40);
  if (random.chance(0.3)) {
    recipe.batch.value.reset();
    recipe.batch.per_memory_gb = 0.5;
    recipe.batch.halve_in_fp32 = random.chance(0.5);
  }
  recipe.max_clip = Seconds(random.between(4, 20));
  recipe.mean_clip = recipe.max_clip / 2;
  recipe.epochs = random.integer(1, 200);
  if (random.chance(0.3)) {
    recipe.epochs.reset();
    recipe.steps = random.integer(100, 20'000);
  }
  training.speed.host_per_step = Seconds(random.chance(0.5) ? 0 : random.between(0, 0.1));
  training.speed.gpu_exponent = random.between(0.3, 1);
  training.speed.clip_share = random.between(0, 1);
  training.speed.references[0].steps_per_s = random.log_between(0.2, 10);
  training.speed.references[0].basis =
      random.pick({Basis::measured, Basis::reported, Basis::analytic});
  return stage;
}

inline CatalogParts random_parts(Random& random) {
  CatalogParts parts;
  parts.assumptions = small_assumptions();
  parts.assumptions.memory.basis_sigma = {
      {Basis::measured, 0.02}, {Basis::reported, 0.1}, {Basis::analytic, 0.2}};
  for (auto& [family, overhead] : parts.assumptions.memory.training)
    overhead = {.slack = random.between(0, 0.2),
                .sigma = random.between(0.02, 0.15),
                .cache = random.between(0, 0.3),
                .cache_sigma = random.between(0.02, 0.15)};
  parts.assumptions.cost.setup = {hours(0.1), hours(0.25), hours(0.5)};
  for (int i = random.integer(2, 6); i > 0; --i)
    parts.gpus.push_back(random_gpu(random, "gpu-" + std::to_string(i)));
  for (int i = random.integer(1, 4); i > 0; --i)
    parts.providers.push_back(random_provider(random, "p" + std::to_string(i), parts.gpus));
  parts.gpus.push_back(small_gpu("reference-80gb", 80));
  std::vector<Stage> stages{random_stage(random, "first")};
  if (random.chance(0.4)) stages.push_back(random_stage(random, "second"));
  parts.models = {small_model(std::move(stages))};
  Inference& inference = *parts.models[0].variants[0].inference;
  inference.streams_share_weights = random.chance(0.5);
  inference.components[0].parameters = random.log_between(50e6, 3e9);
  inference.references[0].rtf = random.log_between(0.01, 1);
  parts.info = {"1-2026-11-30", "2026-11-30", "", "test"};
  return parts;
}

inline WorkloadRequest random_request(Random& random) {
  WorkloadRequest request =
      small_request(random.pick({Task::finetune, Task::finetune, Task::realtime, Task::batch}));
  if (random.chance(0.7)) request.dataset = flag(Seconds(random.log_between(10, 360'000)));
  if (random.chance(0.3)) request.max_clip = flag(Seconds(random.between(1, 30)));
  if (random.chance(0.2) && is_training(request.task.value))
    request.batch_size = flag<double>(random.integer(1, 32));
  if (random.chance(0.3)) request.streams = flag(random.integer(1, 50));
  if (random.chance(0.3)) request.volume = flag(hours(random.log_between(0.1, 1000)));
  if (random.chance(0.2)) request.reserve = flag(gb(random.between(0, 3)));
  if (random.chance(0.2)) request.headroom = flag(random.between(0, 0.3));
  return request;
}

inline OfferFilter random_filter(Random& random, const CatalogParts& parts) {
  OfferFilter filter;
  if (random.chance(0.06)) filter.gpus = {random.pick(parts.gpus).id, random.pick(parts.gpus).id};
  if (random.chance(0.06)) filter.vram_gb = OpenRange{random.between(4, 24), std::nullopt};
  if (random.chance(0.06)) filter.gpu_count = OpenRange{1, 2};
  if (random.chance(0.03)) filter.vendors = {Vendor::nvidia};
  if (random.chance(0.03)) filter.architectures = {"ampere", "Hopper"};
  if (random.chance(0.03)) filter.min_compute_capability = {7, 5};
  if (random.chance(0.06)) filter.excluded_providers = {random.pick(parts.providers).id};
  if (random.chance(0.06)) filter.regions = {random.pick<std::string>({"EU", "us"})};
  if (random.chance(0.06)) filter.pricing = {random.pick<std::string>({"spot", "reserved"})};
  if (random.chance(0.06)) filter.tiers = {"secure", "standard"};
  if (random.chance(0.06)) filter.max_hourly = UsdPerHour(random.log_between(0.1, 20));
  if (random.chance(0.06)) filter.budget = Usd(random.log_between(0.1, 100));
  if (random.chance(0.06)) filter.deadline = hours(random.log_between(0.3, 100));
  if (random.chance(0.06)) filter.min_reliability = random.integer(1, 5);
  if (random.chance(0.06)) filter.max_age_days = random.integer(1, 300);
  return filter;
}

}  // namespace vcgpu::test
