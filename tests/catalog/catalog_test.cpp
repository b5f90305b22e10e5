#include "vcgpu/catalog.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/small_catalog.hpp"

using namespace vcgpu;
using namespace vcgpu::test;

namespace {

using Pair = std::pair<std::string, std::string>;

Error refusal_of(const CatalogParts& parts) {
  return error_of([&] { (void)Catalog(parts); });
}

std::string unknown_gpu_hint(const std::string& name) {
  return error_of([&] { (void)embedded_catalog().gpu(name); }).hint();
}

}  // namespace

TEST_CASE("two entries that share a name are refused") {
  CatalogParts parts = small_parts();
  parts.gpus[0].aliases = {"four"};
  parts.gpus[1].aliases = {"F-O-U-R"};
  const Error error = refusal_of(parts);
  CHECK(error.exit_code() == ExitCode::bad_catalog);
  CHECK(std::string(error.what()) == "GPUs 'card-4gb' and 'card-8gb' share the name 'four'");
  CHECK(error.hint() == "ids and aliases are compared without case and punctuation");
}

TEST_CASE("an alias may repeat its own entry's id") {
  CatalogParts parts = small_parts();
  parts.gpus[0].aliases = {"CARD 4GB", "card4gb"};
  CHECK_NOTHROW(Catalog(parts));
}

TEST_CASE("an offer of a GPU that is no entry is refused with the nearest") {
  CatalogParts parts = small_parts();
  parts.providers[0].offers[0].gpu = "card-24gbx";
  const Error error = refusal_of(parts);
  CHECK(std::string(error.what()) ==
        "offer a-4 of alpha names GPU 'card-24gbx', which is not in gpus.json");
  CHECK_THAT(error.hint(), StartsWith("did you mean card-24gb"));
}

TEST_CASE("an offer names its GPU by id, not by alias") {
  CatalogParts parts = small_parts();
  parts.gpus[0].aliases = {"four"};
  parts.providers[0].offers[0].gpu = "four";
  CHECK_THAT(std::string(refusal_of(parts).what()), ContainsSubstring("names GPU 'four'"));
}

TEST_CASE("a market price of a GPU that is no entry is refused") {
  CatalogParts parts = small_parts();
  parts.providers[0].market.push_back(
      {"median", "nothing", 1, "", "", "", UsdPerHour(1), "", "", ""});
  CHECK_THAT(std::string(refusal_of(parts).what()),
             StartsWith("a market price of alpha names GPU"));
}

TEST_CASE("a market reference of a GPU that is no entry is refused") {
  CatalogParts parts = small_parts();
  MarketReference reference;
  reference.gpu = "nothing";
  parts.market = {reference};
  CHECK(refusal_of(parts).exit_code() == ExitCode::bad_catalog);
}

TEST_CASE("a speed reference on a GPU that is no entry is refused") {
  CatalogParts parts = small_parts();
  parts.models[0].stages[0].training.speed.references[0].gpu = "nothing";
  CHECK_THAT(std::string(refusal_of(parts).what()),
             StartsWith("a speed reference of small main names GPU 'nothing'"));
}

TEST_CASE("an inference reference on a GPU that is no entry is refused") {
  CatalogParts parts = small_parts();
  parts.models[0].variants[0].inference->references[0].gpu = "nothing";
  CHECK_THAT(std::string(refusal_of(parts).what()),
             StartsWith("an inference reference of small one names GPU 'nothing'"));
}

TEST_CASE("a pricing mode that is not known is refused") {
  CatalogParts parts = small_parts();
  parts.providers[0].offers[1].pricing = "barter";
  const Error error = refusal_of(parts);
  CHECK(std::string(error.what()) == "offer a-8 of alpha: pricing 'barter' is not known");
  CHECK(error.hint() == "on-demand, spot, serverless or reserved-TERM");
}

