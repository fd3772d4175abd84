// On which inputs a program has no rounding at all, in f16 either.
#pragma once
#include <cstdint>

#include "codegen/te/program.h"

namespace hone::te {

// The largest n, at most 1024, such that floats in [-n, n] that are whole numbers leave whole every value and every sum of some of its terms, in any order, and
// within 2048 in size, up to which f16 has each whole number (IEEE 754, binary16). 0: there is none, or something divides, scales by no
// whole number, or is a function that rounds. What is of whole numbers anyway does not count.
// A sum of K terms of at most m may reach K·m, but terms of random signs reach 7·√K·m once in 10¹⁰ sums (Hoeffding 1963, Theorem 2); the lesser counts.
int64_t exact_inputs_max(const Program& program);

}  // namespace hone::te
