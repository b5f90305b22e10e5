#include "catalog/load.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/small_texts.hpp"
#include "support/temporary_directory.hpp"

using namespace vcgpu;
using vcgpu::test::error_of;
using vcgpu::test::small_gpus_text;
using vcgpu::test::small_texts;
using vcgpu::test::TemporaryDirectory;

namespace {

JsonText overlay(const std::string& name, const std::string& body) {
  return {name, "{\n\"schema_version\": 1,\n" + body + "\n}"};
}

CatalogParts parts_with(const std::vector<JsonText>& overlays) {
  return read_catalog_parts(small_texts(), overlays, "test");
}

CatalogParts parts_with(const std::string& body) {
  return parts_with({overlay("over.json", body)});
}

Error overlay_error(const std::vector<JsonText>& overlays) {
  return error_of([&] { (void)parts_with(overlays); });
}

std::string overlay_message(const std::string& body) {
  return overlay_error({overlay("over.json", body)}).what();
}

// Replaces every value of `document`, one at a time, by each of `wrong`.
void for_each_corruption(const Json& document, const std::vector<Json>& wrong,
                         const std::function<void(const Json&)>& visit) {
  std::set<std::string> seen;
  const Json flat = document.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    // The value itself, and what contains it.
    for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      if (!seen.insert(at.to_string()).second) continue;
      for (const Json& other : wrong) {
        Json changed = document;
        changed[at] = other;
        visit(changed);
      }
    }
  }
}

// How many of the corruptions of one of the texts are refused, all of them as
// a bad catalog.
std::size_t refused_corruptions(std::vector<JsonText> texts, std::size_t file,
                                const std::vector<Json>& wrong) {
  std::size_t refused = 0;
  for_each_corruption(Json::parse(texts.at(file).text), wrong, [&](const Json& changed) {
    texts.at(file).text = changed.dump();
    try {
      (void)Catalog(read_catalog_parts(texts, {}, ""));
    } catch (const Error& error) {
      ++refused;
      if (error.exit_code() != ExitCode::bad_catalog) FAIL(error.what() << "\n" << changed.dump());
    }
  });
  return refused;
}

}  // namespace

TEST_CASE("an overlay replaces only the keys that it names") {
  const CatalogParts parts = parts_with(R"("gpus": [{ "id": "one-24gb", "usable_gib": 20 }])");
  CHECK(parts.gpus.at(0).usable_gib == 20);
  CHECK(parts.gpus.at(0).name == "Card One");
  CHECK(parts.gpus.at(0).bandwidth_gb_s == 936);
  CHECK(parts.gpus.size() == 2);
}

TEST_CASE("null in an overlay removes a key") {
  const CatalogParts parts = parts_with(R"("gpus": [{ "id": "one-24gb", "fp16_tflops": null }])");
  CHECK_FALSE(parts.gpus.at(0).fp16_tflops);
}

TEST_CASE("an overlay that removes a required key is at fault") {
  CHECK(overlay_message("\"gpus\": [\n{ \"id\": \"one-24gb\", \"memory_gb\": null }]") ==
        "over.json:4: /gpus/0: \"memory_gb\" is missing");
}

TEST_CASE("an overlay's entry with a new id is added") {
  const CatalogParts parts = parts_with(
      R"("gpus": [{ "id": "three-16gb", "name": "Card Three", "vendor": "amd", "form": "edge",
                   "architecture": "X", "memory_gb": 16, "usable_gib": 15, "bandwidth_gb_s": 100,
                   "sources": ["me"], "as_of": "2026-11-30" }])");
  REQUIRE(parts.gpus.size() == 3);
  CHECK(parts.gpus.back().name == "Card Three");
}

TEST_CASE("an overlay's misspelt id makes an incomplete entry, which is refused") {
  CHECK(overlay_message("\"gpus\": [{ \"id\": \"one-24\", \"usable_gib\": 20 }]") ==
        "over.json:3: /gpus/0: \"name\" is missing");
}

TEST_CASE("a wrong value in an overlay is reported in the overlay's file") {
  CHECK(overlay_message("\"gpus\": [\n{ \"id\": \"one-24gb\",\n\"memory_gb\": \"24\" }]") ==
        "over.json:5: /gpus/0/memory_gb: must be a number, not string");
}

