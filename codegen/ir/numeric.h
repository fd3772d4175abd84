// The arithmetic of the scalar types, as docs/ir.md defines it. Values travel as double (floats) or int64_t (everything else: the bits of
// the type, sign- or zero-extended; bool 0 or 1).
#pragma once
#include <cstdint>

#include "codegen/ir/expr.h"

namespace hone::ir {

// A value of any scalar type; which member counts follows from the type.
union Cell {
  double real;
  int64_t whole;
};

double round_to(DType dtype, double value);        // to the nearest value of a float type; overflow gives infinity
int64_t wrap_to(DType dtype, int64_t value);       // integers wrap; bool: value != 0
int64_t floor_div(int64_t a, int64_t b);           // by zero 0; MIN / -1 wraps
int64_t floor_mod(int64_t a, int64_t b);           // the divisor's sign; by zero 0
int64_t saturate_to(DType dtype, double value);    // truncates, saturates, NaN gives 0; bool: value != 0
Cell cast_cell(DType to, DType from, Cell value);
double min_of(double a, double b);                 // NaN if an operand is
double max_of(double a, double b);
double apply_intrinsic(Intrinsic intrinsic, double a, double b = 0);  // unrounded
uint64_t bits_of(DType dtype, Cell value);         // the stored bits, in the low bytes
Cell cell_of_bits(DType dtype, uint64_t bits);

}  // namespace hone::ir
