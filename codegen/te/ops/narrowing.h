// Values of the types that are models' alone (ir::is_model_only), of 8 bits and less: numbers that devices hold as f32, i32 and u32, made ones of the
// narrower type by expressions on their bits, the same on every target.
#pragma once
#include "codegen/te/sym.h"

namespace hone::te {

struct Narrowing {
  enum Rounding : uint8_t { kUp, kDown, kNearest };
  bool saturates = true;    // beyond the largest number: that one; else infinity, or NaN where the type has none of the kind asked for
  Rounding rounding = kUp;  // of powers of 2 (f8e8m0); all others round to nearest, ties to even
};

// x as f32, then as a float of the type. NaN stays NaN, and becomes 0 where the type has none. Of f8e8m0: of the magnitude; below its smallest
// number that one where it saturates, else NaN.
Sym as_small_float(ir::DType dtype, Sym x, const Narrowing& narrowing);

// The low bits of x, of a float those of its 32-bit whole number.
Sym with_low_bits(ir::DType dtype, Sym x);
// The nearest number of a whole type, x being a float that is a whole number or NaN, which becomes 0.
Sym saturated(ir::DType dtype, Sym x);

}  // namespace hone::te
