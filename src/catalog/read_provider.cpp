#include "catalog/readers.hpp"

namespace vcgpu {

namespace {

// No GPU machine is rented for less or more than this per hour.
constexpr double min_usd_per_hour = 0.0001;
constexpr double max_usd_per_hour = 100'000;

UsdPerHour read_price(const JsonNode& node) {
  return UsdPerHour(node.number("usd_per_hour", min_usd_per_hour, max_usd_per_hour));
}

Offer read_offer(const JsonNode& node) {
  node.only({"sku", "gpu", "gpu_count", "vcpus", "ram_gib", "disk_gb", "regions", "pricing", "tier",
             "interconnect", "usd_per_hour", "currency", "host_reliability", "source", "as_of",
             "note"});
  Offer offer;
  offer.sku = node.text("sku");
  offer.gpu = node.text("gpu");
  offer.gpu_count = node.number("gpu_count", 0.01, 1024);
  offer.vcpus = node.optional_number("vcpus", 0.1, 100'000);
  offer.ram_gib = node.optional_number("ram_gib", 0.1, 1'000'000);
  offer.disk_gb = node.optional_number("disk_gb", 0.1, 10'000'000);
  offer.regions = node.texts("regions");
  offer.pricing = node.text("pricing");
  offer.tier = node.text("tier");
  offer.interconnect = node.text_or_empty("interconnect");
  offer.usd_per_hour = read_price(node);
  offer.currency = node.text_or_empty("currency");
  offer.host_reliability = node.optional_number("host_reliability", 0, 1);
  offer.source = node.text("source");
  offer.as_of = node.date("as_of");
  offer.note = node.text_or_empty("note");
  return offer;
}

MarketPrice read_market_price(const JsonNode& node) {
  node.only({"statistic", "gpu", "gpu_count", "region", "pricing", "tier", "usd_per_hour", "source",
             "as_of", "note"});
  return {.statistic = node.text("statistic"),
          .gpu = node.text("gpu"),
          .gpu_count = node.number("gpu_count", 0.01, 1024),
          .region = node.text_or_empty("region"),
          .pricing = node.text_or_empty("pricing"),
          .tier = node.text_or_empty("tier"),
          .usd_per_hour = read_price(node),
          .source = node.text("source"),
          .as_of = node.date("as_of"),
          .note = node.text_or_empty("note")};
}

Storage read_storage(const JsonNode& node) {
  node.only({"usd_per_gb_month", "usd_per_gb_month_stopped", "included_gb", "note"});
  return {.usd_per_gb_month = node.optional_number("usd_per_gb_month", 0, 100),
          .usd_per_gb_month_stopped = node.optional_number("usd_per_gb_month_stopped", 0, 100),
          .included_gb = node.optional_number("included_gb", 0, 10'000'000),
          .note = node.text_or_empty("note")};
}

Spot read_spot(const JsonNode& node) {
  node.only({"offered", "notice_s", "note"});
  return {.offered = node.optional_boolean("offered"),
          .notice_s = node.optional_number("notice_s", 0, 1'000'000),
          .note = node.text_or_empty("note")};
}

}  // namespace

Provider read_provider(const JsonNode& node) {
  node.only({"id",
             "name",
             "aliases",
             "kind",
             "billing_granularity_s",
             "minimum_charge_s",
             "storage",
             "egress_usd_per_gb",
             "spot",
             "reserved",
             "sla_uptime_percent",
             "ease",
             "ease_reason",
             "reliability",
             "reliability_reason",
             "tiers",
             "tiers_note",
             "regions_note",
             "docker",
             "launch_hint",
             "general_knowledge",
             "source",
             "as_of",
             "offers",
             "market"});
  Provider provider;
  provider.id = node.text("id");
  provider.name = node.text("name");
  provider.aliases = node.texts("aliases");
  provider.kind = node.text_or_empty("kind");
  provider.billing_granularity_s = node.optional_number("billing_granularity_s", 1, 2'678'400);
  provider.minimum_charge_s = node.optional_number("minimum_charge_s", 0, 2'678'400);
  if (node.has("storage")) provider.storage = read_storage(node.at("storage"));
  provider.egress_usd_per_gb = node.optional_number("egress_usd_per_gb", 0, 100);
  if (node.has("spot")) provider.spot = read_spot(node.at("spot"));
  if (node.has("reserved")) {
    const JsonNode reserved = node.at("reserved");
    reserved.only({"discount_percent_1y", "note"});
    provider.reserved_discount_percent_1y = reserved.optional_number("discount_percent_1y", 0, 100);
    provider.reserved_note = reserved.text_or_empty("note");
  }
  provider.sla_uptime_percent = node.optional_number("sla_uptime_percent", 0, 100);
  provider.ease = node.optional_integer("ease", 1, 5);
  provider.reliability = node.optional_integer("reliability", 1, 5);
  provider.ease_reason = node.text_or_empty("ease_reason");
  provider.reliability_reason = node.text_or_empty("reliability_reason");
  provider.tiers = node.texts("tiers");
  provider.tiers_note = node.text_or_empty("tiers_note");
  provider.regions_note = node.text_or_empty("regions_note");
  provider.docker = node.text_or_empty("docker");
  provider.launch_hint = node.text_or_empty("launch_hint");
  provider.general_knowledge = node.texts("general_knowledge");
  provider.source = node.text("source");
  provider.as_of = node.date("as_of");
  for (const JsonNode& offer : node.items("offers")) provider.offers.push_back(read_offer(offer));
  for (const JsonNode& price : node.items("market"))
    provider.market.push_back(read_market_price(price));
  return provider;
}

MarketReference read_market_reference(const JsonNode& node) {
  node.only({"gpu", "offers", "providers", "usd_per_gpu_hour", "newest_as_of"});
  MarketReference reference;
  reference.gpu = node.text("gpu");
  reference.offers = node.integer("offers", 0, 1'000'000);
  reference.providers = node.integer("providers", 0, 10'000);
  reference.newest_as_of = node.text_or_empty("newest_as_of");
  if (!node.has("usd_per_gpu_hour")) return reference;  // listed, but no price of this year
  const JsonNode usd = node.at("usd_per_gpu_hour");
  usd.only({"min", "min_list", "median", "median_list", "max", "min_spot"});
  const auto price = [&](std::string_view key) {
    return usd.optional_number(key, min_usd_per_hour, max_usd_per_hour);
  };
  reference.min_usd = price("min");
  reference.min_list_usd = price("min_list");
  reference.median_usd = price("median");
  reference.max_usd = price("max");
  reference.min_spot_usd = price("min_spot");
  return reference;
}

}  // namespace vcgpu
