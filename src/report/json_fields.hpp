// Builds a JSON object in which what is not known is absent.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "catalog/json_source.hpp"
#include "vcgpu/units.hpp"

namespace vcgpu {

// As people and the catalog's files write it: 24, not 24.0.
inline Json plain_number(double value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::fabs(value) < exact_integers)
    return static_cast<std::int64_t>(value);
  return value;
}

class JsonFields {
 public:
  JsonFields& add(const char* key, Json value) {
    m_object[key] = std::move(value);
    return *this;
  }
  JsonFields& add(const char* key, double value) { return add(key, plain_number(value)); }
  JsonFields& add(const char* key, Seconds value) { return add(key, value.count()); }
  JsonFields& add(const char* key, const std::string& text) {
    return text.empty() ? *this : add(key, Json(text));
  }
  JsonFields& add(const char* key, std::string_view text) { return add(key, std::string(text)); }
  JsonFields& add(const char* key, const std::vector<std::string>& list) {
    return list.empty() ? *this : add(key, Json(list));
  }
  template <class T>
  JsonFields& add(const char* key, const std::optional<T>& value) {
    return value ? add(key, *value) : *this;
  }
  JsonFields& add(const char* key, bool value) { return add(key, Json(value)); }
  JsonFields& add(const char* key, int value) { return add(key, Json(value)); }

  // Where the value is not what an absent key means.
  template <class T>
  JsonFields& add_unless(const T& otherwise, const char* key, const T& value) {
    return value == otherwise ? *this : add(key, value);
  }

  // One element for each of `values`; absent where there are none.
  template <class Values, class Function>
  JsonFields& add_each(const char* key, const Values& values, Function entry) {
    if (values.empty()) return *this;
    Json list = Json::array();
    for (const auto& value : values) list.push_back(entry(value));
    return add(key, std::move(list));
  }

  [[nodiscard]] bool empty() const { return m_object.empty(); }
  [[nodiscard]] Json take() { return std::move(m_object); }

 private:
  Json m_object = Json::object();
};

}  // namespace vcgpu
