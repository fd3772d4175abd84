#include "codegen/package/c_text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/fresh_name.h"

namespace hone::package {

namespace {

constexpr std::string_view kKeywords[] = {"alignas",     "alignof",
                                          "and",         "and_eq",
                                          "asm",         "auto",
                                          "bitand",      "bitor",
                                          "bool",        "break",
                                          "case",        "catch",
                                          "char",        "class",
                                          "compl",       "concept",
                                          "const",       "const_cast",
                                          "consteval",   "constexpr",
                                          "constinit",   "continue",
                                          "decltype",    "default",
                                          "delete",      "do",
                                          "double",      "dynamic_cast",
                                          "else",        "enum",
                                          "explicit",    "export",
                                          "extern",      "false",
                                          "float",       "for",
                                          "friend",      "goto",
                                          "if",          "inline",
                                          "int",         "linux",
                                          "long",        "mutable",
                                          "namespace",   "new",
                                          "noexcept",    "not",
                                          "not_eq",      "nullptr",
                                          "operator",    "or",
                                          "or_eq",       "private",
                                          "protected",   "public",
                                          "register",    "reinterpret_cast",
                                          "requires",    "restrict",
                                          "return",      "short",
                                          "signed",      "sizeof",
                                          "static",      "static_assert",
                                          "static_cast", "struct",
                                          "switch",      "template",
                                          "this",        "thread_local",
                                          "throw",       "true",
                                          "try",         "typedef",
                                          "typeid",      "typename",
                                          "typeof",      "union",
                                          "unix",        "unsigned",
                                          "using",       "virtual",
                                          "void",        "volatile",
                                          "wchar_t",     "while",
                                          "xor",         "xor_eq"};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?'; }

}  // namespace

std::string c_identifier(std::string_view name) {
  std::string out;
  for (char c : name) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (is_letter(low) || is_digit(low)) out += low;
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  return out.empty() || is_digit(out[0]) ? "x" + out : out;
}

std::string native_name(std::string_view name) {
  const std::string id = c_identifier(name);
  return id == "hone" ? "hone_1" : id;
}

std::string CNames::add(std::string_view name) {
  return fresh_name(c_identifier(name), "_", 2, [&](const std::string& wanted) {
    return std::find(std::begin(kKeywords), std::end(kKeywords), wanted) != std::end(kKeywords) || !taken_.insert(wanted).second;
  });
}

std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (is_plain(c)) out += c;
    else out += escaped;
  }
  return out + '"';
}

std::string filled(std::string_view pattern, const std::map<std::string_view, std::string>& texts) {
  std::string out;
  for (;;) {
    const size_t first = pattern.find('@');
    out += pattern.substr(0, first);
    if (first == std::string_view::npos) return out;
    const size_t last = pattern.find('@', first + 1);
    out += texts.at(pattern.substr(first + 1, last - first - 1));
    pattern.remove_prefix(last + 1);
  }
}

}  // namespace hone::package
