#include "codegen/ir/lexer.h"

#include "base/cat.h"
#include "codegen/ir/text_syntax.h"

namespace hone::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t skip_digits(std::string_view line, size_t at) {
  while (at < line.size() && is_digit(line[at])) ++at;
  return at;
}

// A point belongs to the number unless it begins the ".." of a range.
Token lex_number(std::string_view line, size_t at) {
  size_t end = skip_digits(line, at);
  bool is_float = false;
  if (end + 1 < line.size() && line[end] == '.' && is_digit(line[end + 1])) {
    is_float = true;
    end = skip_digits(line, end + 1);
  }
  if (end < line.size() && line[end] == 'e') {
    size_t digits = end + 1;
    if (digits < line.size() && (line[digits] == '+' || line[digits] == '-')) ++digits;
    if (digits < line.size() && is_digit(line[digits])) {
      is_float = true;
      end = skip_digits(line, digits);
    }
  }
  return {is_float ? TokenKind::kFloat : TokenKind::kInteger, std::string(line.substr(at, end - at))};
}

// A name may hold points, but not end in one: "k in 0..8" and "a.x" both read well.
Token lex_name(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() && is_name_char(line[end])) ++end;
  while (line[end - 1] == '.') --end;
  return {TokenKind::kName, std::string(line.substr(at, end - at))};
}

std::string lex_symbol(std::string_view line, size_t at) {
  const std::string_view rest = line.substr(at);
  for (std::string_view two : {"==", "<=", ".."})
    if (rest.substr(0, 2) == two) return std::string(two);
  return std::string_view("()[],:;.=<+-*/%").find(rest[0]) == std::string_view::npos ? "" : std::string(1, rest[0]);
}

}  // namespace

Result<std::vector<Token>> lex_line(std::string_view line) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < line.size() && line[at] != '#';) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
      ++at;
      continue;
    }
    if (is_name_start(line[at])) tokens.push_back(lex_name(line, at));
    else if (is_digit(line[at])) tokens.push_back(lex_number(line, at));
    else tokens.push_back({TokenKind::kSymbol, lex_symbol(line, at)});
    if (tokens.back().text.empty()) return Error{ErrorCode::kParseError, cat("found the character '", line[at], "', which begins no token")};
    at += tokens.back().text.size();
  }
  tokens.push_back({});
  return tokens;
}

}  // namespace hone::ir
