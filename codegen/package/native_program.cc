#include "codegen/package/native_program.h"

#include <algorithm>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/package/pack_tensor.h"

namespace hone::package {

namespace {

using emit::Binding;

constexpr int64_t kLine = 64;             // bytes of a line of cache
constexpr size_t kNativeDimensions = 32;  // HONE_DIMS_MAX

int64_t whole_lines(int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

class Placer {
 public:
  Placer(const graph::Graph& graph, const std::vector<graph::ValueId>& inputs, const NativePlan& native,
         WeightStore& weights)
      : graph_(graph), inputs_(inputs), native_(native), weights_(weights) {}

  Result<NativeProgram> place() {
    out_.level = native_.level;
    for (int64_t bytes : native_.plan.buffers) buffers_.push_back(reserve(bytes));
    temps_ = out_.memory_bytes;
    for (const PlanLaunch& launch : native_.plan.launches) {
      begins_.push_back(out_.launches.size());
      add_kernel(launch, native_.code.kernels[static_cast<size_t>(launch.kernel)]);
    }
    begins_.push_back(out_.launches.size());
    for (const PlanLoop& loop : native_.plan.loops) add_loop(loop);
    out_.memory_bytes += temp_bytes_;
    HONE_TRY(add_tensors());
    return std::move(out_);
  }

 private:
  int64_t reserve(int64_t bytes) {
    const int64_t at = out_.memory_bytes;
    out_.memory_bytes += whole_lines(bytes);
    return at;
  }

  // Kernels run one after the other, so their temporaries share one place.
  std::vector<int64_t> temps_of(const emit::NativeKernelCode& kernel) {
    std::vector<int64_t> at;
    int64_t bytes = 0;
    for (const emit::Temp& temp : kernel.temps) {
      at.push_back(temps_ + bytes);
      bytes += whole_lines(temp.bytes);
    }
    temp_bytes_ = std::max(temp_bytes_, bytes);
    return at;
  }

  void add_kernel(const PlanLaunch& call, const emit::NativeKernelCode& kernel) {
    const std::vector<int64_t> temps = temps_of(kernel);
    std::map<int, int64_t> arguments;
    for (size_t i = 0; i < kernel.arguments.size(); i++)
      arguments[kernel.arguments[i].position] = buffers_[static_cast<size_t>(call.buffers[i])];
    for (const emit::NativeLaunch& launch : kernel.launches) {
      NativeProgram::Launch row{launch.symbol, launch.extent, {}};
      for (const Binding& b : launch.bindings) {
        row.args.push_back(b.kind == Binding::Kind::kTemp ? temps[static_cast<size_t>(b.position)]
                                                          : arguments.at(b.position));
        out_.reach_bytes = std::max(out_.reach_bytes, whole_lines(b.reach_bytes));
      }
      out_.scratch_bytes = std::max(out_.scratch_bytes, whole_lines(launch.scratch_bytes));
      out_.launches.push_back(std::move(row));
    }
  }

  void add_loop(const PlanLoop& loop) {
    NativeProgram::Loop row{begins_[static_cast<size_t>(loop.first)], begins_[static_cast<size_t>(loop.last)], loop.condition ? -1 : loop.trips};
    if (loop.condition) row.condition = buffers_[static_cast<size_t>(*loop.condition)];
    out_.loops.push_back(row);
  }

  Result<NativeProgram::Place> place_of(const PlanTensor& tensor, size_t number) const {
    CHECK(ir::size_bytes(tensor.stored) == kElementBytes, "the C sources pack words of four bytes");
    const graph::Value& v = graph_.value(tensor.value);
    if (std::max(v.shape.size(), tensor.layout.dims.size()) > kNativeDimensions)
      return Error{ErrorCode::kUnsupported, cat("the value '", v.name, "' has ", v.shape.size(),
                                                " dimensions; native code knows ", kNativeDimensions)};
    return NativeProgram::Place{static_cast<uint32_t>(number), buffers_[static_cast<size_t>(tensor.buffer)],
                                tensor.layout};
  }

  Status add_tensors() {
    const ModelPlan& plan = native_.plan;
    for (const PlanTensor& constant : plan.constants) {
      HONE_ASSIGN(weight, weights_.add(constant.value));
      HONE_ASSIGN(place, place_of(constant, weight));
      out_.weights.push_back(std::move(place));
    }
    for (const PlanTensor& input : plan.inputs) {
      const auto number = std::find(inputs_.begin(), inputs_.end(), input.value) - inputs_.begin();
      HONE_ASSIGN(place, place_of(input, static_cast<size_t>(number)));
      out_.inputs.push_back(std::move(place));
    }
    for (size_t i = 0; i < plan.outputs.size(); i++) {
      HONE_ASSIGN(place, place_of(plan.outputs[i], i));
      out_.outputs.push_back(std::move(place));
    }
    return ok_status();
  }

  const graph::Graph& graph_;
  const std::vector<graph::ValueId>& inputs_;
  const NativePlan& native_;
  WeightStore& weights_;
  NativeProgram out_;
  std::vector<int64_t> buffers_;
  std::vector<size_t> begins_;  // of each launch of the plan, and behind the last one: its first among the program's
  int64_t temps_ = 0, temp_bytes_ = 0;
};

}  // namespace

Result<NativeProgram> native_program(const graph::Graph& graph, const std::vector<graph::ValueId>& inputs,
                                     const NativePlan& native, WeightStore& weights) {
  return Placer(graph, inputs, native, weights).place();
}

}  // namespace hone::package
