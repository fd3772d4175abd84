#include "codegen/emit/llvm/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"
#include "base/unspecified.h"
#include "codegen/emit/llvm/picked_lanes.h"
#include "codegen/lower/move_steps.h"
#include "codegen/lower/reference_loops.h"
#include "codegen/te/exact_inputs.h"
#include "codegen/te/value_ranges.h"

namespace hone::emit {

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

Result<Outputs> run_saturating(const te::Task& task, const ReferenceRun& run, Inputs& inputs, const CancelToken* cancel) {
  HONE_ASSIGN(outputs, run(inputs, cancel));
  double direction = 0;
  for (int i = 0; i < kScalingsMax; ++i) {
    const double share = saturated_share(task, outputs);
    const double wanted = share < 0 ? 0 : share < kSaturatedShareMin ? 4 : share > kSaturatedShareMax ? 0.25 : 0;
    if (wanted == 0 || (direction != 0 && wanted != direction) || !scale(task, wanted, inputs.ranges)) break;
    direction = wanted;
    HONE_ASSIGN(again, run(inputs, cancel));
    outputs = std::move(again);
  }
  return outputs;
}

te::Accuracy usual_accuracy(const te::Task& task) { return {.reduction_length = task.accuracy.reduction_length}; }

// 0: the task owes no more than others, or rounds whatever its inputs.
int64_t exact_inputs_max(const te::Task& task) {
  return task.accuracy.tolerance() > usual_accuracy(task).tolerance() ? te::exact_inputs_max(task.program) : 0;
}

// The definition with the arguments of its steps moved to either side; none where it has no steps, or no value is rounded.
Result<std::vector<ReferenceRun>> moved_runs(const ir::Kernel& kernel, bool exact) {
  std::vector<ReferenceRun> runs;
  if (exact || !lower::has_steps(kernel)) return runs;
  for (double by : {-kNearStep, kNearStep}) {
    HONE_ASSIGN(run, ReferenceRun::create(lower::with_steps_moved(kernel, by)));
    runs.push_back(std::move(run));
  }
  return runs;
}

class Computation {
 public:
  static Result<Computation> create(const te::Task& task, uint64_t task_seed) {
    HONE_ASSIGN(kernel, lower::reference_loops(task));
    const int64_t exact_max = exact_inputs_max(task);
    HONE_ASSIGN(moved, moved_runs(kernel, exact_max > 0));
    HONE_ASSIGN(run, ReferenceRun::create(std::move(kernel)));
    return Computation(task, task_seed, std::move(run), std::move(moved), exact_max);
  }

  // On the first set of inputs, which settles the ranges of all.
  Result<Outputs> first(const CancelToken* cancel) {
    if (exact_max_ > 0) return further(task_seed_, cancel);
    HONE_ASSIGN(outputs, run_saturating(task_, run_, inputs_, cancel));
    HONE_TRY(leave_out_jumps(outputs, inputs_, cancel));
    return outputs;
  }

  Result<Outputs> further(uint64_t seed, const CancelToken* cancel) {
    const Inputs inputs{seed, inputs_.ranges};
    HONE_ASSIGN(outputs, run_(inputs, cancel));
    HONE_TRY(leave_out_jumps(outputs, inputs, cancel));
    return outputs;
  }

  Inputs inputs(uint64_t seed) const { return {seed, inputs_.ranges}; }
  const std::vector<ValueRange>& ranges() const { return inputs_.ranges; }
  double tolerance() const { return exact_max_ > 0 ? usual_accuracy(task_).tolerance() : task_.accuracy.tolerance(); }

 private:
  Computation(const te::Task& task, uint64_t task_seed, ReferenceRun run, std::vector<ReferenceRun> moved, int64_t exact_max)
      : task_(task), task_seed_(task_seed), run_(std::move(run)), moved_(std::move(moved)), exact_max_(exact_max), inputs_{task_seed, te::input_ranges(task.program)} {
    for (size_t i = 0; i < inputs_.ranges.size() && exact_max > 0; ++i)
      if (const auto high = static_cast<double>(exact_max); ir::is_float(task.program.inputs[i]->dtype)) inputs_.ranges[i] = {-high, high, 1};
  }

  Status leave_out_jumps(Outputs& outputs, const Inputs& inputs, const CancelToken* cancel) const {
    if (moved_.empty()) return ok_status();
    HONE_ASSIGN(below, moved_[0](inputs, cancel));
    HONE_ASSIGN(above, moved_[1](inputs, cancel));
    for (size_t o = 0; o < outputs.size(); ++o) {
      const std::vector<size_t> near = near_jumps(task_, task_.program.outputs[o]->dtype, outputs[o], below[o], above[o]);
      if (static_cast<double>(near.size()) > kUnspecifiedShareMax * static_cast<double>(outputs[o].size())) continue;
      for (size_t i : near) outputs[o][i] = std::bit_cast<float>(kUnspecifiedBits);
    }
    return ok_status();
  }

