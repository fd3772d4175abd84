// Sums whose accumulator and arithmetic are of f16.
#pragma once
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::schedule {

// Does the combiner add up numbers of one type, and nothing else?
bool is_sum(const te::Combiner& combiner, ir::DType dtype);

// How far a sum of so many products in f16 is off, relative to the sum of their magnitudes: each product's operands are rounded, and what was
// added up is rounded with each term.
double half_sum_error(int64_t terms);

// Has the target arithmetic of f16? Textures hold halves, but fragments compute in f32.
bool computes_halves(const target::Target& target);

}  // namespace hone::schedule
