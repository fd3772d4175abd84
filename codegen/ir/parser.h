// Text to IR: the inverse of printer.h. Nodes are built by the arena's factories, so text that they fold reads back folded.
// Fails: parse_error with the line number, what was found and what was expected. Never aborts, whatever the text.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "codegen/ir/arena.h"

namespace hone::ir {

// The kernel owns a new arena.
Result<Kernel> parse_kernel(std::string_view text);

// What the names of a lone expression mean.
struct TextScope {
  std::unordered_map<std::string, Var> vars;
  std::unordered_map<std::string, Buffer> buffers;
};
Result<Expr> parse_expr(std::string_view text, Arena& arena, const TextScope& scope);

}  // namespace hone::ir
