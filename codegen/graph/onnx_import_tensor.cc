#include "codegen/graph/onnx_import_tensor.h"

#include "base/cat.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

Error unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }

// The elements as they stand in the typed fields of a TensorProto.
std::string field_bytes(const onnx::TensorProto& t, DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return typed_bytes<float>(t.float_data());
    case DType::kF64:
      return typed_bytes<double>(t.double_data());
    case DType::kI64:
      return typed_bytes<int64_t>(t.int64_data());
    case DType::kU64:
      return typed_bytes<uint64_t>(t.uint64_data());
    case DType::kU32:
      return typed_bytes<uint32_t>(t.uint64_data());
    case DType::kI32:
    case DType::kIndex:
      return typed_bytes<int32_t>(t.int32_data());
    case DType::kI16:
      return typed_bytes<int16_t>(t.int32_data());
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return typed_bytes<uint16_t>(t.int32_data());
    case DType::kI8:
      return typed_bytes<int8_t>(t.int32_data());
    case DType::kU8:
    case DType::kBool:
      return typed_bytes<uint8_t>(t.int32_data());
  }
  return {};
}

}  // namespace

Result<ConstantTensor> read_tensor(const onnx::TensorProto& t, const std::string& what) {
  ConstantTensor out;
  if (!dtype_of_onnx(t.data_type(), &out.dtype))
    return unsupported(cat(what, " has element type ", onnx_type_name(t.data_type()), ", which hone does not support"));
  if (t.data_location() == onnx::TensorProto::EXTERNAL)
    return unsupported(
        cat(what,
            " lies in a file of its own, which hone reads only beside a model file that its command line names; "
            "save the model as one file: ",
            kSaveInOneFile));
  out.shape.assign(t.dims().begin(), t.dims().end());
  HONE_TRY(check_shape(out.shape, what));
  std::string bytes = t.has_raw_data() ? t.raw_data() : field_bytes(t, out.dtype);
  const size_t expected =
      static_cast<size_t>(ir::element_count(out.shape)) * static_cast<size_t>(ir::size_bytes(out.dtype));
  if (bytes.size() != expected)
    return te::bad_model(cat(what, " of shape ", te::shape_text(out.shape), " has ", bytes.size(), " bytes; expected ",
                             expected, "; the file is damaged"));
  out.bytes = std::make_shared<const std::string>(std::move(bytes));
  return out;
}

Result<ConstantTensor> tensor_from_onnx(std::string_view bytes) {
  onnx::TensorProto tensor;
  if (!parse(bytes, tensor)) return te::bad_model(cat("these ", bytes.size(), " bytes are not an ONNX tensor"));
  return read_tensor(tensor, "the tensor");
}

}  // namespace hone::graph
