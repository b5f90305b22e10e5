#include "catalog/load.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <sha2.h>

#include "base/date.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "catalog/readers.hpp"

namespace vcgpu {

namespace {

constexpr int catalog_schema_version = 1;

// An entry and the text that errors in it point to.
struct Entry {
  Json value;
  JsonTextPtr source;
  std::string pointer;
  std::map<std::string, JsonPlace> places;  // of keys that overlays named

  [[nodiscard]] JsonNode node() const {
    return {value, source, pointer, ExitCode::bad_catalog,
            std::make_shared<const std::map<std::string, JsonPlace>>(places)};
  }
};

using Entries = std::vector<Entry>;

// What the texts say, before types: entries by list name, in order of first
// appearance.
class Layers {
 public:
  void add(const JsonText& text, bool overlay) {
    const auto source = std::make_shared<const JsonText>(text);
    const Json document = parse_source(*source, ExitCode::bad_catalog);
    const JsonNode root(document, source, "", ExitCode::bad_catalog);
    root.only({"schema_version", "as_of", "gpus", "providers", "market_reference", "models",
               "memory", "speed", "cost", "prices"});
    const int version = root.integer("schema_version", 0, 1'000'000);
    if (version != catalog_schema_version)
      root.at("schema_version")
          .fail(fmt::format("{} is not understood", version),
                fmt::format("this program reads schema_version {}", catalog_schema_version));
    if (!overlay || root.has("as_of")) m_as_of = std::max(m_as_of, root.date("as_of"));
    for (const auto& [list, key] : {std::pair{"gpus", "id"},
                                    {"providers", "id"},
                                    {"market_reference", "gpu"},
                                    {"models", "id"}}) {
      if (root.has(list)) add_list(m_lists[list], root, list, key, overlay);
    }
    if (root.has("memory") || root.has("speed") || root.has("cost") || root.has("prices"))
      add_assumptions(document, source, overlay);
  }

  [[nodiscard]] const Entries& list(const std::string& name) const {
    const auto found = m_lists.find(name);
    if (found == m_lists.end())
      throw Error(ExitCode::bad_catalog, "bad-catalog",
                  fmt::format("the catalog has no \"{}\"", name));
    return found->second;
  }
  [[nodiscard]] const Entry& assumptions() const {
    if (!m_assumptions.source)
      throw Error(ExitCode::bad_catalog, "bad-catalog", "the catalog has no assumptions");
    return m_assumptions;
  }
  [[nodiscard]] const std::string& as_of() const { return m_as_of; }

 private:
  static void add_list(Entries& entries, const JsonNode& root, const char* list, const char* key,
                       bool overlay) {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < entries.size(); ++i)
      known.emplace(entries[i].value[key].get<std::string>(), i);
    std::map<std::string, bool> seen;
    for (const JsonNode& node : root.items(list)) {
      const std::string id = node.text(key);
      if (!seen.emplace(id, true).second)
        node.fail(fmt::format("a second entry '{}'", printable(id, 60)), "an id occurs once");
      const auto found = known.find(id);
      if (found == known.end()) {
        entries.push_back({node.value(), node.source(), node.pointer(), {}});
      } else if (overlay) {
        lay_over(entries[found->second], node);
      } else {
        node.fail(fmt::format("a second entry '{}'", printable(id, 60)), "an id occurs once");
      }
    }
  }

  static void lay_over(Entry& entry, const JsonNode& overlay) {
    for (const auto& [name, child] : overlay.members()) {
      if (child.value().is_null()) {
        entry.value.erase(name);
        entry.places.erase(name);
      } else {
        entry.value[name] = child.value();
        entry.places[name] = {child.source(), child.pointer()};
      }
    }
    // What is missing now, this overlay took away.
    entry.source = overlay.source();
    entry.pointer = overlay.pointer();
  }

  void add_assumptions(const Json& document, const JsonTextPtr& source, bool overlay) {
    if (!overlay) {
      m_assumptions = {document, source, "", {}};
      return;
    }
    for (const char* block : {"memory", "speed", "cost", "prices"}) {
      if (document.contains(block)) m_assumptions.value[block].merge_patch(document[block]);
    }
    m_assumptions.source = source;
  }

  std::map<std::string, Entries> m_lists;
  Entry m_assumptions;
  std::string m_as_of;
};

template <class Reader>
auto read_all(const Entries& entries, Reader read) {
  std::vector<decltype(read(std::declval<const JsonNode&>()))> values;
  values.reserve(entries.size());
  for (const Entry& entry : entries) values.push_back(read(entry.node()));
  return values;
}

// Where an offer names a GPU that is not there, at its place in the file. The
// Catalog checks it again, without knowing files.
void check_offered_gpus(const Entries& providers, const std::vector<Gpu>& gpus) {
  std::vector<std::string> ids;
  for (const Gpu& gpu : gpus) ids.push_back(gpu.id);
  std::sort(ids.begin(), ids.end());
  for (const Entry& entry : providers) {
    const JsonNode provider = entry.node();
    for (const char* list : {"offers", "market"}) {
      for (const JsonNode& row : provider.items(list)) {
        const std::string id = row.text("gpu");
        if (std::binary_search(ids.begin(), ids.end(), id)) continue;
        row.at("gpu").fail(fmt::format("'{}' is not in gpus.json", printable(id, 60)),
                           did_you_mean(id, ids));
      }
    }
  }
}

std::string sha256_of(const std::vector<JsonText>& base, const std::vector<JsonText>& overlays) {
  SHA2_CTX context;
  SHA256Init(&context);
  for (const auto* texts : {&base, &overlays}) {
    for (const JsonText& text : *texts)
      SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(text.text.data()),
                   text.text.size());
  }
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  SHA256End(&context, hex.data());
  return hex.data();
}

}  // namespace

std::vector<JsonText> read_texts(const std::vector<std::filesystem::path>& paths) {
  std::vector<JsonText> texts;
  for (const std::filesystem::path& path : paths)
    texts.push_back({path.string(), read_file(path, max_json_bytes)});
  return texts;
}

std::vector<JsonText> read_catalog_texts(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  for (const std::string_view file : catalog_files) paths.push_back(directory / file);
  return read_texts(paths);
}

CatalogParts read_catalog_parts(const std::vector<JsonText>& base,
                                const std::vector<JsonText>& overlays, const std::string& origin) {
  Layers layers;
  for (const JsonText& text : base) layers.add(text, false);
  for (const JsonText& text : overlays) layers.add(text, true);
  CatalogParts parts;
  parts.gpus = read_all(layers.list("gpus"), read_gpu);
  parts.providers = read_all(layers.list("providers"), read_provider);
  check_offered_gpus(layers.list("providers"), parts.gpus);
  parts.market = read_all(layers.list("market_reference"), read_market_reference);
  parts.models = read_all(layers.list("models"), read_voice_model);
  const Entry& assumptions = layers.assumptions();
  parts.assumptions = read_assumptions(
      JsonNode(assumptions.value, assumptions.source, assumptions.pointer, ExitCode::bad_catalog));
  parts.info = {.version = fmt::format("{}-{}", catalog_schema_version, layers.as_of()),
                .as_of = layers.as_of(),
                .sha256 = sha256_of(base, overlays),
                .origin = origin};
  return parts;
}

}  // namespace vcgpu
