// Patches: neighbouring elements of a Map that one thread computes together, because each of them picks one of several expressions by its place in the
// patch (a test `axis == 2` or `axis % 4 == 2`) and all of them are made of the same values, which Maps before them compute.
#pragma once
#include <optional>
#include <vector>

#include "codegen/te/task.h"

namespace hone::tuner {

struct Patch {
  std::vector<int> between;  // Maps in front of the root that are inlined, in dependency order
  std::vector<int>
      parts;  // Maps read by the patch, or by its parts, alone, in dependency order: kept in the thread's registers
  std::vector<int64_t> extents;  // of the patch along the root's axes; 1 where neighbours have nothing in common
};

// The axes of a Map by which it picks an expression, with the period: 1 where it does not, the axis' extent where it tests the axis itself.
std::vector<int64_t> tested_axes(const te::Compute& compute);

// The patch that the Map `root` computes, together with Maps in front of it that it and they alone read, element by element; none where nothing is
// shared or where it would have more elements than a thread's registers hold.
std::optional<Patch> find_patch(const te::Task& task, int root);

}  // namespace hone::tuner