  const te::Task& task_;
  uint64_t task_seed_;
  ReferenceRun run_;
  std::vector<ReferenceRun> moved_;
  int64_t exact_max_;
  Inputs inputs_;
};

// A small result tells little: a maximum hides what is wrong with every other element, and of few whole numbers two may be equal. So there are
// so many sets that this many results are compared (of them all, a mistake that shows in one of 200 escapes in one case of 170), as long as the elements of all sets take no more than 1 MiB.
constexpr int64_t kResultsMin = 1024, kSetsMax = 32, kSetsOfSelectionMax = kInputSetsMax;
constexpr int64_t kElementsOfSets = 1 << 18;
static_assert(kSetsOfSelectionMax == PickedLanes::kCount);

int64_t elements_of(const std::vector<te::Tensor>& tensors) {
  int64_t elements = 0;
  for (te::Tensor tensor : tensors) elements += ir::element_count(tensor->shape);
  return std::max<int64_t>(1, elements);
}

// What was reduced on the way counts, however many elements are made of it: what is wrong with one row shows in one row.
int64_t results_of(const te::Program& program) {
  int64_t results = elements_of(program.outputs);
  for (const te::Compute& compute : program.computes)
    if (compute.reduce) results = std::min(results, elements_of(compute.outputs));
  return results;
}

// The last of 256 lanes is missed by so many draws in one case of 3000, the last of 1024 in one of 7.
constexpr uint64_t kDrawsMax = 2048;

// draws_max: the last is taken as it is, and is the last for all sets: those that drew before have seen what there is (each result of a pooling window is
// one of a few elements).
Result<std::pair<uint64_t, Outputs>> further_set(Computation& computation, PickedLanes& picked, uint64_t first_seed, uint64_t& draws_max, const CancelToken* cancel) {
  for (uint64_t draw = 0;; ++draw) {
    const uint64_t seed = draw == 0 ? first_seed : hash_mix(first_seed, draw);
    HONE_ASSIGN(outputs, computation.further(seed, cancel));
    const bool tells_more = draws_max > 1 && picked.add(computation.inputs(seed), outputs);
    if (!tells_more && draw + 1 < draws_max) continue;
    if (!tells_more) draws_max = 1;
    return std::pair(seed, std::move(outputs));
  }
}

size_t input_sets(const te::Program& program, bool selects) {
  const int64_t results = results_of(program), elements = elements_of(program.inputs) + elements_of(program.outputs);
  const int64_t wanted = std::min((kResultsMin + results - 1) / results, selects ? kSetsOfSelectionMax : kSetsMax);
  return static_cast<size_t>(std::clamp<int64_t>(kElementsOfSets / elements, 1, wanted));
}

// The definition, and it with the arguments of its steps moved to either side.
constexpr double kDefinitions = 3;

}  // namespace

int64_t reference_result_bytes(const te::Task& task) {
  return std::max(elements_of(task.program.outputs), kElementsOfSets) * int64_t{sizeof(float)};
}

double reference_operations_max(const te::Task& task) {
  double elements = static_cast<double>(elements_of(task.program.inputs));
  for (const te::Compute& compute : task.program.computes) elements += static_cast<double>(elements_of(compute.outputs));
  const auto further_sets = static_cast<double>(input_sets(task.program, true) - 1);
  const double runs = 1 + kScalingsMax + further_sets * static_cast<double>(kDrawsMax);
  return kDefinitions * runs * (task.flops + elements);
}

Result<Reference> reference_outputs(const te::Task& task, uint64_t task_seed, const CancelToken* cancel) {
  HONE_ASSIGN(computation, Computation::create(task, task_seed));
  HONE_ASSIGN(first, computation.first(cancel));
  Reference reference{computation.tolerance(), computation.ranges(), {std::move(first)}, {}};
  PickedLanes picked(task.program);
  picked.add(computation.inputs(task_seed), reference.sets[0]);
  uint64_t draws_max = kDrawsMax;
  while (reference.sets.size() < input_sets(task.program, picked.selects())) {
    HONE_ASSIGN(set, further_set(computation, picked, hash_mix(~task_seed, reference.sets.size()), draws_max, cancel));
    reference.more_seeds.push_back(set.first);
    reference.sets.push_back(std::move(set.second));
  }
  return reference;
}

}  // namespace hone::emit
