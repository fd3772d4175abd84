// cat(a, b, …): joins strings, characters and numbers into one std::string. std::format is missing in g++ 12 and Emscripten 3.1.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hone {

namespace cat_detail {
inline void append(std::string& out, std::string_view s) { out += s; }
inline void append(std::string& out, const char* s) { out += s; }
inline void append(std::string& out, const std::string& s) { out += s; }
inline void append(std::string& out, char c) { out += c; }
inline void append(std::string& out, bool b) { out += b ? "true" : "false"; }
template <class T>
requires std::is_arithmetic_v<T>
void append(std::string& out, T value) { out += std::to_string(value); }
}  // namespace cat_detail

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (cat_detail::append(out, parts), ...);
  return out;
}

}  // namespace hone
