// Interval: between which numbers a value lies, its ends among them. Ends are doubles: from 2⁵³ on they are as near as doubles are.
#pragma once
#include <limits>

#include "codegen/ir/expr.h"

namespace hone::te {

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool within(const Interval& other) const { return low >= other.low && high <= other.high; }
  bool has(double value) const { return low <= value && value <= high; }
  double magnitude() const { return -low > high ? -low : high; }
};

Interval hull(const Interval& a, const Interval& b);
// Where both lie; one of the two where there is no such place.
Interval common(const Interval& a, const Interval& b);

// What devices hold of the type: of whole numbers of 64 bits those of 32; all floats.
Interval device_range(ir::DType dtype);
// Does the type have more numbers than devices hold of it?
inline bool is_wide(ir::DType dtype) { return dtype == ir::DType::kI64 || dtype == ir::DType::kU64; }

// What the operation makes of numbers in two intervals. kDiv and kMod of whole numbers round down and have the divisor's sign; by 0 they are 0.
Interval joined(ir::ExprKind kind, bool whole, const Interval& a, const Interval& b);
// Of a function of floats; all numbers where nothing is known.
Interval mapped(ir::Intrinsic function, const Interval& a, const Interval& b);
// With what f32 may be off, relative to the ends.
Interval widened(const Interval& a, double relative);
// Of `count` numbers of the interval.
Interval sum_of(const Interval& a, double count);
Interval product_of(const Interval& a, double count);

}  // namespace hone::te
