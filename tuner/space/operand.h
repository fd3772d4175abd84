// Operand: a tensor that a reduction's stage reads, and how it lies along the stage's axes.
#pragma once
#include <string>
#include <vector>

#include "tuner/space/trace_builder.h"

namespace hone::tuner {

struct Operand {
  std::string tensor;
  ir::Expr load = nullptr;  // the first of
  int reads = 0;            // so many loads
};

// In the order of the stage's expression; empty when there is no such stage. Scalars are none.
std::vector<Operand> operands_of(const TraceBuilder& t, const std::string& stage);

// The placeholder of a stage's axis (spatial axes, then reduce axes); null when there is none.
ir::Var axis_variable(const TraceBuilder& t, const std::string& stage, int axis);

// Does the operand's index use the variable? Not when it is null.
bool reads_along(const Operand& operand, ir::Var var);
// Is one of its dimensions the variable alone?
bool has_dimension(const Operand& operand, ir::Var var);
// Does the operand run along the variable element by element, in its innermost dimension?
bool contiguous_along(const te::Task& task, const Operand& operand, ir::Var var);

// Panels of an operand: a tile's `width` columns side by side for each step of the reduction, in the order of the steps.
struct Panels {
  std::string stage;       // that reduces
  ir::Var lane = nullptr;  // its axis along which a tile's columns lie
  int64_t width = 1;
};

// Lays a tensor out in panels; false when none of its dimensions is the lane alone.
bool lay_out_panels(TraceBuilder& t, const Panels& panels, const Operand& operand);

// Lays a stage out with its axis `axis` innermost, the others in their order.
void lay_out_innermost(TraceBuilder& t, const std::string& stage, int axis);

// Lays a free argument out with groups of `width` steps along `step` innermost; false when none of its dimensions is the step alone.
bool lay_out_groups(TraceBuilder& t, const Operand& operand, ir::Var step, int64_t width);

}  // namespace hone::tuner
