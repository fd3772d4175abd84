#include "codegen/emit/llvm/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "base/unspecified.h"
#include "codegen/emit/llvm/reference_jit.h"
#include "codegen/ir/numeric.h"
#include "codegen/lower/move_steps.h"
#include "codegen/lower/reference_loops.h"
#include "codegen/te/exact_inputs.h"
#include "codegen/te/value_ranges.h"

namespace hone::emit {
namespace {

using Bytes = std::vector<unsigned char>;

void fill(ir::DType dtype, int64_t count, ValueRange range, uint64_t seed, Bytes& bytes) {
  const size_t size = static_cast<size_t>(ir::size_bytes(dtype));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (ir::is_int(dtype)) {
      const int64_t value = whole_at(range, seed, i);
      std::memcpy(&bytes[i * size], &value, size);  // little-endian hosts
      continue;
    }
    const float value = real_at(range, seed, i);
    if (dtype == ir::DType::kF32) {
      std::memcpy(&bytes[i * size], &value, size);
      continue;
    }
    ir::Cell cell;
    cell.real = value;
    const uint64_t bits = ir::bits_of(dtype, ir::cast_cell(dtype, ir::DType::kF32, cell));
    std::memcpy(&bytes[i * size], &bits, size);
  }
}

std::vector<float> read(ir::DType dtype, int64_t count, const Bytes& bytes) {
  const size_t size = static_cast<size_t>(ir::size_bytes(dtype));
  std::vector<float> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size], size);
    if (dtype == ir::DType::kI32 || dtype == ir::DType::kU32) {
      std::memcpy(&out[i], &bits, sizeof(float));
      continue;
    }
    out[i] = static_cast<float>(ir::cast_cell(ir::DType::kF32, dtype, ir::cell_of_bits(dtype, bits)).real);
  }
  return out;
}

}  // namespace

uint64_t task_seed(const te::Task& task) { return hash_mix(0x686f6e65, task.id.lo); }

int64_t reference_bytes(const te::Task& task) {
  int64_t bytes = 0;
  for (te::Tensor input : task.program.inputs) bytes += ir::element_count(input->shape) * ir::size_bytes(input->dtype);
  for (const te::Compute& compute : task.program.computes)
    for (te::Tensor made : compute.outputs) bytes += ir::element_count(made->shape) * int64_t{sizeof(double)};
  return bytes;
}

namespace {

// Of a step: an argument that lies so near to a jump may fall on either side. A kernel's error is far below it where values have up to some
// hundred steps (8 bits: the tolerance of a sum of a thousand terms is 1/120 of a step); it leaves one element in fifty unspecified.
constexpr double kNearStep = 0.01;
// Where more than that is unspecified, the arguments lie on the jumps by their nature, and nothing is left out of the comparison.
constexpr double kUnspecifiedShareMax = 0.1;

using Outputs = std::vector<std::vector<float>>;

// What the reference computes on, too.
struct Inputs {
  uint64_t task_seed;
  std::vector<ValueRange> ranges;
};

Result<Outputs> run(const ir::Kernel& kernel, const Inputs& inputs, const CancelToken* cancel) {
  HONE_ASSIGN(jit, ReferenceJit::create(kernel));
  std::vector<Bytes> arrays;
  std::vector<void*> pointers;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const ir::BufferNode& buffer = *kernel.args[i];
    const int64_t count = ir::element_count(buffer.shape);
    arrays.emplace_back(static_cast<size_t>(count * ir::size_bytes(buffer.dtype)) + 16);
    if (static_cast<int>(i) < kernel.input_count) fill(buffer.dtype, count, inputs.ranges[i], hash_mix(inputs.task_seed, i), arrays.back());
  }
  for (Bytes& array : arrays) pointers.push_back(array.data());
  HONE_TRY(jit->run(pointers, {.cancel = cancel}));
  Outputs outputs;
  for (size_t i = static_cast<size_t>(kernel.input_count); i < kernel.args.size(); ++i)
    outputs.push_back(read(kernel.args[i]->dtype, ir::element_count(kernel.args[i]->shape), arrays[i]));
  return outputs;
}

// By how much an element may differ before it counts; whole numbers, whose bits these are, not at all.
double slack(const te::Task& task, ir::DType dtype, const std::vector<float>& output) {
  if (dtype == ir::DType::kI32 || dtype == ir::DType::kU32) return 0;
  float range = 0;
  for (float value : output) range = std::max(range, std::isfinite(value) ? std::fabs(value) : 0);
  return task.accuracy.tolerance() * range;
}

bool differs(float a, float b, ir::DType dtype, double slack) {
  if (dtype == ir::DType::kI32 || dtype == ir::DType::kU32) return std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b);
  return !(std::fabs(static_cast<double>(a) - b) <= slack) && !(std::isnan(a) && std::isnan(b));
}

