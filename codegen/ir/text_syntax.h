// What printer and parser must agree on: words that are no names, lane letters, and the characters of a name.
#pragma once
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace hone::ir {

inline constexpr std::array<std::string_view, 15> kReservedWords = {"and",  "or",  "not",    "if",      "else",  "for",  "in",     "let",
                                                                    "true", "any", "alloc",  "barrier", "false", "inf",  "nan"};

inline bool is_reserved(std::string_view word) {
  for (std::string_view reserved : kReservedWords)
    if (word == reserved) return true;
  return false;
}

inline bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
inline bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }

inline std::string lane_suffix(int lane) { return lane < 4 ? std::string(".") + "xyzw"[lane] : ".s" + std::to_string(lane); }

// The lane that `suffix` (without its dot) names, or -1.
inline int lane_of_suffix(std::string_view suffix) {
  if (suffix.size() == 1) {
    size_t at = std::string_view("xyzw").find(suffix[0]);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
  }
  if (suffix.size() < 2 || suffix.size() > 4 || suffix[0] != 's') return -1;
  int lane = 0;
  for (char c : suffix.substr(1)) {
    if (c < '0' || c > '9') return -1;
    lane = lane * 10 + (c - '0');
  }
  return lane < 4 ? -1 : lane;
}

}  // namespace hone::ir
