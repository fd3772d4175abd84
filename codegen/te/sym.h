// Sym: an expression together with its arena, with operators, so that a definition reads like index notation: a + b * 2.
// A number takes the type of the symbol beside it. Both symbols of an operation must have one type (else our bug: CHECK).
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/ir/arena.h"

namespace hone::te {

struct Sym {
  ir::Arena* arena = nullptr;
  ir::Expr expr = nullptr;

  ir::Type type() const { return expr->type; }
  Sym with(ir::Expr e) const { return {arena, e}; }
  Sym number(double value) const { return with(arena->constant(expr->type, value)); }  // of this symbol's type
};

inline Sym operator+(Sym a, Sym b) { return a.with(a.arena->add(a.expr, b.expr)); }
inline Sym operator-(Sym a, Sym b) { return a.with(a.arena->sub(a.expr, b.expr)); }
inline Sym operator*(Sym a, Sym b) { return a.with(a.arena->mul(a.expr, b.expr)); }
inline Sym operator/(Sym a, Sym b) { return a.with(a.arena->div(a.expr, b.expr)); }
inline Sym operator%(Sym a, Sym b) { return a.with(a.arena->mod(a.expr, b.expr)); }
inline Sym operator+(Sym a, double b) { return a + a.number(b); }
inline Sym operator-(Sym a, double b) { return a - a.number(b); }
inline Sym operator*(Sym a, double b) { return a * a.number(b); }
inline Sym operator/(Sym a, double b) { return a / a.number(b); }
inline Sym operator%(Sym a, double b) { return a % a.number(b); }
inline Sym operator+(double a, Sym b) { return b.number(a) + b; }
inline Sym operator-(double a, Sym b) { return b.number(a) - b; }
inline Sym operator*(double a, Sym b) { return b.number(a) * b; }
inline Sym operator/(double a, Sym b) { return b.number(a) / b; }
inline Sym operator-(Sym a) { return a.number(0) - a; }
inline Sym min(Sym a, Sym b) { return a.with(a.arena->min(a.expr, b.expr)); }
inline Sym max(Sym a, Sym b) { return a.with(a.arena->max(a.expr, b.expr)); }
inline Sym min(Sym a, double b) { return min(a, a.number(b)); }
inline Sym max(Sym a, double b) { return max(a, a.number(b)); }
inline Sym operator<(Sym a, Sym b) { return a.with(a.arena->lt(a.expr, b.expr)); }
inline Sym operator<=(Sym a, Sym b) { return a.with(a.arena->le(a.expr, b.expr)); }
inline Sym operator==(Sym a, Sym b) { return a.with(a.arena->eq(a.expr, b.expr)); }
inline Sym operator<(Sym a, double b) { return a < a.number(b); }
inline Sym operator<=(Sym a, double b) { return a <= a.number(b); }
inline Sym operator==(Sym a, double b) { return a == a.number(b); }
inline Sym operator<=(double a, Sym b) { return b.number(a) <= b; }
inline Sym operator<(double a, Sym b) { return b.number(a) < b; }
inline Sym both(Sym a, Sym b) { return a.with(a.arena->logical_and(a.expr, b.expr)); }
inline Sym either(Sym a, Sym b) { return a.with(a.arena->logical_or(a.expr, b.expr)); }
inline Sym negated(Sym a) { return a.with(a.arena->logical_not(a.expr)); }
inline Sym select(Sym condition, Sym yes, Sym no) {
  return condition.with(condition.arena->select(condition.expr, yes.expr, no.expr));
}
inline Sym call(ir::Intrinsic f, Sym a) { return a.with(a.arena->call(f, {a.expr})); }
inline Sym call(ir::Intrinsic f, Sym a, Sym b) { return a.with(a.arena->call(f, {a.expr, b.expr})); }
inline Sym cast(ir::DType dtype, Sym a) {
  return a.type().dtype == dtype ? a : a.with(a.arena->cast(ir::Type{dtype, a.type().lanes}, a.expr));
}
// The same bits as another type of the same size.
inline Sym bits(ir::DType dtype, Sym a) { return a.with(a.arena->bitcast(ir::Type{dtype, a.type().lanes}, a.expr)); }

}  // namespace hone::te
