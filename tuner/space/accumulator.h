// Accumulator: the stage in which a thread, a fragment or a tile of a core adds up a reduction in registers, and how its loops lie.
#pragma once
#include <string>
#include <vector>

#include "tuner/space/choices.h"
#include "tuner/space/operand.h"
#include "tuner/space/root_nest.h"

namespace hone::tuner {

struct Accumulator {
  TraceBuilder& t;
  const Group& group;
  const Choices& c;
  std::string stage;
  RootNest root;  // of the launch
  std::string k_name;  // the reduce axis that is cut; "": none
  int64_t k_extent = 1;
  std::vector<std::string> k_loops, window_loops;  // outer to inner
  std::string around_inner_k;                      // the loop directly around the last of k_loops; "": none

  const te::Compute& reduction() const { return t.task().program.computes[static_cast<size_t>(group.reduction)]; }
  // The position of a stage's axis along the lanes, or the rows: axes have the reduction's names, and a fused one the root's. -1: none.
  int lanes_of(const std::string& of) const;
  int rows_of(const std::string& of) const;
  int k_of(const std::string& of) const { return t.axis_named(of, k_name); }
  ir::Var variable(int axis) const { return axis_variable(t, stage, axis); }

  // Cuts k into parts of `length` steps, of which `stage` joins what `stage`.rf adds up; the parts' loop.
  std::string cut_k(const std::string& of, int64_t length);
  // The loops of a stage's axis, the last of exactly `width` iterations where that comes out even: neighbouring vectors of one thread merge into
  // one interval, from which the vector is cut off again.
  std::vector<schedule::Loop> loops_cut(const std::string& of, int axis, int64_t width) const;
  // Of these the one that is the vector; "": none.
  std::string vector_of(const std::string& of, int axis, int64_t width) const;
};

// Where each operand is read from: as it lies, in registers, through workgroup memory, or by lanes that have it from each other.
void load_operands(Accumulator& sums);
// Keeps a stage of f32 as f16.
void keep_half(TraceBuilder& t, const std::string& stage);
// A copy of an operand: as f16 where so chosen, in the operand's own type where products are packed.
void keep_narrow(Accumulator& sums, const std::string& stage);

}  // namespace hone::tuner
