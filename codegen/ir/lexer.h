// Tokens of one line of IR text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::ir {

enum class TokenKind : uint8_t { kName, kInteger, kFloat, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // symbols: ( ) [ ] , : ; . .. = == < <= + - * / %
};

// Ends with one kEnd. A '#' begins a comment. Fails: parse_error at a character that begins no token.
Result<std::vector<Token>> lex_line(std::string_view line);

}  // namespace hone::ir
