// Sums of products of 8-bit numbers, four of which fit one word each.
#pragma once
#include <optional>

#include "codegen/te/program.h"

namespace hone::schedule {

inline constexpr int64_t kPackedProducts = 4;

// The number of 8 bits that e widens to i32; null where e is something else.
ir::Expr widened_byte(ir::Expr e);

// Both operands of the product that the reduction adds up as i32, of one 8-bit type; absent where it is no such sum.
struct PackedProduct {
  ir::Expr a = nullptr, b = nullptr;
};
std::optional<PackedProduct> packed_product(const te::Compute& compute);

}  // namespace hone::schedule
