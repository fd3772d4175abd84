// LineFields: reads the fields of one JSON line, and remembers the first that is missing or of another type.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/hash.h"
#include "base/result.h"
#include "tuner/measure/hash_text.h"

namespace hone::tuner {

class LineFields {
 public:
  explicit LineFields(const nlohmann::json& object) : object_(object) {}
  template <class T>
  void get(const char* name, T* out) {
    auto field = object_.find(name);
    bool fits = field != object_.end() && (std::is_same_v<T, std::string> ? field->is_string() : field->is_number());
    if constexpr (std::is_integral_v<T>) fits = fits && holds<T>(*field);
    if (fits) *out = field->template get<T>();
    else if (wrong_.empty()) wrong_ = name;
  }
  void get(const char* name, Hash* out) {
    std::string hex;
    get(name, &hex);
    *out = hash_from_hex(hex);
    if (out->empty() && wrong_.empty()) wrong_ = name;
  }
  template <class T>
  void numbers(const char* name, std::vector<T>* out) {
    auto field = object_.find(name);
    bool fits = field != object_.end() && field->is_array();
    if (fits)
      for (const nlohmann::json& value : *field)
        fits = fits && value.is_number() && std::abs(value.get<double>()) <= std::numeric_limits<T>::max();
    if (fits) *out = field->template get<std::vector<T>>();
    else if (wrong_.empty()) wrong_ = name;
  }
  bool has(const char* name) const { return object_.contains(name); }
  // An object is kept as its text.
  void object(const char* name, std::string* out) {
    auto field = object_.find(name);
    if (field != object_.end() && field->is_object()) *out = field->dump();
    else if (wrong_.empty()) wrong_ = name;
  }
  // Fails: parse_error with the first that was wrong.
  Status all_fit() const {
    if (wrong_.empty()) return ok_status();
    return Error{ErrorCode::kParseError, cat("the field ", wrong_, " is missing or of another type")};
  }

 private:
  template <class T>
  static bool holds(const nlohmann::json& number) {
    if (number.is_number_unsigned())
      return number.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (!number.is_number_integer()) return false;
    return number.get<int64_t>() >= std::numeric_limits<T>::min() &&
           number.get<int64_t>() <= std::numeric_limits<T>::max();
  }

  const nlohmann::json& object_;
  std::string wrong_;
};

}  // namespace hone::tuner
