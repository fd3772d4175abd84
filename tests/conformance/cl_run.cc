#include "tests/conformance/cl_run.h"

#include <map>

#include "base/cat.h"
#include "browser-agent/opencl/cl_environment.h"
#include "tests/conformance/judge.h"

namespace hone::conformance {
namespace {

constexpr uint32_t kUnwritten = 0xffffffff;  // of floats a NaN

using Key = std::pair<emit::Binding::Kind, int>;
using Buffers = std::map<Key, std::shared_ptr<agent::ClBuffer>>;

Result<Buffers> make_buffers(const agent::ClDevice& device, const emit::KernelSource& source) {
  std::map<Key, int64_t> bytes;
  for (const emit::LaunchSource& launch : source.launches)
    for (const emit::Binding& b : launch.bindings) {
      int64_t& most = bytes[{b.kind, b.position}];
      most = std::max(most, b.bytes);
    }
  Buffers buffers;
  for (const auto& [key, size] : bytes) {
    HONE_ASSIGN(buffer, agent::ClBuffer::make(device, size, kUnwritten));
    buffers[key] = std::move(buffer);
  }
  return buffers;
}

Status run_all(const agent::ClDevice& device, const emit::KernelSource& source, const Buffers& buffers) {
  agent::ClRow row;
  for (const emit::LaunchSource& launch : source.launches) {
    std::vector<agent::ClBinding> bound;
    for (const emit::Binding& b : launch.bindings)
      bound.push_back({buffers.at({b.kind, b.position}), b.writes, b.bytes});
    HONE_ASSIGN(program, agent::ClProgram::build(device, launch.code));
    HONE_ASSIGN(ready, agent::ClLaunch::create(device, program, std::move(bound),
                                               {launch.grid[0], launch.grid[1], launch.grid[2]}));
    HONE_TRY(ready->enqueue());
    row.push_back(std::move(ready));
  }
  return device.finish();
}

std::shared_ptr<agent::ClBuffer> argument(const Buffers& buffers, size_t i) {
  const auto found = buffers.find({emit::Binding::Kind::kArg, static_cast<int>(i)});
  return found == buffers.end() ? nullptr : found->second;
}

Status fill_inputs(const Buffers& buffers, const std::vector<ir::Layout>& layouts, const TaskValues& values,
                   size_t input_count) {
  for (size_t i = 0; i < input_count; i++)
    if (const auto buffer = argument(buffers, i); buffer && values.args[i].size() > 0)
      HONE_TRY(buffer->write(stored_bytes(ir::to_physical(values.args[i], layouts[i]))));
  return ok_status();
}

Result<std::string> fault_of_output(const Buffers& buffers, const ir::Layout& layout, const TaskValues& values,
                                    size_t i) {
  if (values.args[i].size() == 0) return std::string();
  const auto buffer = argument(buffers, i);
  if (!buffer) return std::string("is not written");
  HONE_ASSIGN(stored, buffer->read(buffer->bytes()));
  return stored_difference(values.args[i], stored, layout, values.tolerance);
}

}  // namespace

Arithmetic OpenCl::arithmetic() const {
  return device->number(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM ? Arithmetic::kIeee : Arithmetic::kShader;
}

Result<OpenCl> open_opencl() {
  OpenCl opened;
  HONE_ASSIGN(folder, native::WorkFolder::make("hone-opencl"));
  agent::prepare_cl_drivers(folder->path(), 2);
  HONE_ASSIGN(device, agent::ClDevice::open());
  opened.folder = std::move(folder);
  opened.device = std::move(device);
  return opened;
}

std::string run_on_cl(const agent::ClDevice& device, const emit::KernelSource& source,
                      const std::vector<ir::Layout>& layouts, const TaskValues& values, size_t input_count) {
  const auto buffers = make_buffers(device, source);
  if (!buffers.ok()) return buffers.error().message;
  const Status filled = fill_inputs(*buffers, layouts, values, input_count);
  if (!filled.ok()) return filled.error().message;
  const Status ran = run_all(device, source, *buffers);
  if (!ran.ok()) return ran.error().message;
  for (size_t i = input_count; i < values.args.size(); i++) {
    const auto fault = fault_of_output(*buffers, layouts[i], values, i);
    if (!fault.ok()) return fault.error().message;
    if (!fault->empty()) return cat("output ", i - input_count, " ", *fault);
  }
  for (const auto& [key, buffer] : *buffers) {
    const auto whole = buffer->mend_slack();
    if (!whole.ok()) return whole.error().message;
    if (!*whole) return cat("it wrote beside buffer ", key.second);
  }
  return "";
}

}  // namespace hone::conformance
