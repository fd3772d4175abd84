// Reads expressions from the tokens of one line; parser.cc reads the statements around them. Internal to ir.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "codegen/ir/arena.h"
#include "codegen/ir/lexer.h"

namespace hone::ir {

// Visible names, innermost last.
struct NameScope {
  std::vector<std::pair<std::string, Var>> vars;
  std::vector<std::pair<std::string, Buffer>> buffers;
  Var find_var(std::string_view name) const;
  Buffer find_buffer(std::string_view name) const;
};

// The access in brackets of a load or store.
struct Access {
  Buffer buffer = nullptr;
  std::vector<Expr> indices;
  Expr mask = nullptr, other = nullptr;
  bool any_value = false;
};

// After a failure `error()` is not empty, and what the calls return has no meaning (null or zero).
class ExprParser {
 public:
  ExprParser(Arena& arena, const NameScope& scope) : arena_(arena), scope_(scope) {}

  void begin(std::vector<Token> tokens) { tokens_ = std::move(tokens), at_ = 0; }
  const std::string& error() const { return error_; }
  bool failed() const { return !error_.empty(); }
  // Records the first failure.
  std::nullptr_t fail(std::string message);

  const Token& peek(size_t ahead = 0) const;
  bool accept(std::string_view text);   // a name or symbol
  bool expect(std::string_view text);
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  std::string name(std::string_view what);
  int64_t integer(std::string_view what);  // ≥ 0
  bool type(Type* out);

  Expr expr();
  Access access(Buffer buffer);  // after the buffer's name: "[" … "]"

 private:
  Expr or_expr();
  Expr and_expr();
  Expr not_expr();
  Expr comparison();
  Expr sum();
  Expr product();
  Expr postfix();
  Expr primary();
  Expr number(bool negative);
  Expr named(std::string name);
  Expr function(const std::string& name);
  Expr function_of(const std::string& name, std::vector<Expr> args);
  Expr bitcast();
  Expr shuffle();
  Expr widen(const std::string& name);
  Expr load(Buffer buffer);
  Expr binary(std::string_view op, Expr a, Expr b);
  Expr extract(Expr vector, int lane);
  bool arguments(std::vector<Expr>& out, std::string_view end);

  Arena& arena_;
  const NameScope& scope_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

bool parse_type(std::string_view text, Type* out);

}  // namespace hone::ir
