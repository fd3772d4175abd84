#include "tests/conformance/kernel_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/cat.h"
#include "codegen/package/plan_frames.h"
#include "server/agents/frames.h"
#include "server/jobs/limits.h"
#include "tests/conformance/judge.h"

namespace hone::conformance {
namespace {

using Slot = std::pair<emit::Binding::Kind, int>;

const ir::Layout& layout_of(const PlannedKernel& kernel, size_t position) {
  for (const emit::ArgLayout& wanted : kernel.source.layouts)
    if (wanted.position == static_cast<int>(position)) return wanted.layout;
  return kernel.subject->task.args[position].layout;
}

// The argument as the kernel reads it.
ir::TensorValue value_of(const PlannedKernel& kernel, size_t position) {
  const ir::TensorValue& value = kernel.subject->values.args[position];
  for (const emit::ArgLayout& wanted : kernel.source.layouts)
    if (wanted.position == static_cast<int>(position) && wanted.stored == ir::DType::kF16)
      return ir::rounded(value, wanted.stored);
  return value;
}

size_t stored_size(const ir::TensorValue& value, const ir::Layout& layout) {
  return static_cast<size_t>(ir::element_count(ir::physical_shape(value.shape, layout)) * ir::size_bytes(value.dtype));
}

bool has_pads(const ir::TensorValue& value, const ir::Layout& layout) {
  return ir::element_count(ir::physical_shape(value.shape, layout)) != static_cast<int64_t>(value.size());
}

// The bytes that the kernel's bindings of each buffer need. What no launch binds has no buffer.
std::map<Slot, const emit::Binding*> largest_bindings(const emit::KernelSource& source) {
  std::map<Slot, const emit::Binding*> out;
  for (const emit::LaunchSource& launch : source.launches)
    for (const emit::Binding& b : launch.bindings) {
      const emit::Binding*& known = out[{b.kind, b.position}];
      if (!known || known->bytes < b.bytes) known = &b;
    }
  return out;
}

bool is_bound(const emit::KernelSource& source, size_t position) {
  return largest_bindings(source).contains({emit::Binding::Kind::kArg, static_cast<int>(position)});
}

class Assembly {
 public:
  Assembly(KernelPlan& plan, server::BlobStore& blobs) : plan_(plan), blobs_(blobs) {}

  void add(const PlannedKernel& kernel) {
    buffers_.clear();
    for (const auto& [slot, binding] : largest_bindings(kernel.source)) add_buffer(kernel, slot, *binding);
    const size_t inputs = kernel.subject->task.program.inputs.size();
    for (size_t i = 0; i < kernel.subject->values.args.size(); ++i)
      if (is_bound(kernel.source, i)) i < inputs ? add_input(kernel, i) : add_output(kernel, i);
    for (const emit::LaunchSource& launch : kernel.source.launches) add_launch(launch);
  }

 private:
  void add_buffer(const PlannedKernel& kernel, const Slot& slot, const emit::Binding& binding) {
    size_t bytes = static_cast<size_t>(binding.bytes);
    if (slot.first == emit::Binding::Kind::kArg) {
      const auto position = static_cast<size_t>(slot.second);
      bytes = std::max(bytes, stored_size(value_of(kernel, position), layout_of(kernel, position)));
    }
    buffers_[slot] = static_cast<uint32_t>(plan_.frame.buffers.size());
    plan_.frame.buffers.push_back(std::max<size_t>(16, (bytes + 15) / 16 * 16));
    if (binding.texture.layers == 0) return;
    if (!plan_.frame.textures) plan_.frame.textures.emplace();
    plan_.frame.textures->push_back(package::texture_frame(binding.texture, emit::texel_type(binding.element)));
  }

  void add_input(const PlannedKernel& kernel, size_t i) {
    const ir::TensorValue value = value_of(kernel, i);
    if (value.size() > 0) fill(i, stored_bytes(ir::to_physical(value, layout_of(kernel, i))));
  }

