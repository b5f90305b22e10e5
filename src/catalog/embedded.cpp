// The catalog inside the program, and loading with it as the base: bytes that
// the build made with vcgpu_pack (src/catalog/pack/main.cpp) and put between
// these symbols.
#include <cstring>
#include <span>
#include <type_traits>

#include <cereal/types/utility.hpp>

#include "catalog/archive.hpp"
#include "catalog/evidence_source.hpp"
#include "catalog/load.hpp"

extern "C" {
extern const char vcgpu_catalog_begin[];
extern const char vcgpu_catalog_end[];
extern const char vcgpu_catalog_json_begin[];
extern const char vcgpu_catalog_json_end[];
}

namespace vcgpu {

namespace {

// cereal's own binary archive reads through a stream, which costs more than the
// reading; the embedded bytes are in memory already.
class MemoryArchive : public cereal::InputArchive<MemoryArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit MemoryArchive(std::span<const char> bytes) : InputArchive(this), m_rest(bytes) {}

  void take(void* target, std::size_t size) {
    if (size > m_rest.size()) throw cereal::Exception("the embedded catalog is cut off");
    std::memcpy(target, m_rest.data(), size);
    m_rest = m_rest.subspan(size);
  }
  [[nodiscard]] std::span<const char> rest() const { return m_rest; }

 private:
  std::span<const char> m_rest;
};

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(MemoryArchive& archive, T& value) {
  archive.take(&value, sizeof(value));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(MemoryArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(MemoryArchive& archive, cereal::SizeTag<T>& tag) {
  archive(tag.size);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(MemoryArchive& archive, cereal::BinaryData<T>& data) {
  archive.take(data.data, static_cast<std::size_t>(data.size));
}

}  // namespace

}  // namespace vcgpu

// What it reads, the packer wrote with cereal's binary archive. The library's
// macro for this would also claim the way back, which is taken.
template <>
struct cereal::traits::detail::get_output_from_input<vcgpu::MemoryArchive> {
  using type = cereal::BinaryOutputArchive;
};

namespace vcgpu {

namespace {

template <class T>
T unpacked(const char* begin, const char* end) {
  MemoryArchive archive(std::span(begin, end));
  T value;
  archive(value);
  return value;
}

}  // namespace

std::pair<CatalogParts, PackedModels> embedded_parts() {
  CatalogParts parts;
  PackedModels packed;
  std::vector<std::uint64_t> sizes;
  MemoryArchive archive(std::span(vcgpu_catalog_begin, vcgpu_catalog_end));
  archive(parts, packed.names, sizes);
  std::vector<std::span<const char>> models;
  std::span<const char> rest = archive.rest();
  for (const std::uint64_t size : sizes) {
    models.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  packed.unpack = [models = std::move(models)](std::size_t index) {
    MemoryArchive one(models.at(index));
    VoiceModel model;
    one(model);
    return model;
  };
  return {std::move(parts), std::move(packed)};
}

namespace {

std::vector<std::pair<std::string, std::string>> embedded_files() {
  return unpacked<std::vector<std::pair<std::string, std::string>>>(vcgpu_catalog_json_begin,
                                                                    vcgpu_catalog_json_end);
}

}  // namespace

std::vector<JsonText> embedded_texts() {
  std::vector<JsonText> texts;
  for (auto& [file, text] : embedded_files()) {
    if (file != evidence_file) texts.push_back({"embedded/" + file, std::move(text)});
  }
  return texts;
}

std::vector<EvidenceReport> embedded_evidence() {
  for (auto& [file, text] : embedded_files()) {
    if (file == evidence_file) return read_evidence({"embedded/" + file, std::move(text)});
  }
  return {};
}

Catalog load_catalog(const CatalogSource& source) {
  if (!source.directory && source.overlays.empty()) {
    auto [parts, packed] = embedded_parts();
    return Catalog::checked_before(std::move(parts), std::move(packed));
  }
  std::string origin = source.directory ? source.directory->string() : "embedded";
  for (const std::filesystem::path& overlay : source.overlays) origin += " + " + overlay.string();
  const std::vector<JsonText> base =
      source.directory ? read_catalog_texts(*source.directory) : embedded_texts();
  return Catalog(read_catalog_parts(base, read_texts(source.overlays), origin));
}

}  // namespace vcgpu
