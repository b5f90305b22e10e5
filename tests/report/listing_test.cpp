#include "report/listing.hpp"

#include <algorithm>
#include <sstream>

#include "catalog/archive.hpp"
#include "catalog/readers.hpp"
#include "report/card.hpp"
#include "report/entry_json.hpp"
#include "report/listing_table.hpp"
#include "support/catch.hpp"
#include "support/embedded.hpp"
#include "support/small_catalog.hpp"

namespace vcgpu {

namespace {

using test::embedded_catalog;
using test::small_offer;
using test::small_parts;
using test::small_provider;
using test::small_today;

const Style plain{Terminal{}};

// Every member of an entry, as the program embeds it.
template <class Entry>
std::string bytes_of(const Entry& entry) {
  std::ostringstream out;
  cereal::BinaryOutputArchive archive(out);
  archive(entry);
  return out.str();
}

template <class Reader>
auto read_back(const Json& entry, Reader read) {
  const auto source = std::make_shared<const JsonText>(JsonText{"entry", entry.dump(2)});
  const Json parsed = parse_source(*source, ExitCode::bad_catalog);
  return read(JsonNode(parsed, source, "", ExitCode::bad_catalog));
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

PriceSummary summary_of(const CatalogParts& parts, const std::string& gpu,
                        const std::optional<OpenRange>& count = {}) {
  // Kept, because the summary points into it.
  static std::vector<std::unique_ptr<Catalog>> catalogs;
  catalogs.push_back(std::make_unique<Catalog>(parts));
  const auto summaries = summarise_prices(*catalogs.back(), count);
  const auto found = summaries.find(gpu);
  return found == summaries.end() ? PriceSummary{} : found->second;
}

CatalogParts parts_with(std::vector<Offer> offers) {
  CatalogParts parts = small_parts();
  parts.providers = {small_provider("alpha", std::move(offers))};
  return parts;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // A word that is longer than the line stands alone: a source's path.
    if (line.find_last_of(' ') <= line.find_first_not_of(' ')) continue;
    widest = std::max(widest, line.size());
  }
  return widest;
}

}  // namespace

TEST_CASE("a GPU's entry reads back as the same GPU") {
  for (const Gpu& gpu : embedded_catalog().gpus()) {
    INFO(gpu.id);
    CHECK(bytes_of(read_back(gpu_entry(gpu), read_gpu)) == bytes_of(gpu));
  }
}

TEST_CASE("a provider's entry reads back as the same provider, offers and market included") {
  for (const Provider& provider : embedded_catalog().providers()) {
    INFO(provider.id);
    CHECK(bytes_of(read_back(provider_entry(provider), read_provider)) == bytes_of(provider));
  }
}

TEST_CASE("a model's entry reads back as the same model") {
  for (const VoiceModel& model : embedded_catalog().models()) {
    INFO(model.id);
    CHECK(bytes_of(read_back(voice_model_entry(model), read_voice_model)) == bytes_of(model));
  }
}

TEST_CASE("a market reference's entry reads back as the same reference") {
  for (const MarketReference& reference : embedded_catalog().market()) {
    INFO(reference.gpu);
    CHECK(bytes_of(read_back(market_reference_entry(reference), read_market_reference)) ==
          bytes_of(reference));
  }
}

TEST_CASE("what a GPU's entry does not know is absent") {
  Gpu gpu = test::small_gpu("card-8gb", 8);
  gpu.compute_capability.reset();
  gpu.nvlink_gb_s.reset();
  const Json entry = gpu_entry(gpu);
  CHECK_FALSE(entry.contains("compute_capability"));
  CHECK_FALSE(entry.contains("nvlink_gb_s"));
  CHECK_FALSE(entry.contains("mig"));
}

TEST_CASE("a whole number in an entry has no point, as in the catalog's files") {
  CHECK(gpu_entry(test::small_gpu("card-8gb", 8))["bandwidth_gb_s"].dump() == "2000");
}

TEST_CASE("all rows of a list have the same keys") {
  const Catalog& catalog = embedded_catalog();
  const PriceSummary none;
  const auto gpu_keys = keys_of(gpu_row(catalog.gpus().front(), none, small_today));
  for (const Gpu& gpu : catalog.gpus()) CHECK(keys_of(gpu_row(gpu, none, small_today)) == gpu_keys);
  const auto model_keys = keys_of(voice_model_row(catalog.models().front()));
  for (const VoiceModel& model : catalog.models())
    CHECK(keys_of(voice_model_row(model)) == model_keys);
  const auto provider_keys = keys_of(provider_row(catalog.providers().front()));
  for (const Provider& provider : catalog.providers())
    CHECK(keys_of(provider_row(provider)) == provider_keys);
}

TEST_CASE("every column of csv is a key of the rows") {
  const Catalog& catalog = embedded_catalog();
  const Provider& provider =
      *std::find_if(catalog.providers().begin(), catalog.providers().end(),
                    [](const Provider& candidate) { return !candidate.offers.empty(); });
  const auto check = [](const Json& row, const RecordShape& shape) {
    for (const std::string& key : shape.keys) CHECK(row.contains(key));
    const Json document{{"results", Json::array({row})}};
    CHECK_NOTHROW(render_records(document, Format::json, shape.columns, shape));
  };
  check(gpu_row(catalog.gpus().front(), PriceSummary{}, small_today), gpus_shape());
  check(voice_model_row(catalog.models().front()), models_shape());
  check(provider_row(provider), providers_shape());
  check(offer_row(provider, provider.offers.front(), small_today), offers_shape());
}

TEST_CASE("a market price has the keys of an offer and says that it is none") {
  const Provider provider = small_provider("alpha");
  const Json offer = offer_row(provider, small_offer("a", "card-8gb", 1), small_today);
  const Json market = market_price_row(
      provider, {"median", "card-8gb", 1, "", "", "", UsdPerHour(1), "test", "2026-11-30", ""},
      small_today);
  CHECK(keys_of(market) == keys_of(offer));
  CHECK(offer["kind"] == "offer");
  CHECK(market["kind"] == "market");
  CHECK(market["id"].is_null());
}

TEST_CASE("the price per GPU-hour is that of the instance divided by its GPUs") {
  Offer offer = small_offer("a", "card-8gb", 6);
  offer.gpu_count = 4;
  const Json row = offer_row(small_provider("alpha"), offer, small_today);
  CHECK(row["usd_per_hour"] == 6);
  CHECK(row["usd_per_gpu_hour"] == 1.5);
}

TEST_CASE("a price's age is in whole days") {
  Offer offer = small_offer("a", "card-8gb", 6);
  offer.as_of = "2026-11-20";
  CHECK(offer_row(small_provider("alpha"), offer, small_today)["age_days"] == 10);
}

TEST_CASE("the cheapest price is the lowest per GPU, not per instance") {
  Offer eight = small_offer("eight", "card-8gb", 4);
  eight.gpu_count = 8;
  const CatalogParts parts = parts_with({small_offer("one", "card-8gb", 1), eight});
  CHECK(summary_of(parts, "card-8gb").cheapest->sku == "eight");
}

TEST_CASE("the cheapest price is on demand") {
  Offer spot = small_offer("spot", "card-8gb", 0.1);
  spot.pricing = "spot";
  const CatalogParts parts = parts_with({spot, small_offer("one", "card-8gb", 1)});
  const PriceSummary summary = summary_of(parts, "card-8gb");
  CHECK(summary.offers == 2);
  CHECK(summary.cheapest->sku == "one");
}

TEST_CASE("a host that recommend leaves out for its uptime is not the cheapest price") {
  Offer shaky = small_offer("shaky", "card-8gb", 0.1);
  shaky.host_reliability = 0.5;
  const CatalogParts parts = parts_with({shaky, small_offer("one", "card-8gb", 1)});
  CHECK(summary_of(parts, "card-8gb").cheapest->sku == "one");
}

TEST_CASE("with a GPU count, prices are those of instances of that size") {
  Offer eight = small_offer("eight", "card-8gb", 16);
  eight.gpu_count = 8;
  const CatalogParts parts = parts_with({small_offer("one", "card-8gb", 1), eight});
  const PriceSummary summary = summary_of(parts, "card-8gb", OpenRange{8, 8});
  CHECK(summary.offers == 1);
  CHECK(summary.cheapest->sku == "eight");
  CHECK(summary_of(parts, "card-8gb", OpenRange{3, 3}).offers == 0);
}

TEST_CASE("an unknown price is null, never zero") {
  const Json row = gpu_row(test::small_gpu("card-8gb", 8), PriceSummary{}, small_today);
  CHECK(row["offers"] == 0);
  CHECK(row["min_usd_per_gpu_hour"].is_null());
}

TEST_CASE("a model's memory is as well known as its least known settings") {
  VoiceModel model = test::small_model();
  CHECK(voice_model_row(model)["basis"]["memory"]["training"] == "measured");
  model.stages.front().training.profiles.back().basis = Basis::analytic;
  const Json basis = voice_model_row(model)["basis"];
  CHECK(basis["memory"]["training"] == "analytic");
  CHECK(basis["memory"]["inference"] == "measured");
  CHECK(basis["speed"]["training"] == "measured");
}

TEST_CASE("a model's speed is as well known as its best reference") {
  VoiceModel model = test::small_model();
  auto& references = model.stages.front().training.speed.references;
  references.push_back(references.front());
  references.back().basis = Basis::analytic;
  CHECK(voice_model_row(model)["basis"]["speed"]["training"] == "measured");
}

TEST_CASE("a model's tasks are those that it has a recipe or an inference profile for") {
  VoiceModel model = test::small_model();
  CHECK(tasks_of(model) == std::vector<Task>{Task::finetune, Task::realtime, Task::batch});
  model.variants.front().inference.reset();
  CHECK(tasks_of(model) == std::vector<Task>{Task::finetune});
}

TEST_CASE("an empty listing is a document that says which filter left how many out") {
  Listing listing;
  listing.command = "gpus list";
  listing.refused = {{"vram", 4}};
  const Json document = listing_document(listing, small_parts().info);
  CHECK(document["results"] == Json::array());
  CHECK(document["total"] == 0);
  CHECK(document["rejected"] ==
        Json{{{"reason_code", "filter-vram"}, {"message", "left out by --vram"}, {"entries", 4}}});
}

TEST_CASE("csv of complete entries has the columns that hold no objects") {
  const Json results{{{"id", "a"}, {"mig", {{{"profile", "1g"}}}}, {"aliases", {"x", "y"}}},
                     {{"id", "b"}, {"storage", {{"note", "n"}}}, {"notes", "text"}}};
  CHECK(flat_columns(results) == std::vector<std::string>{"id", "aliases", "notes"});
}

TEST_CASE("tables of the shipped catalog fit 80 columns") {
  const Catalog& catalog = embedded_catalog();
  Listing gpus;
  for (const Gpu& gpu : catalog.gpus())
    gpus.results.push_back(gpu_row(gpu, PriceSummary{}, small_today));
  Listing models;
  for (const VoiceModel& model : catalog.models()) models.results.push_back(voice_model_row(model));
  Listing providers;
  Listing offers;
  for (const Provider& provider : catalog.providers()) {
    providers.results.push_back(provider_row(provider));
    for (const Offer& offer : provider.offers)
      offers.results.push_back(offer_row(provider, offer, small_today));
    for (const MarketPrice& price : provider.market)
      offers.results.push_back(market_price_row(provider, price, small_today));
  }
  const auto width = [&](const Listing& listing, auto table) {
    return widest_line(table({&listing, &catalog.info(), 30}, plain));
  };
  CHECK(width(gpus, gpus_table) <= 80);
  CHECK(width(models, models_table) <= 80);
  CHECK(width(providers, providers_table) <= 80);
  CHECK(width(offers, offers_table) <= 80);
}

TEST_CASE("cards of the shipped catalog fit 80 columns") {
  const Catalog& catalog = embedded_catalog();
  const CardContext context{&catalog, &plain, small_today, CardContext::Detail::every_term};
  const auto prices = summarise_prices(catalog, std::nullopt);
  for (const Gpu& gpu : catalog.gpus()) {
    INFO(gpu.id);
    const auto found = prices.find(gpu.id);
    const PriceSummary summary = found == prices.end() ? PriceSummary{} : found->second;
    CHECK(widest_line(gpu_card({&gpu, summary, catalog.market_of(gpu.id)}, context)) <= 80);
  }
  for (const Provider& provider : catalog.providers()) {
    INFO(provider.id);
    CHECK(widest_line(provider_card(provider, context)) <= 80);
  }
  for (const VoiceModel& model : catalog.models()) {
    INFO(model.id);
    CHECK(widest_line(voice_model_card(model, "", context)) <= 80);
  }
}

TEST_CASE("a card says plainly what is not known") {
  const Catalog catalog(small_parts());
  Provider provider = small_provider("alpha");
  provider.reliability.reset();
  const CardContext context{&catalog, &plain, small_today};
  const std::string card = provider_card(provider, context);
  CHECK_THAT(card, ContainsSubstring("reliability        not known"));
  CHECK_THAT(card, ContainsSubstring("none known: this provider is never ranked"));
}

TEST_CASE("a card shows control characters of the catalog as question marks") {
  const Catalog catalog(small_parts());
  Provider provider = small_provider("alpha");
  provider.name = "Al\x1b[31mpha";
  provider.docker = "a\tb\x07";
  const std::string card = provider_card(provider, {&catalog, &plain, small_today});
  CHECK(card.find('\x1b') == std::string::npos);
  CHECK(card.find('\x07') == std::string::npos);
  CHECK_THAT(card, StartsWith("Al?[31mpha (alpha)\n"));
}

TEST_CASE("a table gives up its most expendable columns before it cuts its elastic one") {
  const std::vector<TextColumn> columns{{"name", TextColumn::Align::left, 0, true},
                                        {"price", TextColumn::Align::right, 0, false},
                                        {"region", TextColumn::Align::left, 2, false},
                                        {"tier", TextColumn::Align::left, 1, false}};
  const TextRows rows{{"a long name of a card", "1.25", "eu-west", "secure"}};
  const auto heading = [&](std::size_t width) {
    const std::string table = text_table(columns, rows, {width, ""}, plain);
    return table.substr(0, table.find('\n'));
  };
  CHECK(heading(0) == "name                   price  region   tier");
  CHECK(heading(40) == "name                   price  tier");
  CHECK(heading(30) == "name                   price");
  CHECK(text_table(columns, rows, {22, ""}, plain) ==
        "name             price\n"
        "a long name of~   1.25\n");
}

}  // namespace vcgpu
