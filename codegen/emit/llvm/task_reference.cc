#include "codegen/emit/llvm/task_reference.h"

#include "codegen/lower/reference_loops.h"

namespace hone::emit {

namespace {
constexpr size_t kSpareBytes = 16;  // a load at the end of a tensor stays inside
}

Result<TaskReference> TaskReference::create(const te::Task& task) {
  HONE_ASSIGN(kernel, lower::reference_loops(task));
  HONE_ASSIGN(jit, ReferenceJit::create(kernel));
  std::vector<size_t> bytes;
  for (const ir::Buffer& arg : kernel.args)
    bytes.push_back(static_cast<size_t>(ir::element_count(arg->shape) * ir::size_bytes(arg->dtype)));
  return TaskReference(std::move(jit), std::move(bytes), static_cast<size_t>(kernel.input_count));
}

Result<std::vector<std::string>> TaskReference::run(const std::vector<std::string>& inputs,
                                                            const CancelToken* cancel) const {
  CHECK(inputs.size() == input_count_, "a reference is run with another number of inputs");
  std::vector<std::string> arrays = inputs;
  for (size_t i = 0; i < bytes_.size(); i++) {
    if (i < input_count_) CHECK(arrays[i].size() == bytes_[i], "a reference is run with an input of another size");
    else arrays.emplace_back();
    arrays[i].resize(bytes_[i] + kSpareBytes, '\0');
  }
  std::vector<void*> pointers;
  for (std::string& array : arrays) pointers.push_back(array.data());
  HONE_TRY(jit_->run(pointers, {.cancel = cancel}));
  std::vector<std::string> outputs;
  for (size_t i = input_count_; i < bytes_.size(); i++) outputs.push_back(arrays[i].substr(0, bytes_[i]));
  return outputs;
}

}  // namespace hone::emit
