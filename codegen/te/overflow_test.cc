// What leaves 32 bits is told, what stays within is not, and what cannot leave costs nothing.
#include "codegen/te/overflow.h"

#include <gtest/gtest.h>

#include <functional>

#include "codegen/te/evaluate.h"
#include "codegen/te/narrow.h"

namespace hone::te {
namespace {

constexpr double kNever = -1, kHigh = 2147483647, kLow = -2147483648;

using Numbers = std::vector<double>;
using Definition = std::function<void(Builder& b, Tensor x, Tensor y)>;

// Of X: [n] of the type and Y: [n] whether a definition's numbers have left, as a device finds it; kNever where it is not asked.
double told(DType dtype, const Numbers& x, const Numbers& y, const Definition& define, DType of_x = DType::kIndex) {
  Builder b;
  const Tensor left = b.input("X", of_x == DType::kIndex ? dtype : of_x, {static_cast<int64_t>(x.size())}), right = b.input("Y", dtype, {static_cast<int64_t>(y.size())});
  define(b, left, right);
  const Tensor flag = overflow(b, 0, {}, 7);
  if (!flag) return kNever;
  b.output(flag);
  const Status valid = verify_te(b.program());
  EXPECT_TRUE(valid.ok()) << valid.error().message << print_te(b.program());
  return evaluate(narrow_types(b.take()), {x, y})[0][0];
}

Definition each(const std::function<Sym(Sym, Sym)>& f) {
  return [f](Builder& b, Tensor x, Tensor y) {
    const Axis i = b.axis("i", x->shape[0]);
    const Sym left = b.at(x, {b.sym(i)}), right = b.at(y, {b.sym(i)});
    b.map("Z", {i}, f(left, right));
  };
}

double told_of(double x, double y, const std::function<Sym(Sym, Sym)>& f, DType dtype = DType::kI64) { return told(dtype, {0, x}, {0, y}, each(f)); }

// Given numbers next to the ends of 32 bits, when they are added, subtracted and multiplied, then exactly those beyond are told.
TEST(Overflow, SumsAndProducts) {
  const auto sum = [](Sym x, Sym y) { return x + y; };
  EXPECT_EQ(told_of(kHigh, 0, sum), 0);
  EXPECT_EQ(told_of(kHigh, 1, sum), 7);
  EXPECT_EQ(told_of(kHigh, kHigh, sum), 7);
  EXPECT_EQ(told_of(kLow, 0, sum), 0);
  EXPECT_EQ(told_of(kLow, -1, sum), 7);
  const auto product = [](Sym x, Sym y) { return x * y; };
  EXPECT_EQ(told_of(46341, 46340, product), 0);
  EXPECT_EQ(told_of(46341, 46341, product), 7);
  EXPECT_EQ(told_of(65536, 32768, product), 7);
  EXPECT_EQ(told_of(-65536, 32768, product), 0);
  EXPECT_EQ(told_of(65536, 65536, product), 7);
  EXPECT_EQ(told_of(kLow, kLow, product), 7);
  EXPECT_EQ(told_of(kLow, 0, product), 0);
  EXPECT_EQ(told_of(3, 5, [](Sym x, Sym y) { return x - y; }, DType::kU64), 7);
  EXPECT_EQ(told_of(5, 3, [](Sym x, Sym y) { return x - y; }, DType::kU64), 0);
  EXPECT_EQ(told_of(4294967295, 1, sum, DType::kU64), 7);
  EXPECT_EQ(told_of(4294967294, 1, sum, DType::kU64), 0);
}

// Given sums that leave 32 bits on the way, when they come back before they are used, then nothing is told; when they are used there, then it is.
TEST(Overflow, OnTheWay) {
  EXPECT_EQ(told_of(kHigh, kHigh, [](Sym x, Sym y) { return x + y - x; }), 0);
  EXPECT_EQ(told_of(kHigh, kHigh, [](Sym x, Sym y) { return x * y - y * x + x; }), 7);  // by more than f32 tells
  EXPECT_EQ(told_of(100000, 100000, [](Sym x, Sym y) { return x * y - y * x + x; }), 0);
  EXPECT_EQ(told_of(kHigh, kHigh, [](Sym x, Sym y) { return (x + y) / 2.0; }), 7);
  EXPECT_EQ(told_of(kHigh, kHigh, [](Sym x, Sym y) { return max(x + y, x); }), 7);
  EXPECT_EQ(told_of(kHigh, kHigh, [](Sym x, Sym y) { return select(x + y < 0.0, x.number(1), x.number(2)); }), 7);
}

// Given a choice, when the arm that is not taken leaves 32 bits, then nothing is told.
TEST(Overflow, OfWhatIsChosen) {
  const auto chosen = [](Sym x, Sym y) { return select(0.0 < x, x, x - y); };
  EXPECT_EQ(told_of(5, kLow, chosen), 0);
  EXPECT_EQ(told_of(-5, 3, chosen), 0);
  EXPECT_EQ(told_of(-5, kHigh, chosen), 7);
}

// Given quotients and magnitudes, when they are of the lowest number, then it is told where there is no such number.
TEST(Overflow, OfTheLowest) {
  EXPECT_EQ(told_of(kLow, -1, [](Sym x, Sym y) { return x / y; }), 7);
  EXPECT_EQ(told_of(kLow, 2, [](Sym x, Sym y) { return x / y; }), 0);
  EXPECT_EQ(told_of(kLow, 0, [](Sym x, Sym) { return select(x < 0.0, -x, x); }), 7);
  EXPECT_EQ(told_of(-kHigh, 0, [](Sym x, Sym) { return select(x < 0.0, -x, x); }), 0);
}

// Given constants beyond 32 bits, when they bound a number, then nothing is told; when they are summed, chosen or compared with the end that stands for them, then it is.
TEST(Overflow, OfConstants) {
  EXPECT_EQ(told_of(5, 0, [](Sym x, Sym) { return max(min(x, 0x1p40), -0x1p40); }), kNever);
  EXPECT_EQ(told_of(5, 0, [](Sym x, Sym) { return max(x, 0x1p40); }), 7);
  EXPECT_EQ(told_of(5, 0, [](Sym x, Sym) { return min(x, -0x1p40); }), 7);
  EXPECT_EQ(told_of(5, 0, [](Sym x, Sym) { return x + 0x1p40; }), 7);
  const auto chosen = [](Sym x, Sym y) { return select(x < y, x, x.number(0x1p40)); };
  EXPECT_EQ(told(DType::kI64, {5}, {6}, each(chosen)), 0);
  EXPECT_EQ(told(DType::kI64, {5}, {5}, each(chosen)), 7);
  const auto compared = [](Sym x, Sym) { return select(x < 0x1p40, x.number(1), x.number(0)); };
  EXPECT_EQ(told_of(5, 0, compared), 0);
  EXPECT_EQ(told_of(kHigh, 0, compared), 7);
}

// Given floats at the ends of 32 bits, when they are made whole numbers of 64, then those beyond are told, and those of 32 are not asked.
TEST(Overflow, OfFloats) {
  const auto cast_to = [](DType dtype) {
    return [dtype](Builder& b, Tensor x, Tensor) {
      const Axis i = b.axis("i", x->shape[0]);
      b.map("Z", {i}, cast(dtype, b.at(x, {b.sym(i)})));
    };
  };
  const auto of = [&](double x, DType dtype) { return told(DType::kI64, {0, x}, {0}, cast_to(dtype), DType::kF32); };
  EXPECT_EQ(of(2147483520, DType::kI64), 0);
  EXPECT_EQ(of(2147483648, DType::kI64), 7);
  EXPECT_EQ(of(kLow, DType::kI64), 0);
  EXPECT_EQ(of(-2147483904, DType::kI64), 7);
  EXPECT_EQ(of(-0.5, DType::kU64), 0);
  EXPECT_EQ(of(-1, DType::kU64), 7);
  EXPECT_EQ(of(4294967296, DType::kU64), 7);
  EXPECT_EQ(of(1e20, DType::kI32), kNever);
}

// Given whole numbers of other types, when they are made ones of 64 bits, then those that do not fit are told.
TEST(Overflow, OfOtherTypes) {
  const auto cast_to = [](DType dtype) {
    return [dtype](Builder& b, Tensor x, Tensor) {
      const Axis i = b.axis("i", x->shape[0]);
      b.map("Z", {i}, cast(dtype, b.at(x, {b.sym(i)})));
    };
  };
  EXPECT_EQ(told(DType::kI64, {4294967295}, {0}, cast_to(DType::kI64), DType::kU32), 7);
  EXPECT_EQ(told(DType::kI64, {kHigh}, {0}, cast_to(DType::kI64), DType::kU32), 0);
  EXPECT_EQ(told(DType::kI64, {-1}, {0}, cast_to(DType::kU64), DType::kI64), 7);
  EXPECT_EQ(told(DType::kI64, {kHigh}, {0}, cast_to(DType::kU64), DType::kI64), 0);
  EXPECT_EQ(told(DType::kI64, {kHigh}, {0}, cast_to(DType::kI64), DType::kI32), kNever);
  EXPECT_EQ(told(DType::kI64, {kHigh}, {0}, cast_to(DType::kI32), DType::kI64), kNever);
}

Definition folded(Fold fold, const std::function<Sym(Sym)>& value, const std::function<Sym(Sym)>& finish = nullptr) {
  return [=](Builder& b, Tensor x, Tensor) {
    const Axis one = b.axis("one", 1), k = b.axis("k", x->shape[0]);
    b.reduce("Z", {one}, {k}, fold, value(b.at(x, {b.sym(k)})), finish);
  };
}
Sym same(Sym x) { return x; }

// Given sums and products over an axis, when they leave 32 bits at the end, then it is told, also where each term is within; when they only do on the way, then it is not.
TEST(Overflow, OfReductions) {
  const auto sum = folded(Fold::kSum, same), product = folded(Fold::kProduct, same);
  EXPECT_EQ(told(DType::kI64, {kHigh, kHigh, -kHigh}, {0}, sum), 0);
  EXPECT_EQ(told(DType::kI64, {kHigh, kHigh, 2}, {0}, sum), 7);  // 2³²: in 32 bits it is 0
  EXPECT_EQ(told(DType::kI64, {65536, 65536, 65536}, {0}, product), 7);
  EXPECT_EQ(told(DType::kI64, {65536, 65536, 0}, {0}, product), 0);
  EXPECT_EQ(told(DType::kI64, {1000, -1000, 2000}, {0}, product), 0);
  EXPECT_EQ(told(DType::kI64, {1000, -1000, 3000}, {0}, product), 7);
  EXPECT_EQ(told(DType::kI64, {60000, 60000}, {0}, folded(Fold::kSum, [](Sym x) { return x * x; })), 7);
  EXPECT_EQ(told(DType::kI64, {30000, 30000}, {0}, folded(Fold::kSum, [](Sym x) { return x * x; })), 0);
  EXPECT_EQ(told(DType::kI64, {kHigh, kHigh}, {0}, folded(Fold::kSum, same, [](Sym x) { return x / 2.0; })), 7);
  EXPECT_EQ(told(DType::kI64, {kHigh, kLow}, {0}, folded(Fold::kMax, same)), kNever);
  EXPECT_EQ(told(DType::kI64, {kHigh, kLow}, {0}, folded(Fold::kMax, [](Sym x) { return x + 1.0; })), 7);
  EXPECT_EQ(told(DType::kI64, {5, kLow}, {0}, folded(Fold::kMin, [](Sym x) { return x + 1.0; })), 0);
}

// Given what follows from places, conditions and small types, when it is summed and multiplied, then nothing is asked.
TEST(Overflow, CannotHappen) {
  const auto counted = [](Builder& b, Tensor x, Tensor y) {
    const Axis i = b.axis("i", x->shape[0]), k = b.axis("k", 1000);
    const Sym same_element = b.at(x, {b.sym(i)}) == b.at(y, {b.sym(i)});
    b.reduce("Z", {i}, {k}, Fold::kSum, cast(DType::kI64, same_element) * cast(DType::kI64, b.sym(k)));
  };
  EXPECT_EQ(told(DType::kI64, {1}, {1}, counted), kNever);
  EXPECT_EQ(told_of(1, 1, [](Sym x, Sym y) { return cast(DType::kI64, cast(DType::kI16, x)) * cast(DType::kI64, cast(DType::kI16, y)); }), kNever);
  EXPECT_EQ(told_of(1, 1, [](Sym x, Sym y) { return max(min(x, 1e4), -1e4) * max(min(y, 1e5), -1e5); }), kNever);
  EXPECT_EQ(told_of(1, 1, [](Sym x, Sym y) { return x + y; }, DType::kI32), kNever);
  EXPECT_EQ(told_of(1, 1, [](Sym x, Sym y) { return x.with(x.arena->bit(ir::ExprKind::kBitXor, x.expr, y.expr)); }), kNever);
}

// Given two Computes of which one reads the other, when only the first leaves 32 bits, then it is told.
TEST(Overflow, OfEachCompute) {
  const auto chain = [](Builder& b, Tensor x, Tensor y) {
    const Axis i = b.axis("i", x->shape[0]), j = b.axis("j", x->shape[0]);
    const Sym left = b.at(x, {b.sym(i)}), right = b.at(y, {b.sym(i)});
    const Tensor sum = b.map("S", {i}, left + right);
    const Sym again = b.at(sum, {b.sym(j)}), other = b.at(y, {b.sym(j)});
    b.map("Z", {j}, again - other);
  };
  EXPECT_EQ(told(DType::kI64, {kHigh}, {1}, chain), 7);
  EXPECT_EQ(told(DType::kI64, {kHigh}, {0}, chain), 0);
  EXPECT_EQ(told(DType::kI64, {-5}, {kHigh}, chain), 0);
}

}  // namespace
}  // namespace hone::te
