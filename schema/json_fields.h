// Reading and writing of JSON fields with their limits, for the generated protocol.cc alone. Errors are built inside out: ".devices[0].local_id: …".
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/result.h"

namespace hone::protocol {

using Json = nlohmann::json;

struct Limit {
  size_t count = std::numeric_limits<size_t>::max();  // items of a list or map
  size_t bytes = std::numeric_limits<size_t>::max();  // of one string
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();  // of a number
};

inline constexpr int64_t kWholeMax = (int64_t{1} << 53) - 1;  // the largest whole number that JavaScript keeps exactly

inline bool refuse(std::string& error, std::string what) {
  error = std::move(what);
  return false;
}

inline bool read(const Json& json, std::string& value, const Limit& limit, std::string& error) {
  if (!json.is_string()) return refuse(error, cat(": expected a string, found ", json.type_name()));
  value = json.get_ref<const std::string&>();
  if (value.size() > limit.bytes)
    return refuse(error, cat(": ", value.size(), " bytes exceed the limit of ", limit.bytes));
  return true;
}

inline bool read(const Json& json, bool& value, const Limit&, std::string& error) {
  if (!json.is_boolean()) return refuse(error, cat(": expected true or false, found ", json.type_name()));
  value = json.get<bool>();
  return true;
}

inline bool read(const Json& json, double& value, const Limit& limit, std::string& error) {
  if (!json.is_number()) return refuse(error, cat(": expected a number, found ", json.type_name()));
  value = json.get<double>();
  if (!std::isfinite(value)) return refuse(error, ": expected a finite number");
  return (value >= limit.low && value <= limit.high) ||
         refuse(error, cat(": expected a number from ", json_line(Json(limit.low)), " to ", json_line(Json(limit.high)),
                           ", found ", json_line(Json(value))));
}

inline bool read_whole(const Json& json, int64_t low, int64_t high, int64_t& value, std::string& error) {
  // A JavaScript sender may write 1e3; what matters is that the value is whole and in range.
  const double number = json.is_number() ? json.get<double>() : std::nan("");
  if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high) && number == std::floor(number)))
    return refuse(error, cat(": expected a whole number from ", low, " to ", high, ", found ", json_excerpt(json)));
  value = static_cast<int64_t>(number);
  return true;
}

template <class T>
requires(std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t> ||
         std::is_same_v<T, int64_t>) bool read(const Json& json, T& value, const Limit& limit, std::string& error) {
  const double low = std::is_signed_v<T> ? -kWholeMax : 0;
  const double high = sizeof(T) == 4 ? std::numeric_limits<uint32_t>::max() : kWholeMax;
  int64_t whole = 0;
  if (!read_whole(json, static_cast<int64_t>(std::max(low, limit.low)), static_cast<int64_t>(std::min(high, limit.high)),
                  whole, error))
    return false;
  value = static_cast<T>(whole);
  return true;
}

inline bool read(const Json& json, Json& value, const Limit&, std::string&) {
  value = json;
  return true;
}

inline bool read(const Json& json, ErrorCode& value, const Limit&, std::string& error) {
  const auto code = json.is_string() ? error_from_name(json.get_ref<const std::string&>()) : std::nullopt;
  if (!code) return refuse(error, cat(": expected an error's name, found ", json_excerpt(json)));
  value = *code;
  return true;
}

template <class E>
requires(std::is_enum_v<E> && !std::is_same_v<E, ErrorCode>) bool read(const Json& json, E& value, const Limit&,
                                                                       std::string& error) {
  if (json.is_string() && from_name(json.get_ref<const std::string&>(), value)) return true;
  return refuse(error, cat(": unknown value ", json_excerpt(json)));
}

template <class T>
requires requires { T::kKind; }
bool read(const Json& json, T& value, const Limit&, std::string& error) { return read_fields(json, value, error); }

template <class T, size_t n>
bool read(const Json& json, std::array<T, n>& value, const Limit& limit, std::string& error) {
  if (!json.is_array() || json.size() != n) return refuse(error, cat(": expected a list of exactly ", n, " items"));
  for (size_t i = 0; i < n; ++i)
    if (!read(json[i], value[i], limit, error)) return refuse(error, cat("[", i, "]", error));
  return true;
}

