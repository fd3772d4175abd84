// One random case of an operator: the importer's tasks of a model of one node, their inputs, and what the interpreter makes of them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/operators.h"
#include "tests/wasm/corpus.h"

namespace hone::conformance {

inline constexpr int kCases = 24;  // per operator; the first four have each role once

// What a target's numbers are. kShader: shading languages may take subnormals for 0, do not tell zeros apart, and
// may lose a NaN that arithmetic makes (∞ − ∞), but none that an exact operation is given.
enum class Arithmetic { kIeee, kShader };

struct Subject {
  std::string name;  // "Conv 7, conv 1x3x5x5,…": operator, number of the case, task
  te::Task task;
  TaskValues values;
};

bool has_no_results(const Subject& subject);  // no output has an element: there is nothing to compile

// What was left out, and why: printed with its count at the end of a run.
using Omissions = std::map<std::string, int>;

graph::Graph model_of(const Operator& op, int number);

// The tasks of case `number`: those of the prepared and fused model; where nothing is left of it (a view, a constant), the node's own.
// A model with an empty axis may be refused, which is noted; any other refusal, a task that verify_te or the interpreter refuses, and a result
// that te::evaluate contradicts end the program.
std::vector<Subject> subjects_of(const Operator& op, int number, Omissions& omissions, Arithmetic arithmetic = Arithmetic::kIeee);

}  // namespace hone::conformance
