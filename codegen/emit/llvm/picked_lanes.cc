#include "codegen/emit/llvm/picked_lanes.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/hash.h"
#include "codegen/ir/type.h"

namespace hone::emit {
namespace {

// Those that join a reduction by halves are a power of two, mostly no more than these; of more, each bit stands for several.
constexpr size_t kLanes = 64;

// A bit for the lane in which each value of the inputs lies, all of a value's; by bits. What fewer elements have than lanes is a lane each; a scalar is none.
std::unordered_map<uint32_t, uint64_t> lanes_of(const te::Program& program, const Inputs& inputs) {
  std::unordered_map<uint32_t, uint64_t> lanes;
  for (size_t p = 0; p < program.inputs.size(); ++p) {
    const ir::DType dtype = program.inputs[p]->dtype;
    const auto count = static_cast<uint64_t>(ir::element_count(program.inputs[p]->shape));
    const uint64_t seed = hash_mix(inputs.seed, p);
    for (uint64_t i = 0; i < count && count > 1; ++i) {
      const auto bits = ir::is_float(dtype) ? std::bit_cast<uint32_t>(real_at(inputs.ranges[p], seed, i)) : static_cast<uint32_t>(whole_at(inputs.ranges[p], seed, i));
      lanes[bits] |= uint64_t{1} << i % kLanes;
    }
  }
  return lanes;
}

}  // namespace

bool PickedLanes::add(const Inputs& inputs, const Outputs& outputs) {
  if (std::none_of(program_.computes.begin(), program_.computes.end(), [](const te::Compute& c) { return c.reduce.has_value(); })) return true;
  const auto lanes = lanes_of(program_, inputs);
  std::vector<uint64_t> found;
  size_t known = 0;
  for (const std::vector<float>& output : outputs)
    for (float value : output) {
      const auto place = lanes.find(std::bit_cast<uint32_t>(value));
      found.push_back(place == lanes.end() ? 0 : place->second);
      known += found.back() != 0 && found.size() <= seen_.size() && (found.back() & ~seen_[found.size() - 1]) == 0;
    }
  if (2 * known >= std::max<size_t>(1, found.size())) return false;
  seen_.resize(found.size());
  selects_ = std::any_of(found.begin(), found.end(), [](uint64_t lanes) { return lanes != 0; });
  for (size_t i = 0; i < found.size(); ++i) seen_[i] |= found[i];
  return true;
}

}  // namespace hone::emit