template <class T>
bool read(const Json& json, std::vector<T>& value, const Limit& limit, std::string& error) {
  if (!json.is_array()) return refuse(error, cat(": expected a list, found ", json.type_name()));
  if (json.size() > limit.count)
    return refuse(error, cat(": ", json.size(), " items exceed the limit of ", limit.count));
  value.clear();
  for (size_t i = 0; i < json.size(); ++i) {
    T item{};  // read apart: an element of vector<bool> is no bool
    if (!read(json[i], item, limit, error)) return refuse(error, cat("[", i, "]", error));
    value.push_back(std::move(item));
  }
  return true;
}

template <class T>
bool read(const Json& json, std::map<std::string, T>& value, const Limit& limit, std::string& error) {
  if (!json.is_object()) return refuse(error, cat(": expected an object, found ", json.type_name()));
  if (json.size() > limit.count)
    return refuse(error, cat(": ", json.size(), " items exceed the limit of ", limit.count));
  for (const auto& [key, item] : json.items())
    if (!read(item, value[key], limit, error)) return refuse(error, cat(".", json_excerpt(key), error));
  return true;
}

// Reads the fields of one object; the first failure is kept, later ones are not looked at.
class FieldReader {
 public:
  FieldReader(const Json& object, std::string& error) : object_(object), error_(error) {
    if (!object.is_object()) ok_ = refuse(error_, cat(": expected an object, found ", object.type_name()));
  }
  template <class T>
  void required(const char* name, T& value, const Limit& limit) {
    if (!ok_) return;
    const auto found = object_.find(name);
    if (found == object_.end()) ok_ = refuse(error_, cat(".", name, ": is missing"));
    else if (!read(*found, value, limit, error_)) ok_ = refuse(error_, cat(".", name, error_));
  }
  template <class T>
  void optional(const char* name, std::optional<T>& value, const Limit& limit) {
    if (ok_ && object_.contains(name)) required(name, value.emplace(), limit);
  }
  void hex(const char* name, uint64_t& value) {
    std::string text;
    required(name, text, {.count = 0, .bytes = 16});
    if (!ok_) return;
    if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
      ok_ = refuse(error_, cat(".", name, ": expected 16 lower-case hexadecimal digits"));
    else value = std::stoull(text, nullptr, 16);
  }
  bool ok() const { return ok_; }

 private:
  const Json& object_;
  std::string& error_;
  bool ok_ = true;
};

template <class T>
Result<T> read_value(const Json& json) {
  T value;
  std::string error;
  if (!read_fields(json, value, error)) return Error{ErrorCode::kProtocolError, cat(std::string(T::kKind), error)};
  return value;
}

inline std::string hex_text(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4) text[static_cast<size_t>(i)] = kDigits[value & 15];
  return text;
}

inline Json write(const std::string& value) { return value; }
inline Json write(bool value) { return value; }
inline Json write(uint32_t value) { return value; }
inline Json write(uint64_t value) { return value; }
inline Json write(int64_t value) { return value; }
inline Json write(const Json& value) { return value; }
inline Json write(ErrorCode value) { return std::string(error_name(value)); }
inline Json write(double value) { return std::isfinite(value) ? value : (value < 0 ? -1e308 : 1e308); }
template <class E>
requires std::is_enum_v<E> Json write(E value) { return std::string(to_name(value)); }
template <class T>
requires requires { T::kKind; }
Json write(const T& value) { return to_json(value); }
template <class T>
Json write(const std::vector<T>& list);
template <class T, size_t n>
Json write(const std::array<T, n>& list);
template <class T>
Json write(const std::map<std::string, T>& map);
template <class T>
Json write_list(const T& list) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(write(item));
  return json;
}
template <class T>
Json write(const std::vector<T>& list) {
  return write_list(list);
}
template <class T, size_t n>
Json write(const std::array<T, n>& list) {
  return write_list(list);
}
template <class T>
Json write(const std::map<std::string, T>& map) {
  Json json = Json::object();
  for (const auto& [key, item] : map) json[key] = write(item);
  return json;
}

}  // namespace hone::protocol
