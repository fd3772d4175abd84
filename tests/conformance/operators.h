// Every operator that the importer knows, with random models of it and what its results owe. A new operator gets its line in one of the
// lists (docs/adding_an_op.md); table_test fails while one is missing.
#pragma once
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"
#include "tests/conformance/draw.h"

namespace hone::conformance {

// Which numbers inputs hold beside ordinary ones. No operator has ordinary ones only.
enum class Values : uint8_t {
  kAll,  // NaN, infinities, zeros of both signs, subnormal numbers, -1 and 1; where results are exact the largest and smallest normal ones
  kOrdered,  // all but NaN: places of the largest or smallest, of which ONNX does not say where a NaN stands
};

// What a result of a float type owes to the interpreter's. Whole numbers and truth are always equal. NaN stands where it has NaN.
enum class Match : uint8_t {
  kBits,     // the same value and the same sign of zero: elements are only moved
  kExact,    // equal: one operation that IEEE 754 defines
  kRounded,  // within 2e-5 of the largest finite result: sums in any order, functions (function_expansion.h), a·b + c in one rounding or two
};

struct Operator {
  std::string_view op;  // ONNX's name
  graph::Graph (*make)(std::string_view op, Draw& draw) = nullptr;
  Match match = Match::kRounded;
  Values values = Values::kAll;
  double low = -4, high = 4;  // ordinary numbers lie between
};

std::vector<Operator> product_operators();
std::vector<Operator> elementwise_operators();
std::vector<Operator> reduction_operators();
std::vector<Operator> movement_operators();
std::vector<Operator> attention_operators();
std::vector<Operator> recurrent_operators();
std::vector<Operator> scatter_operators();
std::vector<Operator> signal_operators();
std::vector<Operator> all_operators();                         // sorted by name
std::vector<Operator> operators_named(std::string_view name);  // "": all; ends the program when there is none

}  // namespace hone::conformance
