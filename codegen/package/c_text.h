// Names and strings of others within C.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hone::package {

// Lower-case letters, digits, and _ for what is neither, never first and never twice in a row; x stands before a digit that would be first.
std::string c_identifier(std::string_view name);

// Of a native export: as c_identifier, and none that the C sources of all exports begin with.
std::string native_name(std::string_view name);

// Identifiers that differ from each other and from C's and C++'s keywords.
class CNames {
 public:
  explicit CNames(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}
  std::string add(std::string_view name);  // what is taken gets a number

 private:
  std::set<std::string> taken_;
};

// A string literal of ASCII, which is also safe behind //: no line ends within it, and no trigraph is in it.
std::string c_string(std::string_view text);

// The pattern with each @key@ replaced by its text. Needs: each @ of the pattern is one of a key's two.
std::string filled(std::string_view pattern, const std::map<std::string_view, std::string>& texts);

}  // namespace hone::package
