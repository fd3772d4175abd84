// Tensor expressions: what a task computes, in index notation, with no word on how. Index expressions and bodies are ir::Expr over the
// axes' variables; a Load names a tensor by logical indices. An operator is a function in te/ops that appends Computes to a Program.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/ir/arena.h"

namespace hone::te {

using ir::Expr;
using ir::Var;
using Tensor = ir::Buffer;  // scope kArg for the program's inputs and outputs, kScratch for what lies between

// One dimension of an iteration domain: var runs over [0, extent). extent 0 is legal (nothing is computed).
struct Axis {
  std::string name;
  int64_t extent = 0;
  Var var = nullptr;
};

// How two partial results join: combine[i] is an expression over acc[…] and val[…] (tuples of equal length).
struct Combiner {
  std::vector<Var> acc, val;       // typed scalars
  std::vector<Expr> identity;      // combine(identity, v) == v
  std::vector<Expr> combine;       // the new acc
  bool reassociable = true;        // the order of joining may change
};

struct Reduce {
  std::vector<Axis> axes;
  Combiner combiner;
};

// outputs[i][axes] = value[i](axes)                                    without reduce: a Map
// acc = combine over reduce.axes of value; outputs[i][axes] = finish[i](acc, axes)   with reduce (finish empty: outputs[i] = acc[i])
struct Compute {
  std::string name;                // names the stage of a schedule; unique within the program
  std::vector<Tensor> outputs;     // all of the shape of `axes`
  std::vector<Axis> axes;          // spatial, in logical order of the outputs' dimensions
  std::vector<Expr> value;         // one per component of the combiner; for a Map one per output
  std::optional<Reduce> reduce;
  std::vector<Expr> finish;        // over reduce->combiner.acc and the axes' variables
};

struct Program {
  std::shared_ptr<ir::Arena> arena;
  std::vector<Compute> computes;   // in dependency order
  std::vector<Tensor> inputs, outputs;
};

// Another program for what a program computes: it reads the same inputs and writes the same outputs, and its nodes lie in the same arena.
struct Alternative {
  std::string name;   // of the form, as an operator calls it: "winograd2"
  std::string stage;  // the Compute of the program that it defines in another form
  Program program;
  double error = 0;  // bound of what an output is off in f32, relative to the outputs' range; 0: what sums in any order are off
};

// Acyclic, component counts agree, names unique, every tensor written once, every load in bounds by interval analysis or inside a select
// arm whose condition proves it. Fails: invalid_argument with the compute and the access.
Status verify_te(const Program& program);
// One line per compute: "Y[n, m] = sum[k] A[n, k] * B[k, m]".
std::string print_te(const Program& program);

}  // namespace hone::te