TEST_CASE("any reserved term is a pricing mode") {
  CatalogParts parts = small_parts();
  parts.providers[0].offers[1].pricing = "reserved-3y";
  CHECK_NOTHROW(Catalog(parts));
}

TEST_CASE("a tier that is not known is refused") {
  CatalogParts parts = small_parts();
  parts.providers[0].offers[1].tier = "golden";
  CHECK(std::string(refusal_of(parts).what()) == "offer a-8 of alpha: tier 'golden' is not known");
}

TEST_CASE("the market's prices are found by GPU id, whatever their order") {
  CatalogParts parts = small_parts();
  for (const char* id : {"card-8gb", "card-24gb", "card-12gb"}) {
    MarketReference reference;
    reference.gpu = id;
    reference.median_usd = std::string(id) == "card-24gb" ? 2.4 : 1.0;
    parts.market.push_back(reference);
  }
  const Catalog catalog(parts);
  REQUIRE(catalog.market_of("card-24gb") != nullptr);
  CHECK(catalog.market_of("card-24gb")->median_usd == 2.4);
  CHECK(catalog.market_of("card-4gb") == nullptr);
}

TEST_CASE("a GPU is found by what people type") {
  // The names of the issue, and others from forum posts and SKU lists.
  const auto [typed, id] = GENERATE(values<Pair>({{"4090", "rtx-4090-24gb"},
                                                  {"RTX4090", "rtx-4090-24gb"},
                                                  {"rtx_4090", "rtx-4090-24gb"},
                                                  {"a100-80", "a100-sxm-80gb"},
                                                  {"A100 80GB", "a100-sxm-80gb"},
                                                  {"a100 40gb", "a100-sxm-40gb"},
                                                  {"3080ti", "rtx-3080-ti-12gb"},
                                                  {"rtx a6000", "rtx-a6000-48gb"},
                                                  {"6000 ada", "rtx-6000-ada-48gb"},
                                                  {"t4", "t4-16gb"},
                                                  {"orin", "jetson-agx-orin-64gb"},
                                                  {"H100", "h100-sxm-80gb"},
                                                  {"l40s", "l40s-48gb"},
                                                  {"rtx-4090-24gb", "rtx-4090-24gb"}}));
  CAPTURE(typed);
  CHECK(embedded_catalog().gpu(typed).id == id);
}

TEST_CASE("a GPU that is no entry is refused with the nearest names") {
  CHECK_THAT(unknown_gpu_hint("4091"), ContainsSubstring("4090"));
  CHECK_THAT(unknown_gpu_hint("rtx 3080tj"), ContainsSubstring("3080"));
}

TEST_CASE("a name that is like none points to the list") {
  CHECK(unknown_gpu_hint("quantum-coprocessor-9000-deluxe") == "see: vcgpu gpus list");
}

TEST_CASE("an empty name is no entry") {
  const auto name = GENERATE(values<std::string>({"", " ", "--", "@", "\xE5\xA3\xB0"}));
  CAPTURE(name);
  CHECK(embedded_catalog().find_gpu(name) == nullptr);
  CHECK_THROWS_AS(embedded_catalog().provider(name), Error);
  CHECK_THROWS_AS(embedded_catalog().model(name), Error);
}

TEST_CASE("a name of megabytes is refused in a short message") {
  const std::string huge(10'000'000, 'a');
  const Error error = error_of([&] { (void)embedded_catalog().model(huge); });
  CHECK(error.code() == "unknown-model");
  CHECK(std::string(error.what()).size() < 120);
  const Error variant = error_of([&] { (void)embedded_catalog().model("xtts@" + huge); });
  CHECK(variant.code() == "unknown-variant");
  CHECK(std::string(variant.what()).size() < 120);
}

