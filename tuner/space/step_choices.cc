// Of Space: how the steps of a tile's reduction follow one another.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/packed_product.h"
#include "tuner/space/space.h"

namespace hone::tuner {

namespace {

int64_t parts(int64_t whole, int64_t count) { return (whole + count - 1) / count; }

}  // namespace

void Space::add_step_decisions(const std::string& p, size_t index) {
  const int64_t k = extents_of(*task_, sketch_.groups[index]).k;
  const bool stages = target_.has_workgroup_memory && position(p + "operand0") >= 0;
  if (stages && k >= 8) add_unusual(p + "k.buffers", {1, 2});
  if (k >= 4) add_unusual(p + "k.unroll", k >= 8 ? std::vector<int64_t>{1, 2, 4} : std::vector<int64_t>{1, 2});
  if (stages && !operands_across_lanes(index).empty()) add_unusual(p + "k.pad", {0, 1});
}

// Of k, that a thread adds up one after the other before parts are joined.
int64_t Space::steps_of_sum(const Assignment& a, size_t index) const {
  const std::string p = prefix(index);
  const int64_t whole = parts(extents_of(*task_, sketch_.groups[index]).k, value(a, p + "k.slices", 1));
  if (const int64_t block = value(a, p + "k.block", 0)) return std::min(whole, block);
  if (value(a, p + "sums", 0)) return std::min(whole, half_steps(index));
  return parts(whole, value(a, p + "k.threads", 1));
}

bool Space::is_held(const Assignment& a, const std::string& p, int operand, Staging where) const {
  return value(a, cat(p, "operand", operand), 0) == static_cast<int64_t>(where);
}

bool Space::has_operand(const Assignment& a, const std::string& p, Staging where) const {
  for (int i = 0; i < kOperandsMax; ++i)
    if (is_held(a, p, i, where)) return true;
  return false;
}

void Space::repair_steps(Assignment& a, size_t index) const {
  const std::string p = prefix(index);
  const bool packed = value(a, p + "products", 0) != 0;
  const int64_t lanes = packed ? schedule::kPackedProducts : value(a, p + "k.lanes", 1);
  const int64_t tile = std::max(value(a, p + "k.tile", 1), lanes), steps = steps_of_sum(a, index);
  const bool staged = has_operand(a, p, Staging::kWorkgroup);
  const std::vector<int> across = operands_across_lanes(index);
  if (!staged || steps <= tile) lower(a, p + "k.buffers");
  if (packed ||
      std::none_of(across.begin(), across.end(), [&](int i) { return is_held(a, p, i, Staging::kWorkgroup); }))
    lower(a, p + "k.pad");
  const auto fits = [&](int64_t copies) {
    if (has_operand(a, p, Staging::kLane)) return copies == 1;  // their tiles are straight-line code
    return staged ? tile / lanes % copies == 0 : 2 * copies * lanes <= steps;
  };
  while (!fits(value(a, p + "k.unroll", 1)) && lower(a, p + "k.unroll")) {}
}

}  // namespace hone::tuner