TEST_CASE("a wrong value in the first of two overlays is reported in the first") {
  const Error error =
      overlay_error({overlay("first.json", R"("gpus": [{ "id": "one-24gb", "memory_gb": "24" }])"),
                     overlay("second.json", R"("gpus": [{ "id": "one-24gb", "notes": "mine" }])")});
  CHECK_THAT(std::string(error.what()), StartsWith("first.json:3: /gpus/0/memory_gb: "));
}

TEST_CASE("overlays are laid on in their order") {
  const CatalogParts parts =
      parts_with({overlay("a.json", R"("gpus": [{ "id": "one-24gb", "usable_gib": 20 }])"),
                  overlay("b.json", R"("gpus": [{ "id": "one-24gb", "usable_gib": 21 }])")});
  CHECK(parts.gpus.at(0).usable_gib == 21);
}

TEST_CASE("an overlay of the assumptions changes one constant and keeps its neighbours") {
  const CatalogParts parts = parts_with(R"("cost": { "days_per_month": { "value": 30 } })");
  CHECK(parts.assumptions.cost.days_per_month == 30);
  CHECK(parts.assumptions.cost.environment_gb ==
        read_catalog_parts(small_texts(), {}, "").assumptions.cost.environment_gb);
}

TEST_CASE("a wrong assumption in an overlay is reported in the overlay's file") {
  CHECK(overlay_message("\"cost\": {\n\"days_per_month\": {\n\"value\": 300 } }") ==
        "over.json:5: /cost/days_per_month/value: 300 is out of range");
}

TEST_CASE("an id that occurs twice is an error, in the base and in an overlay") {
  CHECK(overlay_message("\"gpus\": [{ \"id\": \"one-24gb\" },\n{ \"id\": \"one-24gb\" }]") ==
        "over.json:4: /gpus/1: a second entry 'one-24gb'");
  std::vector<JsonText> base = small_texts();
  base.push_back({"more.json", small_gpus_text});
  const Error error = error_of([&] { (void)read_catalog_parts(base, {}, ""); });
  CHECK(std::string(error.what()) == "more.json:5: /gpus/0: a second entry 'one-24gb'");
}

TEST_CASE("an unknown list is refused with the nearest known one") {
  const Error error = overlay_error({overlay("over.json", R"("gpu": [])")});
  CHECK(std::string(error.what()) == "over.json:3: /gpu: unknown key");
  CHECK(error.hint() == "did you mean gpus?");
}

TEST_CASE("a format of another version is refused") {
  const Error error = overlay_error({{"over.json", R"({ "schema_version": 2 })"}});
  CHECK(std::string(error.what()) == "over.json:1: /schema_version: 2 is not understood");
  CHECK(error.hint() == "this program reads schema_version 1");
}

TEST_CASE("a catalog without one of its lists is refused") {
  std::vector<JsonText> base = small_texts();
  base.erase(base.begin() + 2);
  const Error error = error_of([&] { (void)read_catalog_parts(base, {}, ""); });
  CHECK(error.exit_code() == ExitCode::bad_catalog);
  CHECK(std::string(error.what()) == "the catalog has no \"models\"");
}

TEST_CASE("a catalog is as new as its newest file") {
  // The embedded assumptions are of 2026-11-30.
  CHECK(parts_with(R"("as_of": "2026-12-24")").info.as_of == "2026-12-24");
  CHECK(parts_with(R"("as_of": "2020-01-01")").info.as_of == "2026-11-30");
}

TEST_CASE("an overlay changes the catalog's checksum") {
  CHECK(parts_with(R"("gpus": [])").info.sha256 !=
        read_catalog_parts(small_texts(), {}, "test").info.sha256);
}

TEST_CASE("usable memory above the memory on the box is refused") {
  CHECK(overlay_message(R"("gpus": [{ "id": "one-24gb", "usable_gib": 24.5 }])") ==
        "over.json:3: /gpus/0/usable_gib: is more than memory_gb");
}

TEST_CASE("an entry without sources is refused") {
  CHECK(overlay_message(R"("gpus": [{ "id": "one-24gb", "sources": null }])") ==
        "over.json:3: /gpus/0: has no sources");
}

