// A catalog of a few entries with round numbers, so that expected values can be
// worked out by hand.
//
// One second of audio is 100 clip frames. One pass of the small model's stage
// holds, in fp16 at batch b of clips of 10 s:
//   0.4 GB weights + 0.4 GB gradients + 0.8 GB AdamW + b x 1 GB activations
// (b x 2 GB in fp32; a fifth of each with checkpointing), and the card 0.5 GB
// of context. There is no slack, and the 95th percentile is 5 % above.
#pragma once

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/embedded.hpp"
#include "vcgpu/catalog.hpp"
#include "vcgpu/recommend.hpp"

namespace vcgpu::test {

inline constexpr std::chrono::sys_days small_today{std::chrono::year{2026} / 11 / 30};

// log(1.05) / z(95 %): the high end of every range of memory is 5 % above.
inline const double small_sigma = std::log(1.05) / percentile_95_z;

inline Assumptions small_assumptions() {
  Assumptions a;
  a.memory.cuda_context = {gb(0.5), gb(0.5), gb(0.5)};
  a.memory.communication = {{2, gb(0.3)}, {4, gb(0.4)}, {8, gb(0.4)}};
  for (const Family family :
       {Family::conv_gan, Family::transformer, Family::flow, Family::diffusion}) {
    a.memory.training[family] = {0, small_sigma};
    a.speed.mixed_precision_gain[family] = 2;
  }
  a.memory.inference = {0, small_sigma};
  a.memory.basis_sigma = {{Basis::measured, 0}, {Basis::reported, 0}, {Basis::analytic, 0}};
  a.memory.tight_up_to_probability = 0.5;
  a.speed.bandwidth_reference_gb_s = 2000;
  a.speed.bandwidth_exponent = 0.5;
  a.speed.tensor_exponent = 0.5;
  a.speed.fp16_reference_tflops = 300;
  a.speed.tf32_reference_tflops = 150;
  a.speed.fp32_without_tf32_factor = 0.5;
  a.speed.checkpointing_factor = 1.5;
  a.speed.adapter_factor = 0.8;
  a.speed.sigma = {{Basis::measured, 0.1}, {Basis::reported, 0.3}, {Basis::analytic, 0.6}};
  a.speed.small_gradient = gb(0.4);
  a.speed.large_gradient = gb(1.6);
  for (const char* id :
       {"nvswitch", "nvlink-mesh", "nvlink-pair", "pcie-professional", "pcie-geforce"})
    a.speed.scaling[id] = {{{2, 0.9}, {4, 0.8}, {8, 0.7}}, {{2, 0.8}, {4, 0.6}, {8, 0.4}}};
  a.cost.setup = {hours(0.25), hours(0.25), hours(0.25)};
  a.cost.environment_gb = 20;
  a.cost.checkpoints_kept = 2;
  a.cost.dataset_gb_per_hour = 0.5;
  a.cost.checkpoint_interval = hours(0.5);
  a.cost.restart = hours(0.25);
  a.cost.interruptions_per_hour = {{"standard", 0.1}, {"secure", 0.1}, {"community", 0.2}};
  a.cost.days_per_month = 30;
  a.prices.plausible_from_median = 0.4;
  a.prices.min_provider_reliability = 1;
  a.prices.min_host_reliability = 0.9;
  a.prices.good_host_reliability = 0.98;
  a.prices.old_after_days = 30;
  return a;
}

// An Ampere-like data centre card of reference speed; all its memory is usable.
inline Gpu small_gpu(const std::string& id, double usable_gb) {
  Gpu gpu;
  gpu.id = id;
  gpu.name = "Card " + id;
  gpu.architecture = "Ampere";
  gpu.compute_capability = {8, 0};
  gpu.memory_gb = std::ceil(usable_gb);
  gpu.usable_gib = in_gib(gb(usable_gb));
  gpu.bandwidth_gb_s = 2000;
  gpu.tensor_cores = 400;
  gpu.fp32_tflops = 20;
  gpu.tf32_tflops = 150;
  gpu.fp16_tflops = gpu.bf16_tflops = 300;
  gpu.sources = {"test"};
  gpu.as_of = "2026-11-30";
  return gpu;
}

inline Offer small_offer(const std::string& sku, const std::string& gpu, double usd_per_hour) {
  Offer offer;
  offer.sku = sku;
  offer.gpu = gpu;
  offer.regions = {"eu-1"};
  offer.pricing = "on-demand";
  offer.tier = "standard";
  offer.usd_per_hour = UsdPerHour(usd_per_hour);
  offer.source = "test";
  offer.as_of = "2026-11-30";
  return offer;
}

// Bills by the second, with free storage and egress: nothing but hours.
inline Provider small_provider(const std::string& id, std::vector<Offer> offers = {}) {
  Provider provider;
  provider.id = id;
  provider.name = "Provider " + id;
  provider.billing_granularity_s = 1;
  provider.minimum_charge_s = 0;
  provider.storage.usd_per_gb_month = 0;
  provider.egress_usd_per_gb = 0;
  provider.reliability = 3;
  provider.source = "test";
  provider.as_of = "2026-11-30";
  provider.offers = std::move(offers);
  return provider;
}

inline MemoryProfile small_profile(std::vector<Precision> precisions, bool checkpointing,
                                   double gb_per_clip) {
  MemoryProfile profile;
  profile.precisions = std::move(precisions);
  profile.checkpointing = checkpointing;
  profile.phases = {
      {"forward pass",
       PhaseKind::forward,
       {},
       {{"activations", gb_per_clip * 1e6, {Variable::batch, Variable::clip_frames}}}}};
  profile.basis = Basis::measured;
  profile.source = "test";
  return profile;
}

inline Stage small_stage(const std::string& key = "main") {
  Stage stage;
  stage.key = stage.id = stage.name = key;
  stage.family = Family::transformer;
  stage.batch_unit = BatchUnit::clips;
  LengthRule frames;
  frames.variable = Variable::clip_frames;
  frames.per_second = 100;
  stage.lengths = {frames};
  Training& training = stage.training;
  training.trainable = 100e6;
  training.optimizers = {{"adamw", 8, 0, "test"}, {"adamw-8bit", 2, 0, "test"}};
  training.gradients_always_resident = true;
  training.multi_gpu = true;
  training.accumulation_supported = true;
  Recipe recipe;
  recipe.batch.value = 8;
  recipe.precision = Precision::fp16;
  recipe.epochs = 10;
  recipe.max_clip = Seconds(10);
  recipe.mean_clip = Seconds(5);
  training.recipes = {{Task::finetune, recipe}};
  const std::vector<Precision> half{Precision::fp16, Precision::bf16};
  const std::vector<Precision> full{Precision::fp32, Precision::tf32};
  training.profiles = {small_profile(half, false, 1), small_profile(half, true, 0.2),
                       small_profile(full, false, 2), small_profile(full, true, 0.4)};
  // Two passes of 8 clips a second.
  training.speed.references = {{"reference-80gb", Precision::fp16, std::nullopt, 8, Seconds(5), 2,
                                Basis::measured, "", "test", "2026-11-30"}};
  return stage;
}

// 1 GB of fp16 weights and 0.1 GB for each stream; 0.1 s of compute for each
// second of audio.
inline Inference small_inference() {
  Inference inference;
  ModelComponent component;
  component.id = "lm";
  component.name = "Language model";
  component.parameters = 500e6;
  inference.components = {component};
  inference.default_precision = Precision::fp16;
  inference.output = Seconds(10);
  inference.streams_share_weights = true;
  MemoryProfile profile;
  profile.precisions = {Precision::fp16, Precision::bf16};
  profile.phases = {{"generate", PhaseKind::run, {}, {{"KV cache", 0.1e9, {Variable::streams}}}}};
  profile.basis = Basis::measured;
  inference.profiles = {profile};
  InferenceReference reference;
  reference.gpu = "reference-80gb";
  reference.precision = Precision::fp16;
  reference.runtime = "pytorch";
  reference.rtf = 0.1;
  reference.first_audio_ms = 200;
  reference.basis = Basis::measured;
  reference.source = "test";
  inference.references = {reference};
  return inference;
}

inline VoiceModel small_model(std::vector<Stage> stages = {small_stage()}) {
  VoiceModel model;
  model.id = "small";
  model.name = "Small Voice";
  model.licence = {"MIT", "MIT", "yes", "", "test"};
  model.vendors = {Vendor::nvidia};
  model.default_variant = "one";
  model.defaults[Task::finetune] = {Seconds(2400), std::nullopt, std::nullopt, 1, "test"};
  Variant variant;
  variant.id = variant.name = "one";
  for (const Stage& stage : stages) variant.stages.push_back(stage.key);
  variant.inference = small_inference();
  model.variants = {variant};
  model.stages = std::move(stages);
  model.sources = {"test"};
  model.as_of = "2026-11-30";
  return model;
}

// Cards of 4, 8, 12 and 24 GB; provider "alpha" rents out each at as many
// dollars per hour as it has GB / 10. Speeds were measured on another card, of
// the same speed.
inline CatalogParts small_parts() {
  CatalogParts parts;
  parts.assumptions = small_assumptions();
  Provider alpha = small_provider("alpha");
  for (const int size : {4, 8, 12, 24}) {
    const std::string id = "card-" + std::to_string(size) + "gb";
    parts.gpus.push_back(small_gpu(id, size));
    alpha.offers.push_back(small_offer("a-" + std::to_string(size), id, size / 10.0));
  }
  parts.gpus.push_back(small_gpu("reference-80gb", 80));
  parts.providers = {alpha};
  parts.models = {small_model()};
  parts.info = {"1-2026-11-30", "2026-11-30", "", "test"};
  return parts;
}

inline WorkloadRequest small_request(Task task = Task::finetune) {
  return request_for(task, "small");
}

inline RecommendOptions small_options() {
  RecommendOptions options;
  options.today = small_today;
  options.limit = 0;
  return options;
}

}  // namespace vcgpu::test
