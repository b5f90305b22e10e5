#include <cmath>

#include "catalog/readers.hpp"
#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

// A block with its values beside "source" and "as_of", which every block of
// assumptions must have.
JsonNode sourced(const JsonNode& parent, std::string_view key) {
  JsonNode node = parent.at(key);
  (void)node.text("source");
  (void)node.date("as_of");
  return node;
}

double value_of(const JsonNode& parent, std::string_view key, double low, double high) {
  const JsonNode node = sourced(parent, key);
  node.only({"value", "source", "as_of"});
  return node.number("value", low, high);
}

Range<double> range_of(const JsonNode& parent, std::string_view key, double low, double high) {
  const JsonNode node = sourced(parent, key);
  node.only({"low", "expected", "high", "source", "as_of"});
  const Range<double> range{node.number("low", low, high), node.number("expected", low, high),
                            node.number("high", low, high)};
  if (range.low > range.expected || range.expected > range.high)
    node.fail("low, expected and high are not in order");
  return range;
}

std::map<int, double> by_gpu_count(const JsonNode& node, double low, double high) {
  return {{2, node.number("2", low, high)},
          {4, node.number("4", low, high)},
          {8, node.number("8", low, high)}};
}

template <class Enum>
std::map<Enum, double> by_name(const JsonNode& node, const Names<Enum>& names, double low,
                               double high) {
  std::map<Enum, double> values;
  for (const auto& [name, value] : names) values[value] = node.number(name, low, high);
  return values;
}

Overhead read_overhead(const JsonNode& node) {
  return {.slack = node.number("slack", 0, 2),
          .sigma = node.number("sigma", 0, 2),
          .cache = node.number("cache", 0, 2),
          .cache_sigma = node.number("cache_sigma", 0, 2)};
}

MemoryAssumptions read_memory(const JsonNode& node) {
  node.only({"cuda_context_mib", "communication_mib", "training", "inference", "basis_sigma",
             "tight_up_to_probability", "windows_reserve_gib"});
  MemoryAssumptions memory;
  memory.cuda_context =
      range_of(node, "cuda_context_mib", 1, 100'000).map([](double n) { return mib(n); });
  for (const auto& [count, n] : by_gpu_count(sourced(node, "communication_mib"), 0, 100'000))
    memory.communication[count] = mib(n);
  for (const JsonNode& item : node.items("training")) {
    item.only({"family", "slack", "sigma", "cache", "cache_sigma", "source", "as_of"});
    (void)item.text("source");
    memory.training[item.choice("family", family_names())] = read_overhead(item);
  }
  for (const auto& [name, family] : family_names()) {
    if (!memory.training.contains(family))
      node.at("training").fail("has no entry for family '" + std::string(name) + "'");
  }
  const JsonNode inference = sourced(node, "inference");
  inference.only({"slack", "sigma", "cache", "cache_sigma", "source", "as_of"});
  memory.inference = read_overhead(inference);
  memory.basis_sigma = by_name(sourced(node, "basis_sigma"), basis_names(), 0.001, 2);
  memory.tight_up_to_probability = node.number("tight_up_to_probability", 0.01, 1);
  memory.windows_reserve = gib(value_of(node, "windows_reserve_gib", 0, 16));
  return memory;
}

SpeedAssumptions read_speed(const JsonNode& node) {
  node.only({"index", "mixed_precision_gain", "checkpointing_factor", "adapter_factor", "sigma",
             "scaling"});
  SpeedAssumptions speed;
  const JsonNode index = sourced(node, "index");
  speed.bandwidth_reference_gb_s = index.number("bandwidth_reference_gb_s", 1, 1e6);
  speed.bandwidth_exponent = index.number("bandwidth_exponent", 0, 2);
  speed.tensor_exponent = index.number("tensor_exponent", 0, 2);
  speed.fp16_reference_tflops = index.number("fp16_reference_tflops", 1, 1e6);
  speed.tf32_reference_tflops = index.number("tf32_reference_tflops", 1, 1e6);
  speed.fp32_without_tf32_factor = index.number("fp32_without_tf32_factor", 0.01, 10);
  speed.mixed_precision_gain =
      by_name(sourced(node, "mixed_precision_gain"), family_names(), 0.1, 100);
  speed.checkpointing_factor = value_of(node, "checkpointing_factor", 1, 10);
  speed.adapter_factor = value_of(node, "adapter_factor", 0.1, 2);
  speed.sigma = by_name(sourced(node, "sigma"), basis_names(), 0, 3);
  const JsonNode scaling = sourced(node, "scaling");
  scaling.only({"small_gradient_gb", "large_gradient_gb", "classes", "source", "as_of"});
  speed.small_gradient = gb(scaling.number("small_gradient_gb", 0.001, 1000));
  speed.large_gradient = gb(scaling.number("large_gradient_gb", 0.001, 1000));
  if (speed.small_gradient >= speed.large_gradient)
    scaling.fail("small_gradient_gb must be below large_gradient_gb");
  for (const JsonNode& item : scaling.items("classes")) {
    item.only({"id", "small", "large"});
    speed.scaling[item.text("id")] = {by_gpu_count(item.at("small"), 0.01, 1.2),
                                      by_gpu_count(item.at("large"), 0.01, 1.2)};
  }
  for (const char* id :
       {"nvswitch", "nvlink-mesh", "nvlink-pair", "pcie-professional", "pcie-geforce"}) {
    if (!speed.scaling.contains(id))
      scaling.at("classes").fail("has no class '" + std::string(id) + "'");
  }
  return speed;
}

CostAssumptions read_cost(const JsonNode& node) {
  node.only({"setup_hours", "environment_gb", "checkpoints_kept", "dataset_gb_per_hour", "spot",
             "days_per_month"});
  CostAssumptions cost;
  cost.setup = range_of(node, "setup_hours", 0, 1000).map([](double n) { return hours(n); });
  cost.environment_gb = value_of(node, "environment_gb", 0, 100'000);
  cost.checkpoints_kept = value_of(node, "checkpoints_kept", 0, 10'000);
  cost.dataset_gb_per_hour = value_of(node, "dataset_gb_per_hour", 0, 1000);
  const JsonNode spot = sourced(node, "spot");
  spot.only(
      {"checkpoint_interval_hours", "restart_hours", "interruptions_per_hour", "source", "as_of"});
  cost.checkpoint_interval = hours(spot.number("checkpoint_interval_hours", 0, 1000));
  cost.restart = hours(spot.number("restart_hours", 0, 1000));
  for (const auto& [tier, rate] : spot.at("interruptions_per_hour").members())
    cost.interruptions_per_hour[tier] = rate.as_number(0, 100);
  cost.days_per_month = value_of(node, "days_per_month", 28, 31);
  return cost;
}

}  // namespace

Assumptions read_assumptions(const JsonNode& node) {
  node.only({"schema_version", "as_of", "memory", "speed", "cost", "prices"});
  Assumptions assumptions;
  assumptions.memory = read_memory(node.at("memory"));
  assumptions.speed = read_speed(node.at("speed"));
  assumptions.cost = read_cost(node.at("cost"));
  const JsonNode prices = sourced(node, "prices");
  prices.only({"plausible_from_median", "min_provider_reliability", "min_host_reliability",
               "good_host_reliability", "old_after_days", "source", "as_of"});
  assumptions.prices = {
      prices.number("plausible_from_median", 0, 1),
      prices.integer("min_provider_reliability", 1, 5), prices.number("min_host_reliability", 0, 1),
      prices.number("good_host_reliability", 0, 1), prices.integer("old_after_days", 1, 36500)};
  return assumptions;
}

}  // namespace vcgpu