TEST_CASE("an offer of an unknown GPU is reported at its place") {
  const Error error = overlay_error({overlay("over.json", R"("providers": [{ "id": "alpha",
    "offers": [{ "sku": "a", "gpu": "one-42gb", "gpu_count": 1, "pricing": "spot",
                 "tier": "secure", "usd_per_hour": 1, "source": "x", "as_of": "2026-01-01" }] }])")});
  CHECK(std::string(error.what()) ==
        "over.json:4: /providers/0/offers/0/gpu: 'one-42gb' is not in gpus.json");
  CHECK(error.hint() == "did you mean one-24gb?");
}

TEST_CASE("a price of zero is refused, since nothing is free") {
  CHECK(overlay_message(
            R"("providers": [{ "id": "alpha", "offers": [{ "sku": "a", "gpu": "one-24gb",
               "gpu_count": 1, "pricing": "spot", "tier": "secure", "usd_per_hour": 0,
               "source": "x", "as_of": "2026-01-01" }] }])") ==
        "over.json:4: /providers/0/offers/0/usd_per_hour: 0 is out of range");
}

TEST_CASE("an overlay file that is not there is a failure that names it") {
  const Error error = error_of([] { (void)load_catalog({{}, {"/nonexistent/over.json"}}); });
  CHECK(error.exit_code() == ExitCode::failure);
  CHECK_THAT(std::string(error.what()), ContainsSubstring("/nonexistent/over.json"));
}

TEST_CASE("a catalog directory needs all of its files") {
  const TemporaryDirectory directory;
  for (const JsonText& text : small_texts()) {
    const std::string name = std::filesystem::path(text.file).filename().string();
    if (name != "gpus.json") (void)directory.file(name, text.text);
  }
  const Error error = error_of([&] { (void)load_catalog({directory.path(), {}}); });
  CHECK_THAT(std::string(error.what()), ContainsSubstring("gpus.json"));
}

TEST_CASE("a catalog directory is read in place of what is built in") {
  const TemporaryDirectory directory;
  for (const JsonText& text : small_texts())
    (void)directory.file(std::filesystem::path(text.file).filename().string(), text.text);
  const Catalog catalog = load_catalog({directory.path(), {}});
  CHECK(catalog.gpus().size() == 2);
  CHECK(catalog.info().origin == directory.path().string());
}

TEST_CASE("an overlay file is laid over what is built in") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.file(
      "over.json", R"({ "schema_version": 1, "gpus": [{ "id": "t4-16gb", "usable_gib": 1.5 }] })");
  const Catalog catalog = load_catalog({{}, {path}});
  CHECK(catalog.gpu("t4").usable_gib == 1.5);
  CHECK(catalog.info().origin == "embedded + " + path.string());
}

TEST_CASE("every beginning of a catalog file is refused as a bad catalog") {
  std::vector<JsonText> texts = small_texts();
  for (std::size_t length = 0; length < small_gpus_text.size(); ++length) {
    texts.at(1).text = small_gpus_text.substr(0, length);
    CAPTURE(length);
    CHECK(error_of([&] { (void)read_catalog_parts(texts, {}, ""); }).exit_code() ==
          ExitCode::bad_catalog);
  }
}

TEST_CASE("a wrong value anywhere is read or refused as a bad catalog, nothing else") {
  const std::size_t file = GENERATE(std::size_t{1}, std::size_t{3});
  CHECK(refused_corruptions(small_texts(), file,
                            {nullptr, "x", -1, 1e300, Json::array(), Json::object(), true}) > 100);
}

TEST_CASE("a wrong value anywhere in a model is read or refused as a bad catalog, nothing else") {
  std::vector<JsonText> texts = small_texts();
  const Json models = Json::parse(embedded_texts().at(2).text);
  Json document = {{"schema_version", 1}, {"as_of", "2026-11-30"}, {"models", Json::array()}};
  for (const Json& model : models.at("models")) {
    if (model.at("id") == "xtts") document["models"].push_back(model);
  }
  REQUIRE(document.at("models").size() == 1);
  // The small catalog has not the GPUs that the speed references are of.
  for (Json& stage : document["models"][0]["stages"]) {
    for (Json& reference : stage["training"]["speed"]["references"]) reference["gpu"] = "one-24gb";
  }
  for (Json& variant : document["models"][0]["variants"]) {
    for (Json& reference : variant["inference"]["speed"]["references"])
      reference["gpu"] = "one-24gb";
  }
  texts.at(2).text = document.dump();
  CHECK(refused_corruptions(texts, 2, {nullptr, -1}) > 100);
}
