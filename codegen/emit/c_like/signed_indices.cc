#include "codegen/emit/c_like/passes.h"

#include "codegen/arith/analyzer.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

namespace {

// A lift beyond may leave 32 bits.
constexpr int64_t kLiftMax = int64_t{1} << 30;

bool is_index(Expr e) { return e->type.dtype == DType::kIndex; }
bool is_power_of_2(int64_t n) { return (n & (n - 1)) == 0; }

class SignedIndices final : public ir::Mutator {
 public:
  SignedIndices(ir::Arena& arena, IndexSign sign) : Mutator(arena), analyzer_(arena), sign_(sign) {}

 protected:
  // What may be negative is asked of the operands as they were: lifted ones, and bits of one, say less.
  Expr expr(Expr e) override {
    switch (e->kind) {
      case ExprKind::kDiv:
      case ExprKind::kMod:
        return is_index(e) && is_const(e->args[1]) ? quotient(e) : rebuild(e);
      case ExprKind::kMin:
      case ExprKind::kMax:
        return is_index(e) && misreads(e) ? bits(e->type, as_i32(e)) : rebuild(e);
      case ExprKind::kLt:
      case ExprKind::kLe:
        return is_index(e->args[0]) && e->args[0]->type.lanes == 1 && misreads(e) ? as_i32(e) : rebuild(e);
      case ExprKind::kCast:
        return becomes_float(e) ? arena_.cast(e->type, bits({DType::kI32, e->type.lanes}, mutate(e->args[0]))) : rebuild(e);
      default:
        return rebuild(e);
    }
  }

  Stmt stmt(Stmt s) override {
    if (s->kind == StmtKind::kLet && s->var->type == ir::kIndexType && s->var->bound() == 0)
      analyzer_.learn(s->var, analyzer_.bounds(s->value));
    return rebuild(s);
  }

 private:
  // As an unsigned number, a negative one would be the largest of all.
  bool misreads(Expr e) {
    return sign_ == IndexSign::kUnsigned && (analyzer_.bounds(e->args[0]).lo < 0 || analyzer_.bounds(e->args[1]).lo < 0);
  }

  bool becomes_float(Expr e) { return sign_ == IndexSign::kUnsigned && ir::is_float(e->type.dtype) && is_index(e->args[0]) && analyzer_.bounds(e->args[0]).lo < 0; }

  Expr bits(ir::Type type, Expr e) { return arena_.bitcast(type, e); }

  // The same operation on the operands' bits as i32.
  Expr as_i32(Expr e) {
    const ir::Type whole{DType::kI32, e->args[0]->type.lanes};
    return arena_.with_args(e, {bits(whole, mutate(e->args[0])), bits(whole, mutate(e->args[1]))}, nullptr, nullptr);
  }

  Expr quotient(Expr e) {
    const int64_t low = analyzer_.bounds(e->args[0]).lo, divisor = e->args[1]->ival;
    if (divisor <= 0) return by_no_positive(e, divisor);
    if (low >= 0 || (sign_ == IndexSign::kSigned && is_power_of_2(divisor))) return rebuild(e);
    return low <= -kLiftMax ? by_rest(e, divisor) : lifted(e, (-low + divisor - 1) / divisor, divisor);
  }

  // x / -d = -x / d, x % -d = -(-x % d); by zero either is 0.
  Expr by_no_positive(Expr e, int64_t divisor) {
    const Expr zero = arena_.index(0);
    if (divisor == 0) return zero;
    const Expr negated = arena_.sub(zero, e->args[0]), positive = arena_.index(-divisor);
    return e->kind == ExprKind::kDiv ? mutate(arena_.div(negated, positive)) : arena_.sub(zero, mutate(arena_.mod(negated, positive)));
  }

  Expr lifted(Expr e, int64_t lift, int64_t divisor) {
    const Expr above = arena_.with_args(e, {arena_.add(mutate(e->args[0]), arena_.index(lift * divisor)), e->args[1]}, nullptr, nullptr);
    return e->kind == ExprKind::kDiv ? arena_.sub(above, arena_.index(lift)) : above;
  }

  // Of a dividend of which nothing is known: a remainder taken twice is not negative, and what it leaves divides without one.
  Expr by_rest(Expr e, int64_t divisor) {
    const ir::Type type = sign_ == IndexSign::kSigned ? e->type : ir::Type{DType::kI32, e->type.lanes};
    const Expr x = bits(type, mutate(e->args[0])), d = arena_.constant(type, static_cast<double>(divisor));
    const Expr rest = arena_.mod(arena_.add(arena_.mod(x, d), d), d);
    return bits(e->type, e->kind == ExprKind::kDiv ? arena_.div(arena_.sub(x, rest), d) : rest);
  }

  arith::Analyzer analyzer_;
  const IndexSign sign_;
};

}  // namespace

Stmt raise_signed_indices(ir::Arena& arena, Stmt body, IndexSign sign) { return SignedIndices(arena, sign).mutate(body); }

}  // namespace hone::emit
