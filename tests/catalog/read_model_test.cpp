#include <memory>
#include <string>

#include "catalog/load.hpp"
#include "catalog/readers.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

using namespace vcgpu;
using vcgpu::test::error_of;

namespace {

// The first stage of VITS, with these configuration keys.
Stage stage_with(const Json& config_keys) {
  const Json models = Json::parse(embedded_texts().at(2).text);
  for (const Json& model : models.at("models")) {
    if (model.at("id") != "vits") continue;
    Json changed = model;
    changed["stages"][0]["config_keys"] = config_keys;
    const auto source = std::make_shared<const JsonText>(JsonText{"models.json", changed.dump()});
    return read_voice_model(JsonNode(changed, source, "", ExitCode::bad_catalog)).stages.at(0);
  }
  throw Error(ExitCode::failure, "no-model", "no vits");
}

}  // namespace

TEST_CASE("a configuration key may be a text alone") {
  const Stage stage = stage_with({{"batch", "train.batch_size"}});
  CHECK(stage.config_keys.at("batch").key == "train.batch_size");
  CHECK(stage.config_keys.at("batch").values.empty());
  CHECK(stage.config_keys.at("batch").unit == ConfigUnit::plain);
}

TEST_CASE("a configuration key may say how the project writes its value") {
  const Stage stage = stage_with(
      {{"precision",
        {{"key", "fp16_run"}, {"values", {{"fp16", "true"}}}, {"file", "a.json"}, {"note", "n"}}},
       {"max_clip", {{"key", "length"}, {"unit", "samples"}, {"per_second", 22050}}}});
  const ConfigKey& precision = stage.config_keys.at("precision");
  CHECK(precision.values.at("fp16") == "true");
  CHECK(precision.file == "a.json");
  CHECK(precision.note == "n");
  CHECK(stage.config_keys.at("max_clip").unit == ConfigUnit::samples);
  CHECK(stage.config_keys.at("max_clip").per_second == 22050);
}

TEST_CASE("a configuration key without its rate, or of another form, is refused") {
  const auto message = [](const Json& key) {
    const Error error = error_of([&] { (void)stage_with({{"max_clip", key}}); });
    CHECK(error.exit_code() == ExitCode::bad_catalog);
    return std::string(error.what());
  };
  CHECK(message({{"key", "length"}, {"unit", "samples"}}).find("names no rate") !=
        std::string::npos);
  CHECK(message({{"key", "length"}, {"unit", "miles"}}).find("miles") != std::string::npos);
  CHECK(message({{"unit", "seconds"}}).find("key") != std::string::npos);
  CHECK_FALSE(message(7).empty());
}
