#include "tests/wasm/corpus.h"

#include <cmath>
#include <fstream>
#include <limits>

#include "base/base64.h"
#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/emit/llvm/emit_wasm.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/numeric.h"
#include "codegen/ir/parser.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/evaluate.h"

namespace hone {

std::vector<ir::TensorValue> stored_args(const TaskValues& values, const ir::Kernel& kernel) {
  std::vector<ir::TensorValue> args;
  for (const ir::TensorValue& value : values.args)
    args.push_back(value.size() == 0 ? value : ir::to_physical(value, kernel.arg_layouts[args.size()]));
  return args;
}

std::string stored_bytes(const ir::TensorValue& tensor) {
  const int size = ir::size_bytes(tensor.dtype);
  std::string out;
  for (size_t i = 0; i < tensor.size(); ++i) {
    ir::Cell cell;
    if (ir::is_float(tensor.dtype)) cell.real = tensor.real[i];
    else cell.whole = tensor.whole[i];
    const uint64_t bits = ir::bits_of(tensor.dtype, cell);
    for (int b = 0; b < size; ++b) out += static_cast<char>(bits >> (8 * b));
  }
  return out;
}

void WasmCorpus::add(const std::string& name, const emit::KernelSource& source,
                     const std::vector<ir::TensorValue>& args, size_t input_count, Tolerance tolerance,
                     const target::Target& target) {
  nlohmann::json entry{{"name", name},
                       {"absolute", tolerance.absolute},
                       {"relative", tolerance.relative},
                       {"any_for_nan", tolerance.any_for_nan},
                       {"sign_of_zero", tolerance.sign_of_zero}};
  entry["shared"] = target.has_threads;
  for (size_t i = 0; i < args.size(); ++i)
    entry["args"].push_back({{"type", ir::dtype_name(args[i].dtype)},
                             {"writes", i >= input_count},
                             {"data", base64(stored_bytes(args[i]))}});
  entry["temps"] = nlohmann::json::array();
  for (const emit::Temp& temp : source.temps) entry["temps"].push_back(temp.bytes);
  for (const emit::LaunchSource& launch : source.launches) {
    nlohmann::json bindings;
    for (const emit::Binding& b : launch.bindings)
      bindings.push_back({{"temp", b.kind == emit::Binding::Kind::kTemp},
                          {"position", b.position},
                          {"bytes", b.bytes},
                          {"reach", b.reach_bytes}});
    entry["launches"].push_back({{"code", base64(launch.code)},
                                 {"extent", launch.grid[0]},
                                 {"bindings", bindings},
                                 {"scratch_bytes", launch.scratch_bytes}});
  }
  cases_.push_back(std::move(entry));
}

TaskValues::TaskValues(const te::Task& task) {
  std::vector<std::vector<double>> inputs;
  for (te::Tensor input : task.program.inputs) {
    args.push_back(ir::uniform_tensor(input->dtype, input->shape, args.size() + 1));
    const ir::TensorValue& value = args.back();
    inputs.push_back(ir::is_float(value.dtype) ? value.real
                                               : std::vector<double>(value.whole.begin(), value.whole.end()));
  }
  double range = 0;
  const std::vector<std::vector<double>> outputs = te::evaluate(task.program, inputs);
  for (size_t o = 0; o < outputs.size(); ++o) {
    ir::TensorValue value = ir::make_tensor(task.program.outputs[o]->dtype, task.program.outputs[o]->shape);
    for (size_t i = 0; i < outputs[o].size(); ++i) {
      const double real = outputs[o][i];
      if (std::isfinite(real)) range = std::max(range, std::fabs(real));
      if (ir::is_float(value.dtype))
        value.real[i] = std::isfinite(real) ? real : std::numeric_limits<double>::quiet_NaN();
      else value.whole[i] = static_cast<int64_t>(real);
    }
    args.push_back(std::move(value));
  }
  tolerance = {.absolute = 2e-5 * range, .any_for_nan = true};
}

bool WasmCorpus::add_task(const std::string& name, const te::Task& task, const TaskValues& values,
                          const schedule::Trace& trace, const target::Target& target) {
  const auto source = compile_kernel(task, trace, target);
  if (!source.ok()) {
    const bool is_limit = source.error().code == ErrorCode::kLimitExceeded;
    CHECK(is_limit, cat(name, ": ", source.error().message, "\n", schedule::trace_to_json(trace)));
    return false;
  }
  if (source->launches.empty()) return true;  // outputs of no elements
  const auto kernel = lower::lower_kernel(task, trace, target);
  CHECK(kernel.ok(), name);
  add(name, *source, stored_args(values, *kernel), task.program.inputs.size(), values.tolerance, target);
  return true;
}

void WasmCorpus::add_kernel(const std::string& name, const ir::Kernel& kernel, std::vector<ir::TensorValue> args,
                            const target::Target& target, double tolerance) {
  const auto source = emit::emit_wasm(kernel, target);
  CHECK(source.ok(), cat(name, ": ", source.error().message));
  const Status status = ir::interpret(kernel, args);
  CHECK(status.ok(), cat(name, ": ", status.error().message));
  add(name, *source, args, static_cast<size_t>(kernel.input_count), {.relative = tolerance}, target);
}

void WasmCorpus::add_text(const std::string& name, const std::string& text, const target::Target& target,
                          double tolerance) {
  const auto kernel = ir::parse_kernel(text);
  CHECK(kernel.ok(), cat(name, ": ", kernel.error().message));
  std::vector<ir::TensorValue> args;
  for (size_t i = 0; i < kernel->args.size(); ++i) {
    const ir::BufferNode& buffer = *kernel->args[i];
    args.push_back(ir::uniform_tensor(buffer.dtype, {ir::element_count(buffer.shape) * buffer.lanes}, i + 70));
  }
  add_kernel(name, *kernel, std::move(args), target, tolerance);
}

bool WasmCorpus::write(const char* path) const {
  std::ofstream file(path, std::ios::binary);
  file << cases_.dump() << std::flush;
  return file.good();
}

}  // namespace hone
