// The catalog's binary form: what is embedded in the program.
//
// Parsing 1 MB of JSON takes longer than all the rest of a run, so the build
// checks the JSON once and stores the resulting structs with cereal. Every
// struct names its members once, here, for writing and for reading; the two
// ends are always one build, so no version is kept.
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "vcgpu/catalog.hpp"

namespace vcgpu {

template <class Archive, class Unit>
void save(Archive& archive, const Quantity<Unit>& quantity) {
  archive(quantity.count());
}
template <class Archive, class Unit>
void load(Archive& archive, Quantity<Unit>& quantity) {
  double count = 0;
  archive(count);
  quantity = Quantity<Unit>(count);
}
template <class Archive, class T>
void serialize(Archive& archive, Range<T>& range) {
  archive(range.low, range.expected, range.high);
}

template <class Archive>
void serialize(Archive& archive, ComputeCapability& c) {
  archive(c.major, c.minor);
}
template <class Archive>
void serialize(Archive& archive, MigProfile& m) {
  archive(m.profile, m.memory_gb, m.usable_gib, m.compute_slices, m.total_compute_slices,
          m.memory_fraction, m.sm_count, m.max_instances);
}
template <class Archive>
void serialize(Archive& archive, Gpu& g) {
  archive(g.id, g.name, g.aliases, g.vendor, g.architecture, g.compute_capability, g.isa, g.form,
          g.released, g.memory_gb, g.usable_gib, g.usable_basis, g.nvidia_smi_mib, g.memory_type,
          g.memory_bus_bits, g.unified_memory, g.bandwidth_gb_s, g.sm_count, g.cuda_cores,
          g.tensor_cores, g.tensor_generation);
  archive(g.fp32_tflops, g.tf32_tflops, g.fp16_tflops, g.bf16_tflops, g.fp8_tflops, g.int8_tops,
          g.fp32_accumulate_halved, g.l2_mb, g.nvlink_gb_s, g.nvlink_kind, g.pcie_generation, g.ecc,
          g.tdp_w, g.mig, g.mig_notes, g.sources, g.as_of, g.notes);
}

template <class Archive>
void serialize(Archive& archive, Offer& o) {
  archive(o.sku, o.gpu, o.gpu_count, o.vcpus, o.ram_gib, o.disk_gb, o.regions, o.pricing, o.tier,
          o.interconnect, o.usd_per_hour, o.currency, o.host_reliability, o.source, o.as_of,
          o.note);
}
template <class Archive>
void serialize(Archive& archive, MarketPrice& m) {
  archive(m.statistic, m.gpu, m.gpu_count, m.region, m.pricing, m.tier, m.usd_per_hour, m.source,
          m.as_of, m.note);
}
template <class Archive>
void serialize(Archive& archive, Storage& s) {
  archive(s.usd_per_gb_month, s.usd_per_gb_month_stopped, s.included_gb, s.note);
}
template <class Archive>
void serialize(Archive& archive, Spot& s) {
  archive(s.offered, s.notice_s, s.note);
}
template <class Archive>
void serialize(Archive& archive, Provider& p) {
  archive(p.id, p.name, p.aliases, p.kind, p.billing_granularity_s, p.minimum_charge_s, p.storage,
          p.egress_usd_per_gb, p.spot, p.reserved_discount_percent_1y, p.reserved_note,
          p.sla_uptime_percent, p.ease, p.reliability, p.ease_reason, p.reliability_reason, p.tiers,
          p.tiers_note, p.regions_note, p.docker, p.launch_hint, p.general_knowledge, p.source,
          p.as_of, p.offers, p.market);
}
template <class Archive>
void serialize(Archive& archive, MarketReference& m) {
  archive(m.gpu, m.offers, m.providers, m.min_usd, m.min_list_usd, m.median_usd, m.max_usd,
          m.min_spot_usd, m.newest_as_of);
}

template <class Archive>
void serialize(Archive& archive, LengthRule& r) {
  archive(r.variable, r.per_second, r.constant, r.max, r.samples, r.sum, r.times, r.plus, r.source);
}
template <class Archive>
void serialize(Archive& archive, Term& t) {
  archive(t.name, t.bytes, t.per, t.workspace);
}
template <class Archive>
void serialize(Archive& archive, Phase& p) {
  archive(p.name, p.kind, p.components, p.terms);
}
template <class Archive>
void serialize(Archive& archive, MemoryProfile& p) {
  archive(p.precisions, p.attention, p.checkpointing, p.method, p.offload, p.runtimes,
          p.streams_share_weights, p.autocast_copies, p.weight_bytes, p.reservation_share, p.phases,
          p.basis, p.spread, p.points, p.residual_percent, p.source);
}
template <class Archive>
void serialize(Archive& archive, ModelComponent& c) {
  archive(c.id, c.name, c.parameters, c.bytes_per_parameter, c.frozen, c.source);
}
template <class Archive>
void serialize(Archive& archive, BatchRule& b) {
  archive(b.value, b.per_memory_gb, b.min, b.max, b.max_share_of_clips, b.halve_in_fp32, b.source);
}
template <class Archive>
void serialize(Archive& archive, Recipe& r) {
  archive(r.batch, r.grad_accum, r.precision, r.unconfigured_precision, r.epochs, r.steps,
          r.max_clip, r.mean_clip, r.attention, r.checkpointing, r.method, r.source);
}
template <class Archive>
void serialize(Archive& archive, Optimizer& o) {
  archive(o.id, o.state_bytes, o.step_temporary_bytes, o.source);
}
template <class Archive>
void serialize(Archive& archive, Lora& l) {
  archive(l.ranks, l.default_rank, l.parameters_per_rank, l.also_trainable, l.frozen,
          l.ddp_on_one_gpu, l.source);
}
template <class Archive>
void serialize(Archive& archive, SpeedReference& r) {
  archive(r.gpu, r.precision, r.method, r.batch, r.mean_clip, r.steps_per_s, r.basis, r.note,
          r.source, r.as_of);
}
template <class Archive>
void serialize(Archive& archive, TrainingSpeed& s) {
  archive(s.gpu_exponent, s.host_per_step, s.clip_share, s.checkpointing_factor, s.references);
}
template <class Archive>
void serialize(Archive& archive, Training& t) {
  archive(t.trainable, t.without_gradient, t.frozen, t.matmul, t.buffers_bytes, t.components,
          t.weight_bytes, t.gradient_bytes, t.frozen_bytes, t.ema_bytes, t.ema_switch,
          t.batch_is_total, t.shardings, t.sharding_source, t.optimizers,
          t.gradients_always_resident, t.ddp_on_one_gpu, t.multi_gpu, t.accumulation_supported,
          t.accumulation_fixed, t.accumulation_source, t.lora, t.cap_clip, t.max_items, t.recipes,
          t.profiles, t.speed);
}
template <class Archive>
void serialize(Archive& archive, ConfigKey& k) {
  archive(k.key, k.values, k.unit, k.per_second, k.file, k.note);
}
template <class Archive>
void serialize(Archive& archive, Stage& s) {
  archive(s.key, s.id, s.name, s.aliases, s.family, s.optional, s.batch_unit, s.lengths, s.training,
          s.config_keys);
}
template <class Archive>
void serialize(Archive& archive, InferenceReference& r) {
  archive(r.gpu, r.precision, r.runtime, r.streams, r.rtf, r.first_audio_ms, r.basis, r.note,
          r.source, r.as_of);
}
template <class Archive>
void serialize(Archive& archive, Inference& i) {
  archive(i.components, i.default_precision, i.output, i.streams_share_weights, i.lengths,
          i.profiles, i.gpu_exponent, i.references);
}
template <class Archive>
void serialize(Archive& archive, Preprocess& p) {
  archive(p.id, p.name, p.rtf, p.basis, p.source);
}
template <class Archive>
void serialize(Archive& archive, Pins& p) {
  archive(p.min_compute_capability, p.max_compute_capability, p.framework, p.note, p.source);
}
template <class Archive>
void serialize(Archive& archive, Variant& v) {
  archive(v.id, v.name, v.aliases, v.stages, v.preprocess, v.inference, v.pins, v.unknown);
}
template <class Archive>
void serialize(Archive& archive, Licence& l) {
  archive(l.code, l.weights, l.commercial, l.note, l.source);
}
template <class Archive>
void serialize(Archive& archive, TaskDefaults& d) {
  archive(d.dataset, d.volume, d.output, d.speakers, d.source);
}
template <class Archive>
void serialize(Archive& archive, VoiceModel& m) {
  archive(m.id, m.name, m.aliases, m.alias_notes, m.summary, m.family, m.licence, m.vendors,
          m.default_variant, m.defaults, m.variants, m.stages, m.sources, m.as_of);
}

template <class Archive>
void serialize(Archive& archive, Overhead& o) {
  archive(o.slack, o.sigma, o.cache, o.cache_sigma);
}
template <class Archive>
void serialize(Archive& archive, ScalingClass& s) {
  archive(s.small, s.large);
}
template <class Archive>
void serialize(Archive& archive, Assumptions& a) {
  archive(a.memory.cuda_context, a.memory.communication, a.memory.training, a.memory.inference,
          a.memory.basis_sigma, a.memory.tight_up_to_probability, a.memory.windows_reserve);
  archive(a.speed.bandwidth_reference_gb_s, a.speed.bandwidth_exponent, a.speed.tensor_exponent,
          a.speed.fp16_reference_tflops, a.speed.tf32_reference_tflops,
          a.speed.fp32_without_tf32_factor, a.speed.mixed_precision_gain,
          a.speed.checkpointing_factor, a.speed.adapter_factor, a.speed.sigma,
          a.speed.small_gradient, a.speed.large_gradient, a.speed.scaling);
  archive(a.cost.setup, a.cost.environment_gb, a.cost.checkpoints_kept, a.cost.dataset_gb_per_hour,
          a.cost.checkpoint_interval, a.cost.restart, a.cost.interruptions_per_hour,
          a.cost.days_per_month);
  archive(a.prices.plausible_from_median, a.prices.min_provider_reliability,
          a.prices.min_host_reliability, a.prices.good_host_reliability, a.prices.old_after_days);
}

template <class Archive>
void serialize(Archive& archive, ModelNames& n) {
  archive(n.id, n.aliases, n.variants);
}
template <class Archive>
void serialize(Archive& archive, CatalogInfo& i) {
  archive(i.version, i.as_of, i.sha256, i.origin);
}
template <class Archive>
void serialize(Archive& archive, CatalogParts& p) {
  archive(p.gpus, p.providers, p.market, p.models, p.assumptions, p.info);
}

}  // namespace vcgpu
