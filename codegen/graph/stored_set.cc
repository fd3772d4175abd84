#include "codegen/graph/stored_set.h"

#include <algorithm>
#include <iterator>

#include "base/cat.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_inputs.h"
#include "codegen/graph/onnx_wire.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/graph/prepare_graph.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

using Values = std::vector<Value>;

// Why hone refuses the model with these constants; empty: it does not, or not for want of others.
std::string want_of(std::string_view model, const ImportOptions& options) {
  const auto asks = [](const Error& error) {
    const bool of_constants = error.message.find("must be a constant") != std::string::npos || error.message.find("is computed from the model's inputs") != std::string::npos;
    return of_constants ? error.message : std::string();
  };
  auto graph = graph_from_onnx(model, options);
  if (!graph.ok()) return asks(graph.error());
  const Status prepared = prepare_graph(*graph, {.cancel = options.cancel});
  return prepared.ok() ? std::string() : asks(prepared.error());
}

// The inputs that the refusal names; what it says of a value between asks for all whole numbers, and then for all inputs.
std::vector<size_t> wanted(const Values& values, const ImportOptions& options, const std::string& refusal) {
  std::vector<size_t> named, whole, all;
  for (size_t i = 0; i < values.size(); i++) {
    if (options.constants.count(values[i].name)) continue;
    all.push_back(i);
    if (refusal.find(cat("'", values[i].name, "'")) != std::string::npos) named.push_back(i);
    if (!ir::is_float(values[i].dtype)) whole.push_back(i);
  }
  return !named.empty() ? named : !whole.empty() ? whole : all;
}

// Makes constants of as few inputs as hone's refusals ask for.
void add_constants(std::string_view model, const Values& values, const std::vector<ConstantTensor>& tensors, ImportOptions& options) {
  for (std::string refusal = want_of(model, options); !refusal.empty(); refusal = want_of(model, options)) {
    const std::vector<size_t> more = wanted(values, options, refusal);
    if (more.empty()) return;
    for (size_t i : more) options.constants[values[i].name] = tensors[i];
  }
}

// A SequenceProto or an OptionalProto: what has an element has it in field 3, and an optional has a sequence in field 5.
Status add_elements(std::string_view bytes, std::vector<ConstantTensor>& out) {
  WireReader reader(bytes);
  for (WireField f; reader.next(f);) {
    if (f.type != WireType::kBytes || (f.number != 3 && f.number != 5)) continue;
    if (f.number == 5) {
      HONE_TRY(add_elements(f.bytes, out));
      continue;
    }
    HONE_ASSIGN(tensor, tensor_from_onnx(f.bytes));
    out.push_back(std::move(tensor));
  }
  return reader.is_sound() ? ok_status() : Status(te::bad_model("a stored sequence is damaged"));
}

class SetReader {
 public:
  SetReader(const OnnxGraph& graph, const ReadStored& read, ImportOptions& options) : graph_(graph), read_(read), options_(options) {}

  Status add_inputs(std::vector<ConstantTensor>& out) {
    size_t place = 0;
    for (const OnnxValueInfo& input : inputs_without_initialisers(graph_)) {
      HONE_ASSIGN(tensors, stored(cat("input_", place++, ".pb"), input));
      tell_sizes(input, tensors);
      std::move(tensors.begin(), tensors.end(), std::back_inserter(out));
    }
    return ok_status();
  }

  Status add_outputs(std::vector<ConstantTensor>& out) {
    for (size_t i = 0; i < graph_.outputs.size(); i++) {
      HONE_ASSIGN(tensors, stored(cat("output_", i, ".pb"), graph_.outputs[i]));
      std::move(tensors.begin(), tensors.end(), std::back_inserter(out));
    }
    return ok_status();
  }

 private:
  Result<std::vector<ConstantTensor>> stored(const std::string& file, const OnnxValueInfo& info) const {
    HONE_ASSIGN(bytes, read_(file));
    if (!bytes) return Error{ErrorCode::kUnsupported, cat(file, " is missing: '", info.name, "' is not a tensor")};
    std::vector<ConstantTensor> out;
    if (info.type.kind != OnnxType::kTensor) {
      HONE_TRY(add_elements(*bytes, out));
      return out;
    }
    HONE_ASSIGN(tensor, tensor_from_onnx(*bytes));
    DType dtype = tensor.dtype;
    if (dtype_of_onnx(info.type.elem_type, &dtype) && dtype == DType::kBF16 && tensor.dtype == DType::kU16)
      tensor.dtype = dtype;  // as ONNX stores it
    out.push_back(std::move(tensor));
    return out;
  }

  void tell_sizes(const OnnxValueInfo& input, const std::vector<ConstantTensor>& tensors) {
    const bool is_list = input.type.kind != OnnxType::kTensor;
    if (is_list) options_.dims[length_name(input.name)] = static_cast<int64_t>(tensors.size());
    for (size_t i = 0; i < tensors.size(); i++) options_.shapes[is_list ? cat(input.name, ".", i) : std::string(input.name)] = tensors[i].shape;
  }

  const OnnxGraph& graph_;
  const ReadStored& read_;
  ImportOptions& options_;
};

}  // namespace

Result<StoredSet> read_stored_set(std::string_view model, const ReadStored& read, ImportOptions& options) {
  HONE_ASSIGN(parsed, parse_onnx_model(model));
  if (!parsed.graph) return te::bad_model("the model holds no graph");
  SetReader reader(*parsed.graph, read, options);
  std::vector<ConstantTensor> tensors;
  HONE_TRY(reader.add_inputs(tensors));
  const auto values_read = inputs_of_onnx(model, options);
  if (!values_read.ok() && values_read.error().code == ErrorCode::kInvalidArgument)
    return Error{ErrorCode::kUnsupported, cat("a stored input contradicts the model: ", values_read.error().message)};
  HONE_ASSIGN(values, values_read);
  CHECK(values.size() == tensors.size(), "an input of the model for each tensor");
  for (size_t i = 0; i < values.size(); i++)
    if (values[i].shape != tensors[i].shape)
      return Error{ErrorCode::kUnsupported, cat("the stored input '", values[i].name, "' has another shape than the model says")};
  add_constants(model, values, tensors, options);
  StoredSet set;
  for (size_t i = 0; i < values.size(); i++)
    set.inputs.push_back({values[i].name, std::move(tensors[i]), options.constants.count(values[i].name) > 0});
  HONE_TRY(reader.add_outputs(set.outputs));
  return set;
}

}  // namespace hone::graph
