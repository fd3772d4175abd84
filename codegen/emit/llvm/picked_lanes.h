// PickedLanes: from where in the inputs the results of a maximum and its like come. One that comes from a lane says nothing of the other lanes, so
// a further set of inputs is worth its while where its results come from others. Part of reference.
#pragma once
#include <bitset>
#include <cstdint>
#include <vector>

#include "codegen/emit/llvm/reference_run.h"
#include "codegen/te/program.h"

namespace hone::emit {

class PickedLanes {
 public:
  // 64, of which the last is five (picked_lanes.cc).
  static constexpr size_t kCount = 68;
  using Lanes = std::bitset<kCount>;

  // The program outlives it.
  explicit PickedLanes(const te::Program& program) : program_(program) {}

  // Of a program that reduces: false where at least half of the results are elements of an input, and come from lanes from which they came in a set
  // that was added. Else adds the set.
  bool add(const Inputs& inputs, const Outputs& outputs);
  // Are results of the program elements of its inputs?
  bool selects() const { return selects_; }

 private:
  const te::Program& program_;
  bool selects_ = false;
  std::vector<Lanes> seen_;  // of each result
};

}  // namespace hone::emit
