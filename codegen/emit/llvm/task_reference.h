// TaskReference: a task's reference, compiled once for the host and run on any inputs. f64 inside, as lower/reference_loops.h says.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/emit/llvm/reference_jit.h"
#include "codegen/te/task.h"

namespace hone::emit {

class TaskReference {
 public:
  // Fails: as reference_loops and ReferenceJit::create.
  static Result<TaskReference> create(const te::Task& task);

  // inputs, then the results: the elements of each tensor, logical row-major, in the types of the task's program. Any thread.
  // cancel: as ReferenceJit's. Fails: as ReferenceJit::run. Needs: inputs of the right sizes.
  Result<std::vector<std::string>> run(const std::vector<std::string>& inputs, const CancelToken* cancel = nullptr) const;

 private:
  TaskReference(std::unique_ptr<ReferenceJit> jit, std::vector<size_t> bytes, size_t input_count)
      : jit_(std::move(jit)), bytes_(std::move(bytes)), input_count_(input_count) {}
  std::unique_ptr<ReferenceJit> jit_;
  std::vector<size_t> bytes_;  // per argument
  size_t input_count_;
};

}  // namespace hone::emit