TEST_CASE("a provider is found by the names it goes by") {
  const auto [typed, id] = GENERATE(values<Pair>({{"RunPod", "runpod"},
                                                  {"vast.ai", "vast"},
                                                  {"google cloud", "gcp"},
                                                  {"amazon", "aws"},
                                                  {"Lambda Labs", "lambda"},
                                                  {"datacrunch", "verda"}}));
  CAPTURE(typed);
  CHECK(embedded_catalog().provider(typed).id == id);
}

TEST_CASE("a provider that is no entry is refused with the nearest") {
  const Error error = error_of([] { (void)embedded_catalog().provider("runpud"); });
  CHECK(error.exit_code() == ExitCode::usage);
  CHECK(error.code() == "unknown-provider");
  CHECK(std::string(error.what()) == "unknown provider 'runpud'");
  CHECK_THAT(error.hint(), StartsWith("did you mean runpod"));
}

TEST_CASE("sovits is GPT-SoVITS, and the note says how to get the other") {
  const ModelChoice choice = embedded_catalog().model("sovits");
  CHECK(choice.model->id == "gpt-sovits");
  CHECK(choice.variant->id == "v2pro");
  CHECK_FALSE(choice.variant_named);
  CHECK_THAT(choice.note, ContainsSubstring("--model so-vits-svc"));
}

TEST_CASE("an unambiguous model name needs no note") {
  const auto [typed, id] = GENERATE(values<Pair>({{"rvc", "rvc"},
                                                  {"f5", "f5-tts"},
                                                  {"GPT-SoVITS", "gpt-sovits"},
                                                  {"so-vits-svc", "so-vits-svc"},
                                                  {"xtts-v2", "xtts"}}));
  CAPTURE(typed);
  const ModelChoice choice = embedded_catalog().model(typed);
  CHECK(choice.model->id == id);
  CHECK(choice.note.empty());
}

TEST_CASE("a variant is named after the model, by id or alias") {
  const ModelChoice choice = embedded_catalog().model("xtts@v2");
  CHECK(choice.variant->id == "v2");
  CHECK(choice.variant_named);
  CHECK(embedded_catalog().model("sovits@V2ProPlus").variant->id == "v2proplus");
  CHECK(embedded_catalog().model("rvc@48k").variant->id == "v2");
}

TEST_CASE("a variant alone is enough where only one model has it") {
  const ModelChoice choice = embedded_catalog().model("v2proplus");
  CHECK(choice.model->id == "gpt-sovits");
  CHECK(choice.variant->id == "v2proplus");
  CHECK(choice.variant_named);
}

TEST_CASE("a variant alone is refused where several models have it") {
  CHECK(error_of([] { (void)embedded_catalog().model("v2"); }).code() == "unknown-model");
}

TEST_CASE("an unknown variant is refused with the model's own") {
  const Error error = error_of([] { (void)embedded_catalog().model("rvc@v9000-turbo"); });
  CHECK(error.code() == "unknown-variant");
  CHECK(error.hint() == "variants: v2, v2-40k, v1, v2-32k, applio");
}

TEST_CASE("an empty variant is refused") {
  CHECK(error_of([] { (void)embedded_catalog().model("xtts@"); }).code() == "unknown-variant");
}

TEST_CASE("a variant's stages come in the order in which they are trained") {
  const ModelChoice choice = embedded_catalog().model("gpt-sovits@v3");
  const std::vector<const Stage*> stages = stages_of(*choice.model, *choice.variant);
  REQUIRE(stages.size() == 3);
  CHECK(stages[0]->key == "s2-v3");
  CHECK(stages[1]->key == "s1");
  CHECK(stages[2]->optional);  // DPO
}

TEST_CASE("no name in the catalog vanishes when it is compared") {
  for (const Gpu& gpu : embedded_catalog().gpus()) {
    for (const std::string& alias : gpu.aliases) CHECK_FALSE(normalised_name(alias).empty());
  }
  for (const VoiceModel& model : embedded_catalog().models()) {
    for (const std::string& alias : model.aliases) CHECK_FALSE(normalised_name(alias).empty());
  }
}
