// What only some devices have is a decision of the space there, and right.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/graph/import.h"
#include "codegen/te/narrow.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/matrix.h"
#include "tuner/space/sampled_result.h"

namespace hone::tuner {
namespace {

using ir::DType;

te::Task finished(te::Builder& b, bool free_weights) {
  te::Task task;
  task.program = te::narrow_types(b.take());
  task.args.resize(3);
  if (free_weights) task.args[1] = {te::Role::kConstant, {}, true};
  for (size_t i = 0; i < 3; ++i) {
    const ir::Shape& shape = (i < 2 ? task.program.inputs[i] : task.program.outputs[0])->shape;
    if (shape.size() == 4) task.args[i].layout = ir::permuted_layout(shape, {0, 2, 3, 1});
  }
  task.args[2].role = te::Role::kOutput;
  te::finish_task(task);
  return task;
}

te::Task product(DType type, int64_t m, int64_t n, int64_t k, bool free_weights) {
  te::Builder b;
  const te::Tensor x = b.input("A", type, {m, k}), y = b.input("B", type, {k, n});
  b.output(*te::matmul(b, x, y));
  return finished(b, free_weights);
}

te::Task window(DType type, int64_t channels, int64_t size) {
  te::Builder b;
  const te::Tensor x = b.input("X", type, {1, channels, size, size}), w = b.input("W", type, {8, channels, 3, 3});
  te::ConvParams params;
  params.window = {.pad_begin = {1, 1}, .pad_end = {1, 1}};
  b.output(*te::conv(b, x, w, params));
  return finished(b, true);
}

// Given products and padded windows over 8-bit numbers, whose extents tiles divide and do not, when their space is derived for a device with
// packed products, then some schedules use them and are exact; without them, or for other numbers, there is no such choice.
TEST(DeviceFeatures, PackedProductsAreAChoice) {
  target::Target target = target::webgpu_default();
  target.has_packed_products = true;
  const auto packs = [](const schedule::Trace& t) {
    return schedule::trace_to_json(t).find("[\"precision\"") != std::string::npos;
  };
  for (const te::Task& task : {product(DType::kI8, 16, 24, 32, true), product(DType::kU8, 13, 20, 18, false),
                               window(DType::kI8, 8, 6), window(DType::kU8, 6, 5)}) {
    EXPECT_GE(right_with(task, target, "products", packs), kSamples / 2) << te::canonical_text(task);
    EXPECT_FALSE(has_decision(task, target::webgpu_default(), "products"));
  }
  EXPECT_FALSE(has_decision(*graph::task_from_spec("matmul:16x24x32"), target, "products"));
}

// Given products with few outputs and long sums, when their space is derived for devices with subgroups, then threads that share a sum may join
// their parts as lanes, shorter and longer than a subgroup, and are right; without subgroups there is no such choice.
TEST(DeviceFeatures, SubgroupsJoinPartsOfSums) {
  const auto lanes = [](const schedule::Trace& t) {
    return std::any_of(t.steps.begin(), t.steps.end(), [](const schedule::Step& s) { return s.option == "lane"; });
  };
  for (const char* spec : {"matmul:8x12x256", "matmul:1x40x128", "conv:1x32x3x3,8x32x3x3,pad=1"}) {
    const te::Task task = *graph::task_from_spec(spec);
    for (int64_t size : {4, 32}) {
      target::Target target = target::webgpu_default();
      target.subgroup_size = size;
      EXPECT_GE(right_with(task, target, "k.join", lanes), kSamples / 3) << spec;
    }
    EXPECT_FALSE(has_decision(task, target::webgpu_default(), "k.join")) << spec;
  }
}

// Given products on a device whose subgroups have 4 or 32 threads, when their space is derived, then schedules whose lanes exchange ask for one of these
// sizes, each for each at times, the others for none, and they are right; a device that takes no such kernel has no exchange.
TEST(DeviceFeatures, SubgroupsThatDifferInSizeAreAskedFor) {
  target::Target target = target::webgpu_default();
  target.subgroup_sizes = {4, 32};
  std::set<int64_t> asked;
  const auto asks = [&asked](const schedule::Trace& t) {
    bool exchanges = false, is_asked = false;
    for (const schedule::Step& s : t.steps) {
      exchanges |= s.option == "lane";
      is_asked |= s.primitive == schedule::Primitive::kSubgroup;
      if (s.primitive == schedule::Primitive::kSubgroup) asked.insert(s.factors[0]);
    }
    EXPECT_EQ(exchanges, is_asked) << schedule::trace_to_json(t);
    return is_asked;
  };
  for (const char* spec : {"matmul:8x12x256", "matmul:1x40x128"}) {
    const te::Task task = *graph::task_from_spec(spec);
    for (int64_t size : target.subgroup_sizes)
      EXPECT_GE(right_with(task, target, "subgroup.size", asks, size), kSamples / 4)
          << spec << ", subgroups of " << size;
    EXPECT_FALSE(has_decision(task, target::webgpu_default(), "subgroup.size")) << spec;
  }
  EXPECT_EQ(asked, (std::set<int64_t>{4, 32}));
}

// Given products and windows whose rows' threads read the same of one operand, when their space is derived for devices with subgroups, then each
// lane may load a part of it and have the rest from the others, in rows as long as a subgroup and shorter, and is right.
TEST(DeviceFeatures, LanesHaveOperandsFromEachOther) {
  const auto spreads = [](const schedule::Trace& t) {
    return std::any_of(t.steps.begin(), t.steps.end(), [](const schedule::Step& s) {
      return s.primitive == schedule::Primitive::kCacheRead && s.option == "lane";
    });
  };
  for (const char* spec : {"matmul:16x32x32", "matmul:24x40x36", "conv:1x8x6x6,16x8x3x3,pad=1"}) {
    const te::Task task = *graph::task_from_spec(spec);
    for (int64_t size : {4, 32}) {
      target::Target target = target::webgpu_default();
      target.subgroup_size = size;
      const int right =
          right_with(task, target, "operand0", spreads, 3) + right_with(task, target, "operand1", spreads, 3);
      EXPECT_GE(right, kSamples / 2) << spec << " subgroups of " << size;
    }
  }
}

}  // namespace
}  // namespace hone::tuner
