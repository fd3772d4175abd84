// Kernels as WebAssembly modules, with their inputs and what they must compute: what run_wasm.mjs reads.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "codegen/emit/kernel_source.h"
#include "codegen/ir/tensor_value.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone {

// A task's generated inputs and what its definition makes of them, logical. What is not finite is NaN: any value will do.
struct TaskValues {
  explicit TaskValues(const te::Task& task);
  std::vector<ir::TensorValue> args;
  double range = 0;  // the largest of the outputs
};

class WasmCorpus {
 public:
  // The task's definition judges, within 2e-5 of the largest output. False: a limit of the schedule or the target refused the trace; any
  // other refusal is a fault of the compiler and ends the program.
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
  // tolerance: absolute, or relative to each element.
  struct Tolerance {
    double absolute = 0, relative = 0;
    bool any_for_nan = false;  // a NaN stands for what layouts pad with
  };
  void add(const std::string& name, const emit::KernelSource& source, const std::vector<ir::TensorValue>& args,
           size_t input_count, Tolerance tolerance, const target::Target& target);
  nlohmann::json cases_ = nlohmann::json::array();
};

}  // namespace hone
