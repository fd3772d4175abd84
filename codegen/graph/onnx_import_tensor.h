// Tensors of ONNX files, for the importer alone.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstring>
#include <limits>
#include <string>

#include "codegen/graph/graph.h"

namespace hone::graph {

template <class T>
std::string raw_bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <class T, class Field>
std::string typed_bytes(const Field& field) {
  std::string out(static_cast<size_t>(field.size()) * sizeof(T), '\0');
  for (int i = 0; i < field.size(); i++) {
    const T v = static_cast<T>(field.Get(i));
    std::memcpy(out.data() + static_cast<size_t>(i) * sizeof(T), &v, sizeof(T));
  }
  return out;
}

// The tensor's elements, row-major. `what` names it in messages. Fails: bad_model, unsupported (its type; elements in a file of their own).
Result<ConstantTensor> read_tensor(const onnx::TensorProto& t, const std::string& what);

// The parser's own complaints about broken bytes go nowhere: the caller gets one sentence.
template <class Proto>
bool parse(std::string_view bytes, Proto& proto) {
  [[maybe_unused]] static const auto kSilenced =
      google::protobuf::SetLogHandler(nullptr);  // once, whatever threads parse
  return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
         proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace hone::graph
