// vcgpu_pack DATA_DIR OUT_DIR: checks the catalog and writes the two files that
// the program embeds, catalog.bin (structs) and catalog.json.bin (texts).
// Runs during the build; a fault in the data stops it.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <cereal/types/utility.hpp>

#include "catalog/archive.hpp"
#include "catalog/evidence_source.hpp"
#include "catalog/load.hpp"

namespace {

template <class T>
void write_packed(const std::filesystem::path& path, const T& value) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  cereal::BinaryOutputArchive archive(file);
  archive(value);
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// The parts without the models, the models' names and sizes, and then each
// model by itself, so that a run reads the one that it needs.
void write_catalog(const std::filesystem::path& path, vcgpu::CatalogParts parts) {
  std::vector<vcgpu::ModelNames> names;
  std::vector<std::uint64_t> sizes;
  std::string models;
  for (const vcgpu::VoiceModel& model : parts.models) {
    std::ostringstream stream;
    {
      cereal::BinaryOutputArchive archive(stream);
      archive(model);
    }
    names.push_back(vcgpu::names_of(model));
    sizes.push_back(stream.str().size());
    models += stream.str();
  }
  parts.models.clear();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  {
    cereal::BinaryOutputArchive archive(file);
    archive(parts, names, sizes);
  }
  file << models;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void pack(const std::filesystem::path& data, const std::filesystem::path& out) {
  const std::vector<vcgpu::JsonText> texts = vcgpu::read_catalog_texts(data);
  vcgpu::CatalogParts parts = vcgpu::read_catalog_parts(texts, {}, "embedded");
  (void)vcgpu::Catalog(parts);  // the checks across files
  std::vector<std::pair<std::string, std::string>> named;
  for (const vcgpu::JsonText& text : texts)
    named.emplace_back(std::filesystem::path(text.file).filename().string(), text.text);
  const vcgpu::JsonText evidence = vcgpu::read_texts({data / vcgpu::evidence_file}).front();
  (void)vcgpu::read_evidence(evidence);
  named.emplace_back(vcgpu::evidence_file, evidence.text);
  write_catalog(out / "catalog.bin", std::move(parts));
  write_packed(out / "catalog.json.bin", named);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: vcgpu_pack DATA_DIR OUT_DIR\n", stderr);
    return 2;
  }
  try {
    pack(argv[1], argv[2]);
    return 0;
  } catch (const vcgpu::Error& error) {
    std::fprintf(stderr, "vcgpu_pack: %s\n%s\n", error.what(), error.hint().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vcgpu_pack: %s\n", error.what());
  }
  return 1;
}
