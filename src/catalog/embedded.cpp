// The catalog inside the program, and loading with it as the base: bytes that
// the build made with vcgpu_pack (src/catalog/pack/main.cpp) and put between
// these symbols.
#include <istream>
#include <span>
#include <streambuf>

#include <cereal/types/utility.hpp>

#include "catalog/archive.hpp"
#include "catalog/load.hpp"

extern "C" {
extern const char vcgpu_catalog_begin[];
extern const char vcgpu_catalog_end[];
extern const char vcgpu_catalog_json_begin[];
extern const char vcgpu_catalog_json_end[];
}

namespace vcgpu {

namespace {

// Reads from memory without copying it.
class MemoryBuffer : public std::streambuf {
 public:
  explicit MemoryBuffer(std::span<const char> bytes) {
    // streambuf has only a mutable get area; nothing here writes through it.
    char* begin = const_cast<char*>(bytes.data());
    setg(begin, begin, begin + bytes.size());
  }
};

template <class T>
T unpacked(const char* begin, const char* end) {
  MemoryBuffer buffer(std::span(begin, end));
  std::istream stream(&buffer);
  cereal::BinaryInputArchive archive(stream);
  T value;
  archive(value);
  return value;
}

}  // namespace

CatalogParts embedded_parts() {
  return unpacked<CatalogParts>(vcgpu_catalog_begin, vcgpu_catalog_end);
}

std::vector<JsonText> embedded_texts() {
  std::vector<JsonText> texts;
  for (auto& [file, text] : unpacked<std::vector<std::pair<std::string, std::string>>>(
           vcgpu_catalog_json_begin, vcgpu_catalog_json_end))
    texts.push_back({"embedded/" + file, std::move(text)});
  return texts;
}

Catalog load_catalog(const CatalogSource& source) {
  if (!source.directory && source.overlays.empty()) return Catalog(embedded_parts());
  std::string origin = source.directory ? source.directory->string() : "embedded";
  for (const std::filesystem::path& overlay : source.overlays) origin += " + " + overlay.string();
  const std::vector<JsonText> base =
      source.directory ? read_catalog_texts(*source.directory) : embedded_texts();
  return Catalog(read_catalog_parts(base, read_texts(source.overlays), origin));
}

}  // namespace vcgpu
