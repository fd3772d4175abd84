// Kernels as WebAssembly modules, with their inputs and what they must compute: what run_wasm.mjs reads.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"
#include "codegen/ir/tensor_value.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone {

// How far a result of a float type may lie from what is expected: absolute, or relative to each element. Infinities are equal or wrong.
struct Tolerance {
  double absolute = 0, relative = 0;
  bool any_for_nan = false;   // a NaN stands for what layouts pad with
  bool sign_of_zero = false;  // 0 and -0 differ
};

// A task's inputs and outputs, logical.
struct TaskValues {
  TaskValues() = default;
  // Generated inputs and what the task's definition makes of them, within 2e-5 of the largest output. What is not finite is NaN: any value
  // will do.
  explicit TaskValues(const te::Task& task);
  std::vector<ir::TensorValue> args;
  Tolerance tolerance;
};

// The values as the kernel's arguments lie in memory. A tensor without elements has none, whatever its layout.
std::vector<ir::TensorValue> stored_args(const TaskValues& values, const ir::Kernel& kernel);
std::string stored_bytes(const ir::TensorValue& tensor);  // little-endian

class WasmCorpus {
 public:
  // False: a limit of the schedule or the target refused the trace; any other refusal is a fault of the compiler and ends the program.
  bool add_task(const std::string& name, const te::Task& task, const TaskValues& values, const schedule::Trace& trace,
                const target::Target& target);
  // A kernel as text after split_launches. The interpreter judges; tolerance: relative to each element, 0: every bit.
  void add_text(const std::string& name, const std::string& ir, const target::Target& target, double tolerance);
  // As add_text, on given arguments (of which the outputs are replaced by what the interpreter says).
  void add_kernel(const std::string& name, const ir::Kernel& kernel, std::vector<ir::TensorValue> args,
                  const target::Target& target, double tolerance);

  size_t size() const { return cases_.size(); }
  bool write(const char* path) const;

 private:
  void add(const std::string& name, const emit::KernelSource& source, const std::vector<ir::TensorValue>& args,
           size_t input_count, Tolerance tolerance, const target::Target& target);
  nlohmann::json cases_ = nlohmann::json::array();
};

}  // namespace hone
