#include "codegen/graph/onnx_import_tensor.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_external.h"
#include "codegen/graph/onnx_wire.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// Fields of TensorProto.
constexpr uint32_t kFloatData = 4, kInt32Data = 5, kInt64Data = 7, kDoubleData = 10, kUint64Data = 11;

// The numbers of one typed field as T. `Stored` is how the wire has them. Null: the field is damaged.
template <class T, class Stored>
SharedBytes typed_bytes(const OnnxTensor& t, uint32_t number) {
  std::vector<Stored> values;
  WireReader reader(t.message);
  for (WireField field; reader.next(field);)
    if (field.number == number && !append_field(field, values)) return nullptr;
  return list_bytes<T>(values);
}

// The elements as they stand in the typed fields: of less than 8 bits, packed as raw_data is.
SharedBytes field_bytes(const OnnxTensor& t, DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return typed_bytes<float, float>(t, kFloatData);
    case DType::kF64:
      return typed_bytes<double, double>(t, kDoubleData);
    case DType::kI64:
      return typed_bytes<int64_t, int64_t>(t, kInt64Data);
    case DType::kU64:
      return typed_bytes<uint64_t, int64_t>(t, kUint64Data);
    case DType::kU32:
      return typed_bytes<uint32_t, int64_t>(t, kUint64Data);
    case DType::kI32:
    case DType::kIndex:
      return typed_bytes<int32_t, int64_t>(t, kInt32Data);
    case DType::kI16:
      return typed_bytes<int16_t, int64_t>(t, kInt32Data);
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return typed_bytes<uint16_t, int64_t>(t, kInt32Data);
    default:
      return typed_bytes<uint8_t, int64_t>(t, kInt32Data);
  }
}

// The first element in the lowest bits.
std::string unpacked(std::string_view bytes, size_t count, int bits) {
  const size_t each = 8 / static_cast<size_t>(bits);
  std::string out(count, '\0');
  for (size_t i = 0; i < count; i++)
    out[i] = static_cast<char>(static_cast<unsigned char>(bytes[i / each]) >> (i % each * static_cast<size_t>(bits)) & ((1 << bits) - 1));
  return out;
}

Error outside(const std::string& what) {
  return {ErrorCode::kUnsupported,
          cat(what,
              " lies in a file of its own, which hone reads only beside a model file that its command line names; "
              "save the model as one file: ",
              kSaveInOneFile)};
}

// The place of element i in a tensor of these dimensions; nothing where it has none. `indices` is [n], or [n, rank].
std::optional<int64_t> place_of(const std::vector<int64_t>& indices, bool by_axis, size_t i, const Shape& shape) {
  if (!by_axis) {
    const bool inside = indices[i] >= 0 && indices[i] < ir::element_count(shape);
    return inside ? std::optional(indices[i]) : std::nullopt;
  }
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); d++) {
    const int64_t index = indices[i * shape.size() + d];
    if (index < 0 || index >= shape[d]) return std::nullopt;
    place = place * shape[d] + index;
  }
  return place;
}

Result<ConstantTensor> scattered(const ConstantTensor& values, const ConstantTensor& indices, Shape shape,
                                 const std::string& what) {
  const bool by_axis = indices.shape.size() == 2;
  const Shape expected = by_axis ? Shape{values.shape[0], static_cast<int64_t>(shape.size())} : values.shape;
  if (indices.dtype != DType::kI64 || indices.shape != expected)
    return te::bad_model(cat(what, " has indices of shape ", te::shape_text(indices.shape), "; expected int64 of ",
                             te::shape_text(expected)));
  std::vector<int64_t> places(indices.bytes->size() / sizeof(int64_t));
  if (!places.empty()) std::memcpy(places.data(), indices.bytes->data(), indices.bytes->size());
  const auto size = static_cast<size_t>(ir::size_bytes(values.dtype));
  std::string out(static_cast<size_t>(ir::element_count(shape)) * size, '\0');
  for (size_t i = 0; i < static_cast<size_t>(values.shape[0]); i++) {
    const auto place = place_of(places, by_axis, i, shape);
    if (!place) return te::bad_model(cat(what, " has an element outside of its shape ", te::shape_text(shape)));
    std::memcpy(out.data() + static_cast<size_t>(*place) * size, values.bytes->data() + i * size, size);
  }
  return ConstantTensor{values.dtype, std::move(shape), shared_bytes(std::move(out))};
}

}  // namespace

Result<SharedBytes> TensorReader::elements_of(const OnnxTensor& t, DType dtype, const std::string& what) const {
  if (t.is_external && !read_part_) return outside(what);
  if (t.is_external) {
    HONE_ASSIGN(part, part_of(t));
    return read_part_(part);
  }
  if (t.raw_data) return shared_part(file_, *t.raw_data);
  SharedBytes typed = field_bytes(t, dtype);
  if (!typed) return te::bad_model(cat("the elements of ", what, " are damaged"));
  return typed;
}

Result<ConstantTensor> TensorReader::read(const OnnxTensor& t, const std::string& what) const {
  ConstantTensor out;
  if (!dtype_of_onnx(t.data_type, &out.dtype))
    return Error{ErrorCode::kUnsupported,
                 cat(what, " has element type ", onnx_type_name(t.data_type), ", which hone does not support")};
  out.shape = t.dims;
  HONE_TRY(check_shape(out.shape, what));
  HONE_ASSIGN(bytes, elements_of(t, out.dtype, what));
  const auto count = static_cast<size_t>(ir::element_count(out.shape));
  const int bits = ir::size_bits(out.dtype);
  const size_t expected = (count * static_cast<size_t>(bits) + 7) / 8;
  if (bytes->size() != expected)
    return te::bad_model(cat(what, " of shape ", te::shape_text(out.shape), " has ", bytes->size(), " bytes; expected ",
                             expected, "; the file is damaged"));
  out.bytes = bits < 8 ? shared_bytes(unpacked(*bytes, count, bits)) : std::move(bytes);
  return out;
}

Result<ConstantTensor> TensorReader::read(const OnnxSparseTensor& t, const std::string& what) {
  HONE_ASSIGN(values, read(t.values, what));
  HONE_ASSIGN(indices, read(t.indices, cat("the indices of ", what)));
  HONE_TRY(check_shape(t.dims, what));
  if (values.shape.size() != 1)
    return te::bad_model(cat(what, " has values of shape ", te::shape_text(values.shape), "; expected one dimension"));
  sparse_elements_ += ir::element_count(t.dims);
  if (sparse_elements_ > kSparseElementsMax)
    return Error{ErrorCode::kLimitExceeded, cat("the model's sparse constants have more than ", kSparseElementsMax,
                                                " elements as dense ones; export it without sparse constants")};
  return scattered(values, indices, t.dims, what);
}

Result<ConstantTensor> tensor_from_onnx(std::string_view bytes) {
  const SharedBytes held = shared_bytes(std::string(bytes));
  HONE_ASSIGN(tensor, parse_onnx_tensor(*held));
  const ReadFilePart none;
  return TensorReader(held, none).read(tensor, "the tensor");
}

}  // namespace hone::graph