  void add_output(const PlannedKernel& kernel, size_t i) {
    const ir::TensorValue& value = kernel.subject->values.args[i];
    if (value.size() == 0) return;
    const size_t bytes = stored_size(value, layout_of(kernel, i));
    if (has_pads(value, layout_of(kernel, i))) fill(i, std::string(bytes, '\xff'));
    plan_.frame.outputs.push_back({.buffer = buffer_of_argument(i), .bytes = bytes});
  }

  void add_launch(const emit::LaunchSource& launch) {
    protocol::PlanKernel kernel{.scratch_bytes = static_cast<uint32_t>(launch.scratch_bytes)};
    protocol::PlanLaunch out{.kernel = static_cast<uint32_t>(plan_.frame.kernels.size())};
    for (size_t d = 0; d < out.grid.size(); ++d) out.grid[d] = static_cast<uint32_t>(launch.grid[d]);
    for (const emit::Binding& b : launch.bindings) {
      kernel.writes.push_back(b.writes);
      out.buffers.push_back(buffers_.at({b.kind, b.position}));
      out.binding_bytes.push_back(static_cast<uint64_t>(b.bytes));
    }
    const server::BlobPtr code = put(launch.code);
    kernel.sha256 = code->sha256;
    kernel.bytes = code->bytes.size();
    plan_.frame.kernels.push_back(std::move(kernel));
    plan_.frame.launches.push_back(std::move(out));
  }

  void fill(size_t argument, std::string bytes) {
    const server::BlobPtr blob = put(std::move(bytes));
    plan_.frame.constants.push_back(
        {.buffer = buffer_of_argument(argument), .sha256 = blob->sha256, .bytes = blob->bytes.size()});
  }
  uint32_t buffer_of_argument(size_t i) const { return buffers_.at({emit::Binding::Kind::kArg, static_cast<int>(i)}); }
  server::BlobPtr put(std::string bytes) {
    plan_.blobs.push_back(blobs_.put(std::move(bytes)));
    return plan_.blobs.back();
  }

  KernelPlan& plan_;
  server::BlobStore& blobs_;
  std::map<Slot, uint32_t> buffers_;  // of the kernel that is added
};

// "" if the kernel's outputs, which stand first in `outputs` and are taken from it, are right.
std::string fault_of(const PlannedKernel& kernel, std::string_view& outputs) {
  const size_t inputs = kernel.subject->task.program.inputs.size();
  const TaskValues& values = kernel.subject->values;
  std::string fault;
  for (size_t i = inputs; i < values.args.size(); ++i) {
    if (values.args[i].size() == 0) continue;
    std::string wrong = "is not written";
    if (is_bound(kernel.source, i)) {
      const ir::Layout& layout = layout_of(kernel, i);
      const std::string_view stored = outputs.substr(0, stored_size(values.args[i], layout));
      outputs.remove_prefix(stored.size());
      wrong = stored_difference(values.args[i], stored, layout, values.tolerance);
    }
    if (fault.empty() && !wrong.empty()) fault = cat("output ", i - inputs, " ", wrong);
  }
  return fault;
}

}  // namespace

KernelPlan plan_of(std::span<const PlannedKernel> kernels, server::BlobStore& blobs) {
  KernelPlan plan;
  Assembly assembly(plan, blobs);
  for (const PlannedKernel& kernel : kernels) assembly.add(kernel);
  plan.frame.cap_ms = server::kPlanCapMs + server::kPlanCapMsPerKernel * static_cast<double>(plan.frame.kernels.size());
  return plan;
}

std::vector<std::string> faults_of(std::span<const PlannedKernel> kernels, std::string_view outputs) {
  std::vector<std::string> faults;
  for (const PlannedKernel& kernel : kernels) faults.push_back(fault_of(kernel, outputs));
  return faults;
}

}  // namespace hone::conformance
