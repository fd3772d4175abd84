// Of Space: how the steps of a tile's reduction follow one another.
#include <algorithm>

#include "base/cat.h"
#include "tuner/space/space.h"

namespace hone::tuner {

namespace {

int64_t parts(int64_t whole, int64_t count) { return (whole + count - 1) / count; }

}  // namespace

void Space::add_step_decisions(const std::string& p, size_t index) {
  const int64_t k = extents_of(*task_, sketch_.groups[index]).k;
  const bool stages = target_.has_workgroup_memory && position(p + "operand0") >= 0;
  if (stages && k >= 8) add_unusual(p + "k.buffers", {1, 2});
}

// Of k, that a thread adds up one after the other before parts are joined.
int64_t Space::steps_of_sum(const Assignment& a, size_t index) const {
  const std::string p = prefix(index);
  const int64_t whole = parts(extents_of(*task_, sketch_.groups[index]).k, value(a, p + "k.slices", 1));
  if (const int64_t block = value(a, p + "k.block", 0)) return std::min(whole, block);
  if (value(a, p + "sums", 0)) return std::min(whole, half_steps(index));
  return parts(whole, value(a, p + "k.threads", 1));
}

bool Space::has_staged_operand(const Assignment& a, const std::string& p) const {
  for (int i = 0; i < kOperandsMax; ++i)
    if (value(a, cat(p, "operand", i), 0) == static_cast<int64_t>(Staging::kWorkgroup)) return true;
  return false;
}

void Space::repair_steps(Assignment& a, size_t index) const {
  const std::string p = prefix(index);
  const int64_t tile = std::max(value(a, p + "k.tile", 1), value(a, p + "k.lanes", 1));
  if (!has_staged_operand(a, p) || steps_of_sum(a, index) <= tile) lower(a, p + "k.buffers");
}

}  // namespace hone::tuner