// Elements of `output` that one of the others has on the other side of a jump.
std::vector<size_t> near_jumps(const te::Task& task, ir::DType dtype, const std::vector<float>& output,
                               const std::vector<float>& below, const std::vector<float>& above) {
  const double enough = slack(task, dtype, output);
  std::vector<size_t> found;
  for (size_t i = 0; i < output.size(); ++i)
    if (differs(below[i], output[i], dtype, enough) || differs(above[i], output[i], dtype, enough)) found.push_back(i);
  return found;
}

// Of the elements of outputs that saturate, how many do. Negative: no output does.
double saturated_share(const te::Task& task, const Outputs& outputs) {
  double at_ends = 0, all = 0;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::optional<ValueRange> ends = te::saturation_of(task.program, task.program.outputs[o]);
    if (!ends) continue;
    all += static_cast<double>(outputs[o].size());
    for (float value : outputs[o]) {
      const auto bits = std::bit_cast<int32_t>(value);
      at_ends += bits == static_cast<int32_t>(ends->low) || bits == static_cast<int32_t>(ends->high);
    }
  }
  return all > 0 ? at_ends / all : -1;
}

// A result of which all saturates tells nothing, and one of which nothing does leaves saturation untried. So floats that may take any size are
// scaled, by four at a time, until the share lies between these, or can't be brought there.
constexpr double kSaturatedShareMin = 1.0 / 16, kSaturatedShareMax = 0.5;
constexpr int kScalingsMax = 12;  // 4^12 is beyond the range of the products of 8-bit numbers that a window sums

// False where there is nothing to scale.
bool scale(const te::Task& task, double factor, std::vector<ValueRange>& ranges) {
  bool scaled = false;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (!ir::is_float(task.program.inputs[i]->dtype) || ranges[i].low != -ranges[i].high) continue;
    ranges[i] = {ranges[i].low * factor, ranges[i].high * factor};
    scaled = true;
  }
  return scaled;
}

Result<Outputs> run_saturating(const te::Task& task, const ir::Kernel& kernel, Inputs& inputs, const CancelToken* cancel) {
  HONE_ASSIGN(outputs, run(kernel, inputs, cancel));
  double direction = 0;
  for (int i = 0; i < kScalingsMax; ++i) {
    const double share = saturated_share(task, outputs);
    const double wanted = share < 0 ? 0 : share < kSaturatedShareMin ? 4 : share > kSaturatedShareMax ? 0.25 : 0;
    if (wanted == 0 || (direction != 0 && wanted != direction) || !scale(task, wanted, inputs.ranges)) break;
    direction = wanted;
    HONE_ASSIGN(again, run(kernel, inputs, cancel));
    outputs = std::move(again);
  }
  return outputs;
}

}  // namespace

namespace {

te::Accuracy usual_accuracy(const te::Task& task) { return {.reduction_length = task.accuracy.reduction_length}; }

// 0: the task owes no more than others, or rounds whatever its inputs.
int64_t exact_inputs_max(const te::Task& task) {
  return task.accuracy.tolerance() > usual_accuracy(task).tolerance() ? te::exact_inputs_max(task.program) : 0;
}

Result<Reference> exact_outputs(const te::Task& task, const ir::Kernel& kernel, Inputs inputs, int64_t max, const CancelToken* cancel) {
  const auto high = static_cast<double>(max);
  for (size_t i = 0; i < inputs.ranges.size(); ++i)
    if (ir::is_float(task.program.inputs[i]->dtype)) inputs.ranges[i] = {-high, high, 1};
  HONE_ASSIGN(outputs, run(kernel, inputs, cancel));
  return Reference{usual_accuracy(task).tolerance(), std::move(inputs.ranges), std::move(outputs)};
}

}  // namespace

Result<Reference> reference_outputs(const te::Task& task, uint64_t task_seed, const CancelToken* cancel) {
  HONE_ASSIGN(kernel, lower::reference_loops(task));
  Inputs inputs{task_seed, te::input_ranges(task.program)};
  if (const int64_t max = exact_inputs_max(task); max > 0) return exact_outputs(task, kernel, std::move(inputs), max, cancel);
  HONE_ASSIGN(outputs, run_saturating(task, kernel, inputs, cancel));
  const double tolerance = task.accuracy.tolerance();
  if (!lower::has_steps(kernel)) return Reference{tolerance, inputs.ranges, std::move(outputs)};
  HONE_ASSIGN(below, run(lower::with_steps_moved(kernel, -kNearStep), inputs, cancel));
  HONE_ASSIGN(above, run(lower::with_steps_moved(kernel, kNearStep), inputs, cancel));
  for (size_t o = 0; o < outputs.size(); ++o) {
    const ir::DType dtype = kernel.args[static_cast<size_t>(kernel.input_count) + o]->dtype;
    const std::vector<size_t> near = near_jumps(task, dtype, outputs[o], below[o], above[o]);
    if (static_cast<double>(near.size()) > kUnspecifiedShareMax * static_cast<double>(outputs[o].size())) continue;
    for (size_t i : near) outputs[o][i] = std::bit_cast<float>(kUnspecifiedBits);
  }
  return Reference{tolerance, inputs.ranges, std::move(outputs)};
}

}  // namespace hone::emit
