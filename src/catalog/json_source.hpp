// JSON from outside, with the place of everything that is wrong with it.
//
// The library's DOM keeps neither lines nor duplicate keys, so reading goes in
// two steps: parse_source() parses strictly (duplicate keys and absurd nesting
// are errors), and JsonNode reads typed values, knowing its JSON pointer. Only
// when an error is reported is the text scanned again for the pointer's line.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "vcgpu/error.hpp"

namespace vcgpu {

using Json = nlohmann::ordered_json;

struct JsonText {
  std::string file;  // as shown in errors
  std::string text;
};

using JsonTextPtr = std::shared_ptr<const JsonText>;

inline constexpr std::size_t max_json_bytes = 64'000'000;
inline constexpr std::size_t max_json_depth = 64;
inline constexpr std::size_t max_json_string_bytes = 20'000;

// Throws Error(`exit_code`) with file and line: not JSON, a duplicate key,
// nested deeper than max_json_depth, a string longer than
// max_json_string_bytes.
Json parse_source(const JsonText& source, ExitCode exit_code);

// The line (from 1) on which the value at `pointer` begins, or its nearest
// ancestor that exists.
std::size_t line_of(std::string_view text, std::string_view pointer);

// Where a value came from, for errors.
struct JsonPlace {
  JsonTextPtr source;
  std::string pointer;
};

// By key of an entry, where an overlay named the key.
using JsonPlaces = std::shared_ptr<const std::map<std::string, JsonPlace>>;

// A value inside a parsed source. Every reader throws Error with place and
// what would be right.
class JsonNode {
 public:
  JsonNode(const Json& value, JsonTextPtr source, std::string pointer, ExitCode exit_code,
           JsonPlaces places = nullptr)
      : m_value(&value),
        m_source(std::move(source)),
        m_pointer(std::move(pointer)),
        m_exit_code(exit_code),
        m_places(std::move(places)) {}

  [[nodiscard]] const Json& value() const { return *m_value; }
  [[nodiscard]] const JsonTextPtr& source() const { return m_source; }
  [[nodiscard]] const std::string& pointer() const { return m_pointer; }
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] JsonNode at(std::string_view key) const;  // must be there

  // Refuses keys that are not in `keys`, with the nearest of them.
  void only(std::initializer_list<std::string_view> keys) const;

  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] std::string text_or_empty(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;  // absent: none
  [[nodiscard]] std::string date(std::string_view key) const;

  [[nodiscard]] double number(std::string_view key, double low, double high) const;
  [[nodiscard]] std::optional<double> optional_number(std::string_view key, double low,
                                                      double high) const;
  [[nodiscard]] double number_or(std::string_view key, double low, double high,
                                 double otherwise) const;
  [[nodiscard]] int integer(std::string_view key, int low, int high) const;
  [[nodiscard]] std::optional<int> optional_integer(std::string_view key, int low, int high) const;
  [[nodiscard]] bool boolean_or(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::optional<bool> optional_boolean(std::string_view key) const;

  // The elements of the array under `key`; absent: none.
  [[nodiscard]] std::vector<JsonNode> items(std::string_view key) const;
  // The members of this object.
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;

  // This value itself as text.
  [[nodiscard]] std::string as_text() const;
  [[nodiscard]] double as_number(double low, double high) const;

  // One of `names` under `key`, as the value beside it.
  template <class Enum>
  [[nodiscard]] Enum choice(std::string_view key,
                            const std::vector<std::pair<std::string_view, Enum>>& names) const {
    return at(key).as_choice(names);
  }
  template <class Enum>
  [[nodiscard]] Enum as_choice(const std::vector<std::pair<std::string_view, Enum>>& names) const {
    const std::string given = as_text();
    std::vector<std::string> known;
    for (const auto& [name, value] : names) {
      if (name == given) return value;
      known.emplace_back(name);
    }
    fail_choice(given, known);
  }

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;

 private:
  [[noreturn]] void fail_choice(const std::string& given,
                                const std::vector<std::string>& known) const;
  [[noreturn]] void fail_type(std::string_view wanted) const;
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] std::string child_pointer(std::string_view key) const;
  [[nodiscard]] JsonNode child(const std::string& key, const Json& value) const;

  const Json* m_value;
  JsonTextPtr m_source;
  std::string m_pointer;
  ExitCode m_exit_code;
  JsonPlaces m_places;
};

}  // namespace vcgpu
