// Random programs of maps and a reduction over every integer type, for tests of what computes expressions.
#pragma once
#include <utility>
#include <vector>

#include "base/rng.h"
#include "codegen/te/builder.h"

namespace hone {

// Makes a random expression of the wanted type over the axes' symbols and two inputs (x: f32 with broadcasting, k: an integer type).
// has_functions: also calls of exp, pow and the like, which only f64 arithmetic computes to the last bit.
class RandomBody {
 public:
  RandomBody(te::Builder& b, Rng& rng, std::vector<te::Sym> at, te::Tensor x, te::Tensor row, te::Tensor k,
             bool has_functions)
      : b_(b), rng_(rng), at_(std::move(at)), x_(x), row_(row), k_(k), has_functions_(has_functions) {}

  te::Sym real(int depth) {
    if (depth <= 0)
      return rng_.below(2)   ? b_.at(x_, at_)
             : rng_.below(2) ? b_.at(row_, {at_[1]})
                             : b_.constant(ir::DType::kF32, 4 * rng_.uniform() - 2);
    switch (rng_.below(has_functions_ ? 12 : 9)) {
      case 0:
        return real(depth - 1) + real(depth - 1);
      case 1:
        return real(depth - 1) - real(depth - 1);
      case 2:
        return real(depth - 1) * real(depth - 1);
      case 3:
        return real(depth - 1) / real(depth - 1);
      case 4:
        return min(real(depth - 1), real(depth - 1));
      case 5:
        return max(real(depth - 1), real(depth - 1));
      case 6:
        return select(condition(depth - 1), real(depth - 1), real(depth - 1));
      case 7:
        return cast(ir::DType::kF32, whole(depth - 1));
      case 8:
        return cast(ir::DType::kF32, index(depth - 1));
      case 9:
        return call(ir::Intrinsic::kPow, real(depth - 1), real(0));
      default: {
        const ir::Intrinsic functions[] = {ir::Intrinsic::kExp,   ir::Intrinsic::kLog,   ir::Intrinsic::kSqrt,
                                           ir::Intrinsic::kRsqrt, ir::Intrinsic::kTanh,  ir::Intrinsic::kErf,
                                           ir::Intrinsic::kSin,   ir::Intrinsic::kCos,   ir::Intrinsic::kFloor,
                                           ir::Intrinsic::kCeil,  ir::Intrinsic::kRound, ir::Intrinsic::kAbs,
                                           ir::Intrinsic::kTrunc};
        return call(functions[rng_.below(13)], real(depth - 1));
      }
    }
  }

  te::Sym whole(int depth) {
    const ir::DType dtype = k_->dtype;
    if (depth <= 0) return rng_.below(3) ? b_.at(k_, at_) : b_.constant(dtype, static_cast<double>(rng_.below(7)));
    auto bit = [&](ir::ExprKind kind) {
      te::Sym a = whole(depth - 1), c = whole(depth - 1);
      return a.with(a.arena->bit(kind, a.expr, c.expr));
    };
    switch (rng_.below(13)) {
      case 0:
        return whole(depth - 1) + whole(depth - 1);
      case 1:
        return whole(depth - 1) - whole(depth - 1);
      case 2:
        return whole(depth - 1) * whole(depth - 1);
      case 3:
        return whole(depth - 1) / whole(depth - 1);
      case 4:
        return whole(depth - 1) % whole(depth - 1);
      case 5:
        return min(whole(depth - 1), whole(depth - 1));
      case 6:
        return bit(ir::ExprKind::kBitAnd);
      case 7:
        return bit(ir::ExprKind::kBitOr);
      case 8:
        return bit(ir::ExprKind::kBitXor);
      case 9:
        return bit(ir::ExprKind::kShl);
      case 10:
        return bit(ir::ExprKind::kShr);
      case 11:
        return cast(dtype, real(depth - 1) * 300);
      default:
        return select(condition(depth - 1), whole(depth - 1), whole(depth - 1));
    }
  }

 private:
  te::Sym index(int depth) {
    if (depth <= 0) return at_[rng_.below(at_.size())];
    switch (rng_.below(4)) {
      case 0:
        return index(depth - 1) + index(depth - 1);
      case 1:
        return (index(depth - 1) - 5) / static_cast<double>(1 + rng_.below(4));
      case 2:
        return (index(depth - 1) - 5) % (static_cast<double>(rng_.below(9)) - 4);
      default:
        return index(depth - 1) / index(depth - 1);
    }
  }
  te::Sym condition(int depth) {
    switch (rng_.below(4)) {
      case 0:
        return real(depth) < real(0);
      case 1:
        return whole(depth) <= whole(0);
      case 2:
        return negated(index(depth) == index(0));
      default:
        return either(real(0) <= real(0), both(whole(0) == whole(0), index(0) < index(depth)));
    }
  }

  te::Builder& b_;
  Rng& rng_;
  std::vector<te::Sym> at_;
  te::Tensor x_, row_, k_;
  bool has_functions_;
};

// Two maps of an n×m input and a reduction of the second's rows; n may be 0. The same seed gives the same program.
inline te::Program random_program(uint64_t seed, bool has_functions) {
  using ir::DType;
  const DType types[] = {DType::kI8, DType::kI16, DType::kI32, DType::kI64,
                         DType::kU8, DType::kU16, DType::kU32, DType::kU64};
  Rng rng(seed);
  te::Builder b;
  const int64_t n = static_cast<int64_t>(rng.below(4)), m = 1 + static_cast<int64_t>(rng.below(6));
  te::Tensor x = b.input("x", DType::kF32, {n, m}), row = b.input("row", DType::kF32, {m}),
             k = b.input("k", types[seed % 8], {n, m});
  const std::vector<te::Axis> axes = b.axes({"i", "j"}, {n, m});
  RandomBody body(b, rng, b.syms(axes), x, row, k, has_functions);
  te::Tensor first = b.map("first", axes, body.real(4));
  const std::vector<te::Axis> again = b.axes({"i", "j"}, {n, m});
  RandomBody whole(b, rng, b.syms(again), x, row, k, has_functions);
  b.output(b.map("second", again, whole.whole(4)));
  const std::vector<te::Axis> out = b.axes({"i"}, {n}), over = b.axes({"j"}, {m});
  RandomBody inner(b, rng, {b.sym(out[0]), b.sym(over[0])}, first, row, k, has_functions);
  b.output(b.reduce("sum", out, over, seed % 2 ? te::Fold::kSum : te::Fold::kMax, inner.real(2)));
  return b.take();
}

}  // namespace hone
