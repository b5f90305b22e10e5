#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

#include <cereal/types/utility.hpp>

#include "catalog/archive.hpp"
#include "catalog/load.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace vcgpu;

namespace {

const std::filesystem::path data_directory = std::filesystem::path(VCGPU_SOURCE_DIR) / "data";

std::string bytes_of(const CatalogParts& parts) {
  std::ostringstream stream;
  cereal::BinaryOutputArchive archive(stream);
  archive(parts);
  return stream.str();
}

// All of it, with the models that are otherwise read one by one.
CatalogParts whole_embedded() {
  auto [parts, packed] = embedded_parts();
  for (std::size_t i = 0; i < packed.names.size(); ++i) parts.models.push_back(packed.unpack(i));
  return parts;
}

}  // namespace

TEST_CASE("the embedded texts are the files of data, byte for byte") {
  const std::vector<JsonText> texts = embedded_texts();
  REQUIRE(texts.size() == catalog_files.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(texts[i].file == "embedded/" + std::string(catalog_files[i]));
    // Not CHECK(a == b): a megabyte twice in a message helps nobody.
    CHECK((texts[i].text == test::content_of(data_directory / catalog_files[i])));
  }
}

TEST_CASE("the embedded catalog is what reading data gives") {
  const CatalogParts read = read_catalog_parts(read_catalog_texts(data_directory), {}, "embedded");
  CHECK((bytes_of(whole_embedded()) == bytes_of(read)));
}

TEST_CASE("the embedded catalog passes the checks of a catalog") {
  CHECK_NOTHROW(Catalog(whole_embedded()));
}

TEST_CASE("the catalog's checksum is of its texts, in hexadecimal") {
  const std::string sha256 = embedded_parts().first.info.sha256;
  CHECK(sha256.size() == 64);
  CHECK(sha256.find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("a model read alone is the one among all") {
  const Catalog one_by_one = load_catalog({});
  const Catalog whole(whole_embedded());
  REQUIRE(one_by_one.model_count() == whole.models().size());
  for (const VoiceModel& model : whole.models()) {
    const ModelChoice alone = one_by_one.model(model.id);
    CHECK(alone.model->id == model.id);
    CHECK(alone.variant->id == model.default_variant);
    CHECK(alone.model->stages.size() == model.stages.size());
    for (const Variant& variant : model.variants) {
      for (const std::string& alias : variant.aliases)
        CHECK(one_by_one.model(model.id + "@" + alias).variant->id == variant.id);
    }
  }
}
