// Tensors of ONNX files, for the importer alone.
#pragma once
#include <cstring>
#include <string>

#include "codegen/graph/graph.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_model.h"

namespace hone::graph {

template <class T>
SharedBytes raw_bytes(T value) {
  return shared_bytes(std::string(reinterpret_cast<const char*>(&value), sizeof(T)));
}

template <class T, class Field>
SharedBytes list_bytes(const std::vector<Field>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < values.size(); i++) {
    const T v = static_cast<T>(values[i]);
    std::memcpy(out.data() + i * sizeof(T), &v, sizeof(T));
  }
  return shared_bytes(std::move(out));
}

// A model's tensors: where their elements lie in the file, they stay there.
class TensorReader {
 public:
  // `read_part` reads what lies beside the file; unset: such tensors are refused.
  TensorReader(SharedBytes file, const ReadFilePart& read_part) : file_(std::move(file)), read_part_(read_part) {}

  // Elements row-major. `what` names the tensor in messages. Fails: bad_model, unsupported (its type; elements in a file of their own).
  Result<ConstantTensor> read(const OnnxTensor& t, const std::string& what) const;
  // The same as a dense one. Fails also: limit_exceeded, beyond kSparseElementsMax of all that were read.
  Result<ConstantTensor> read(const OnnxSparseTensor& t, const std::string& what);

 private:
  Result<SharedBytes> elements_of(const OnnxTensor& t, DType dtype, const std::string& what) const;

  const SharedBytes file_;
  const ReadFilePart& read_part_;
  int64_t sparse_elements_ = 0;
};

}  // namespace hone::graph
