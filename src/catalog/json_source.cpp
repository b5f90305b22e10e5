#include "catalog/json_source.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/date.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"

namespace vcgpu {

namespace {

[[noreturn]] void fail_at(const JsonText& source, ExitCode exit_code, std::size_t line,
                          const std::string& pointer, const std::string& message,
                          const std::string& hint = {}) {
  const std::string place = pointer.empty() ? fmt::format("{}:{}", source.file, line)
                                            : fmt::format("{}:{}: {}", source.file, line, pointer);
  const char* code = exit_code == ExitCode::bad_catalog ? "bad-catalog" : "bad-input";
  throw Error(exit_code, code, fmt::format("{}: {}", printable(place, 400), message), hint);
}

std::string escaped(std::string_view key) {
  std::string text;
  for (const char c : key) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += c;
  }
  return text;
}

std::size_t lines_before(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

// The position of a SAX event is the number of characters that the parser has
// taken so far, counted by the iterator that feeds it.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* taken) : m_at(at), m_taken(taken) {}
  reference operator*() const { return *m_at; }
  CountingIterator& operator++() {
    ++m_at;
    ++*m_taken;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.m_at == b.m_at;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* m_at;
  std::size_t* m_taken;
};

// Walks the text with a JSON pointer of where it is. `on_value` is called at
// each value's begin (for texts and numbers: at its end), and may stop the walk.
class PointerWalk : public nlohmann::json_sax<Json> {
 public:
  explicit PointerWalk(std::size_t& taken) : m_taken(taken) {}

  // Where each pointer's value was seen, in order of appearance.
  std::function<bool(const std::string& pointer, std::size_t position)> on_value;
  std::function<bool(const std::string& pointer, std::size_t position)> on_duplicate;
  std::function<bool(const std::string& pointer, std::size_t position)> on_too_deep;
  std::function<bool(const std::string& pointer, std::size_t position)> on_long_string;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t& text) override {
    if (!value()) return false;
    return text.size() <= max_json_string_bytes || on_long_string(pointer(), m_taken);
  }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return begin(false); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    Level& level = m_levels.back();
    level.key = name;
    if (name.size() > max_json_string_bytes) return on_long_string(pointer(), m_taken);
    return level.keys.insert(name).second || on_duplicate(pointer(), m_taken);
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  struct Level {
    bool array = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  bool value() {
    if (!m_levels.empty() && m_levels.back().array)
      m_levels.back().key = std::to_string(m_levels.back().index++);
    return !on_value || on_value(pointer(), m_taken);
  }
  bool begin(bool array) {
    if (!value()) return false;
    m_levels.push_back({array, 0, {}, {}});
    return m_levels.size() <= max_json_depth || on_too_deep(pointer(), m_taken);
  }
  bool end() {
    m_levels.pop_back();
    return true;
  }
  [[nodiscard]] std::string pointer() const {
    std::string text;
    for (const Level& level : m_levels) text += "/" + escaped(level.key);
    return text;
  }

  std::size_t& m_taken;
  std::vector<Level> m_levels;
};

}  // namespace

Json parse_source(const JsonText& source, ExitCode exit_code) {
  const std::string& text = source.text;
  const auto line = [&](std::size_t position) { return lines_before(text, position); };
  std::size_t taken = 0;
  PointerWalk walk(taken);
  walk.on_duplicate = [&](const std::string& pointer, std::size_t position) -> bool {
    fail_at(source, exit_code, line(position), printable(pointer), "this key occurs twice",
            "remove or rename one of them");
  };
  walk.on_too_deep = [&](const std::string&, std::size_t position) -> bool {
    fail_at(source, exit_code, line(position), {},
            fmt::format("nested deeper than {} levels", max_json_depth));
  };
  walk.on_long_string = [&](const std::string&, std::size_t position) -> bool {
    fail_at(source, exit_code, line(position), {},
            fmt::format("a string longer than {} bytes", max_json_string_bytes));
  };
  const char* begin = text.data();
  const char* end = begin + text.size();
  // The walk refuses what the DOM parser would accept in silence; it stops at
  // syntax errors, which the DOM parser then reports.
  Json::sax_parse(CountingIterator(begin, &taken), CountingIterator(end, &taken), &walk);
  try {
    return Json::parse(begin, end);
  } catch (const Json::parse_error& error) {
    const std::string what = error.what();
    const std::size_t colon = what.find("syntax error");
    fail_at(source, exit_code, line(error.byte), {},
            "not valid JSON: " +
                printable(colon == std::string::npos ? what : what.substr(colon), 160));
  } catch (const Json::exception& error) {
    fail_at(source, exit_code, 1, {}, "not valid JSON: " + printable(error.what(), 160));
  }
}

std::size_t line_of(std::string_view text, std::string_view pointer) {
  std::size_t taken = 0;
  std::size_t best_length = 0;
  std::size_t best_position = 0;
  PointerWalk walk(taken);
  walk.on_duplicate = walk.on_too_deep =
      walk.on_long_string = [](const std::string&, std::size_t) { return false; };
  walk.on_value = [&](const std::string& seen, std::size_t position) {
    const bool ancestor =
        pointer.starts_with(seen) && (pointer.size() == seen.size() || pointer[seen.size()] == '/');
    if (ancestor && seen.size() >= best_length) {
      best_length = seen.size();
      best_position = position;
    }
    return seen != pointer;
  };
  const char* begin = text.data();
  const char* end = begin + text.size();
  Json::sax_parse(CountingIterator(begin, &taken), CountingIterator(end, &taken), &walk);
  return lines_before(text, best_position == 0 ? 0 : best_position - 1);
}

const Json* JsonNode::find(std::string_view key) const {
  if (!m_value->is_object()) fail_type("an object");
  const auto found = m_value->find(std::string(key));
  return found == m_value->end() ? nullptr : &*found;
}

std::string JsonNode::child_pointer(std::string_view key) const {
  return m_pointer + "/" + escaped(key);
}

JsonNode JsonNode::child(const std::string& key, const Json& value) const {
  if (m_places) {
    const auto place = m_places->find(key);
    if (place != m_places->end())
      return {value, place->second.source, place->second.pointer, m_exit_code};
  }
  return {value, m_source, child_pointer(key), m_exit_code};
}

bool JsonNode::has(std::string_view key) const { return find(key) != nullptr; }

JsonNode JsonNode::at(std::string_view key) const {
  const Json* child = find(key);
  if (child == nullptr) fail(fmt::format("\"{}\" is missing", key));
  return this->child(std::string(key), *child);
}

void JsonNode::only(std::initializer_list<std::string_view> keys) const {
  if (!m_value->is_object()) fail_type("an object");
  for (const auto& [key, child] : m_value->items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    this->child(key, child)
        .fail("unknown key", did_you_mean(key, known, "known keys: " + joined(known)));
  }
}

std::string JsonNode::text(std::string_view key) const { return at(key).as_text(); }

std::string JsonNode::text_or_empty(std::string_view key) const {
  return has(key) ? text(key) : std::string();
}

std::vector<std::string> JsonNode::texts(std::string_view key) const {
  std::vector<std::string> values;
  for (const JsonNode& item : items(key)) values.push_back(item.as_text());
  return values;
}

std::string JsonNode::date(std::string_view key) const {
  std::string value = text(key);
  if (!parse_date(value))
    at(key).fail(fmt::format("'{}' is not a date", printable(value, 40)), "write YYYY-MM-DD");
  return value;
}

double JsonNode::number(std::string_view key, double low, double high) const {
  return at(key).as_number(low, high);
}

std::optional<double> JsonNode::optional_number(std::string_view key, double low,
                                                double high) const {
  return has(key) ? std::optional(number(key, low, high)) : std::nullopt;
}

double JsonNode::number_or(std::string_view key, double low, double high, double otherwise) const {
  return optional_number(key, low, high).value_or(otherwise);
}

int JsonNode::integer(std::string_view key, int low, int high) const {
  const double value = number(key, low, high);
  if (std::floor(value) != value) at(key).fail("must be a whole number");
  return static_cast<int>(value);
}

std::optional<int> JsonNode::optional_integer(std::string_view key, int low, int high) const {
  return has(key) ? std::optional(integer(key, low, high)) : std::nullopt;
}

std::optional<bool> JsonNode::optional_boolean(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const JsonNode child = at(key);
  if (!child.m_value->is_boolean()) child.fail_type("true or false");
  return child.m_value->get<bool>();
}

bool JsonNode::boolean_or(std::string_view key, bool otherwise) const {
  return optional_boolean(key).value_or(otherwise);
}

std::vector<JsonNode> JsonNode::items(std::string_view key) const {
  std::vector<JsonNode> nodes;
  if (!has(key)) return nodes;
  const JsonNode array = at(key);
  if (!array.m_value->is_array()) array.fail_type("an array");
  nodes.reserve(array.m_value->size());
  for (std::size_t i = 0; i < array.m_value->size(); ++i)
    nodes.emplace_back((*array.m_value)[i], m_source, array.child_pointer(std::to_string(i)),
                       m_exit_code);
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!m_value->is_object()) fail_type("an object");
  std::vector<std::pair<std::string, JsonNode>> nodes;
  for (const auto& [key, child] : m_value->items())
    nodes.emplace_back(key, this->child(key, child));
  return nodes;
}

std::string JsonNode::as_text() const {
  if (!m_value->is_string()) fail_type("a text");
  auto text = m_value->get<std::string>();
  if (text.empty()) fail("must not be empty", "leave the key out where the value is not known");
  return text;
}

double JsonNode::as_number(double low, double high) const {
  if (!m_value->is_number()) fail_type("a number");
  const auto value = m_value->get<double>();
  if (!std::isfinite(value) || value < low || value > high)
    fail(fmt::format("{} is out of range", number_text(value)),
         fmt::format("from {} to {}", number_text(low), number_text(high)));
  return value;
}

void JsonNode::fail(const std::string& message, const std::string& hint) const {
  const std::string shown = m_pointer.empty() ? "/" : m_pointer;
  fail_at(*m_source, m_exit_code, line_of(m_source->text, m_pointer), printable(shown), message,
          hint);
}

void JsonNode::fail_type(std::string_view wanted) const {
  fail(fmt::format("must be {}, not {}", wanted, m_value->type_name()));
}

void JsonNode::fail_choice(const std::string& given, const std::vector<std::string>& known) const {
  fail(fmt::format("'{}' is not known", printable(given, 60)),
       did_you_mean(given, known, "one of: " + joined(known)));
}

}  // namespace vcgpu
