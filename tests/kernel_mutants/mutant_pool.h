// Wrong kernels of many operators, drawn evenly from the kinds of mistakes, for one data type and one target.
#pragma once
#include <string>
#include <vector>

#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "tests/kernel_mutants/mutant_cases.h"
#include "tests/kernel_mutants/mutations.h"

namespace hone::kernel_mutants {

struct Mutant {
  std::string type;
  Kind kind;
  size_t of_case = 0;
  schedule::Trace trace;
  ir::Kernel kernel;
  double error = 0;         // the greatest on other inputs than the check's, in tolerances; infinite where the interpreter refuses it
  std::string change;       // for people: what stands for what
  bool is_refused = false;  // by the compiler's own checks (lower/verify_for): no device ever gets it
};

struct Pool {
  std::vector<Mutant> mutants;
  int equivalent = 0;  // drawn and left out: what they compute differs by no more than kernels may, or is undefined (what nobody wrote is read)
};

// Up to `count` mutants of each type, all wrong by the interpreter: it refuses them, or on some inputs, none of them those of the check, they err
// by more than their task permits.
Pool draw_mutants(const std::vector<Case>& cases, const target::Target& target, int count, uint64_t seed);

}  // namespace hone::kernel_mutants
