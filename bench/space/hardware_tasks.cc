#include "bench/space/hardware_tasks.h"

#include <span>

#include "base/check.h"
#include "codegen/graph/import.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/reductions.h"

namespace hone::bench {

namespace {

using te::Builder;
using te::Tensor;

struct NamedSpec {
  const char *name, *spec;
};

// Products: square, of few rows and a long sum, of many rows and a short one. Windows: 3×3 with stride 1 and 2, 1×1, and one for each
// channel.
constexpr NamedSpec kSpecs[] = {{"product_square", "matmul:1024x1024x1024"},
                                {"product_flat", "matmul:48x640x2560"},
                                {"product_tall", "matmul:4096x96x192"},
                                {"window_3x3", "conv:1x96x40x40,96x96x3x3,pad=1"},
                                {"window_3x3_half", "conv:1x48x80x80,96x48x3x3,pad=1,stride=2"},
                                {"window_1x1", "conv:1x160x40x40,320x160x1x1"},
                                {"window_of_channels", "conv:1x192x40x40,192x1x3x3,pad=1,groups=192"}};

// Windows: 5×5, 3×3 with stride 1 and 2, of one channel, 1×1. Products of few rows, few columns, and neither.
constexpr NamedSpec kDesignSpecs[] = {{"design_window_5x5", "conv:1x32x56x56,64x32x5x5,pad=2"},
                                      {"design_window_3x3", "conv:1x128x14x14,128x128x3x3,pad=1"},
                                      {"design_window_3x3_half", "conv:1x64x56x56,128x64x3x3,pad=1,stride=2"},
                                      {"design_window_5x5_of_channels", "conv:1x96x56x56,96x1x5x5,pad=2,groups=96"},
                                      {"design_window_3x3_of_channels", "conv:1x256x28x28,256x1x3x3,pad=1,groups=256"},
                                      {"design_window_1x1", "conv:1x320x20x20,160x320x1x1"},
                                      {"design_product", "matmul:384x384x768"},
                                      {"design_product_flat", "matmul:16x2048x512"},
                                      {"design_product_flatter", "matmul:8x4096x1024"},
                                      {"design_product_tall", "matmul:2048x48x512"}};

te::Task task_of_builder(const char* name, Builder& b, Tensor y) {
  b.output(y);
  te::Task task;
  task.name = name;
  task.program = b.take();
  task.args.resize(task.program.inputs.size() + task.program.outputs.size());
  te::finish_task(task);
  return task;
}

te::Task rows_soft() {
  Builder b;
  auto y = te::softmax(b, b.input("x", ir::DType::kF32, {1536, 384}), {1}, false);
  CHECK(y.ok(), "rows of a soft choice");
  return task_of_builder("rows_soft", b, *y);
}

te::Task rows_standard() {
  Builder b;
  const Tensor x = b.input("x", ir::DType::kF32, {640, 768});
  const Tensor scale = b.input("scale", ir::DType::kF32, {768}), bias = b.input("bias", ir::DType::kF32, {768});
  auto y = te::standardize(b, x, {.axes = {1}, .scale = scale, .bias = bias});
  CHECK(y.ok(), "standardized rows");
  return task_of_builder("rows_standard", b, y->y);
}

te::Task sums() {
  Builder b;
  const te::Shape shape{1, 96, 80, 80};
  const auto x = te::Operand::of(b.input("x", ir::DType::kF32, shape)), y = te::Operand::of(b.input("y", ir::DType::kF32, shape));
  auto sum = te::elementwise(b, "sum", {x, y}, [](const std::vector<te::Sym>& v) { return v[0] + v[1]; });
  CHECK(sum.ok(), "sums of elements");
  return task_of_builder("sums", b, *sum);
}

std::vector<HardwareTask> tasks_of(std::span<const NamedSpec> specs) {
  std::vector<HardwareTask> all;
  for (const NamedSpec& named : specs) {
    auto task = graph::task_from_spec(named.spec);
    CHECK(task.ok(), task.error().message);
    all.push_back({named.name, std::move(*task)});
  }
  return all;
}

}  // namespace

std::vector<HardwareTask> design_tasks() { return tasks_of(kDesignSpecs); }

std::vector<HardwareTask> hardware_tasks() {
  std::vector<HardwareTask> all = tasks_of(kSpecs);
  all.push_back({"rows_soft", rows_soft()});
  all.push_back({"rows_standard", rows_standard()});
  all.push_back({"sums", sums()});
  return all;
}

}  // namespace hone::bench
