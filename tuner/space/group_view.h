// GroupView: a group of a sketch with what its decisions follow from.
#pragma once
#include "codegen/target/target.h"
#include "codegen/te/task.h"
#include "tuner/space/accesses.h"
#include "tuner/space/extents.h"
#include "tuner/space/sketch.h"

namespace hone::tuner {

// All outlive it.
struct GroupView {
  const te::Task& task;
  const target::Target& target;  // with subgroups of the largest size that can be asked for, where they differ in size
  const Group& group;
  const GroupWork& work;
  size_t index = 0;         // of the group
  bool is_variant = false;  // of a program that makes more of each rounding

  const te::Compute& compute(int i) const { return task.program.computes[static_cast<size_t>(i)]; }
  const te::Compute& root() const { return compute(group.root); }
  const te::Compute& reduction() const { return compute(group.reduction); }
  Extents extents() const { return extents_of(task, group); }
  bool on_cores() const { return target::on_cores(target.kind); }
  bool on_textures() const { return target::on_textures(target.kind); }
  // A reduction whose steps share what is read.
  bool has_k() const { return !group.row && group.k_axis >= 0 && has_lanes(); }
  // An output of one element has no loop under which a fragment's work could hang.
  bool has_lanes() const { return group.lane_axis >= 0; }
};

// By their number, those operands of the reduction that do not depend on the lanes.
std::vector<int> operands_across_lanes(const GroupView& view);
// Steps of k that a sum in f16 may take within the error that the task bears; 0: too few, or there is no such sum.
int64_t half_steps(const GroupView& view);

}  // namespace hone::tuner
