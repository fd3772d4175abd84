#include "codegen/emit/llvm/picked_lanes.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/hash.h"
#include "codegen/ir/type.h"

namespace hone::emit {
namespace {

// Those that join a reduction by halves are a power of two, mostly no more than these; of more, each lane stands for several. But where a loop or a join by
// halves ends one lane early it loses the last of 128, 256, 512 or 1024 (a workgroup's most threads): so the last lane of 64 is five, by the power of two before
// whose multiple it lies.
constexpr size_t kLanes = 64, kLastOfFew = 6, kLastOfMost = 10;  // the latter two: 64 and 1024 as powers of two
static_assert(kLanes + kLastOfMost - kLastOfFew == PickedLanes::kCount);

size_t lane_of(uint64_t element) {
  const uint64_t lane = element % kLanes;
  if (lane < kLanes - 1) return lane;
  return lane + std::min<size_t>(static_cast<size_t>(std::countr_one(element)), kLastOfMost) - kLastOfFew;
}

// The lanes in which the results' values lie in the inputs, all of a value's; by bits. What fewer elements have than lanes is a lane each; a scalar is none.
std::unordered_map<uint32_t, PickedLanes::Lanes> lanes_of(const te::Program& program, const Inputs& inputs, const Outputs& outputs) {
  std::unordered_map<uint32_t, PickedLanes::Lanes> lanes;
  for (const std::vector<float>& output : outputs)
    for (float value : output) lanes[std::bit_cast<uint32_t>(value)];
  for (size_t p = 0; p < program.inputs.size(); ++p) {
    const ir::DType dtype = program.inputs[p]->dtype;
    const auto count = static_cast<uint64_t>(ir::element_count(program.inputs[p]->shape));
    const uint64_t seed = hash_mix(inputs.seed, p);
    for (uint64_t i = 0; i < count && count > 1; ++i) {
      const auto bits = ir::is_float(dtype) ? std::bit_cast<uint32_t>(real_at(inputs.ranges[p], seed, i)) : static_cast<uint32_t>(whole_at(inputs.ranges[p], seed, i));
      if (const auto result = lanes.find(bits); result != lanes.end()) result->second.set(lane_of(i));
    }
  }
  return lanes;
}

}  // namespace

bool PickedLanes::add(const Inputs& inputs, const Outputs& outputs) {
  if (std::none_of(program_.computes.begin(), program_.computes.end(), [](const te::Compute& c) { return c.reduce.has_value(); })) return true;
  const auto lanes = lanes_of(program_, inputs, outputs);
  std::vector<Lanes> found;
  size_t known = 0;
  for (const std::vector<float>& output : outputs)
    for (float value : output) {
      found.push_back(lanes.at(std::bit_cast<uint32_t>(value)));
      known += found.back().any() && found.size() <= seen_.size() && (found.back() & ~seen_[found.size() - 1]).none();
    }
  if (2 * known >= std::max<size_t>(1, found.size())) return false;
  seen_.resize(found.size());
  selects_ = std::any_of(found.begin(), found.end(), [](const Lanes& lanes) { return lanes.any(); });
  for (size_t i = 0; i < found.size(); ++i) seen_[i] |= found[i];
  return true;
}

}  // namespace hone::emit
