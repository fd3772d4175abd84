#include "cli/npy.h"

#include <charconv>
#include <cstring>
#include <optional>

#include "base/cat.h"

namespace hone::cli {

using graph::ConstantTensor;
using graph::DType;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // of the data, as NumPy writes it

struct TypeCode {
  std::string_view code;
  DType dtype;
};
constexpr TypeCode kTypes[] = {
    {"<f4", DType::kF32}, {"<f8", DType::kF64},  {"<f2", DType::kF16}, {"<i8", DType::kI64}, {"<i4", DType::kI32},
    {"<i2", DType::kI16}, {"|i1", DType::kI8},   {"|u1", DType::kU8},  {"<u2", DType::kU16}, {"<u4", DType::kU32},
    {"<u8", DType::kU64}, {"|b1", DType::kBool}, {"<i1", DType::kI8},  {"<u1", DType::kU8},
};

Error broken(std::string_view what) {
  return {ErrorCode::kParseError,
          cat("the file is not a .npy array, or is damaged: ", what, "; write it with numpy.save")};
}
Error unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }

// What stands behind 'key': in the header's dictionary, up to the comma or bracket that ends it.
std::optional<std::string_view> entry(std::string_view header, std::string_view key) {
  const size_t found = header.find(cat("'", key, "'"));
  if (found == std::string_view::npos) return std::nullopt;
  size_t begin = header.find(':', found);
  if (begin == std::string_view::npos) return std::nullopt;
  begin = header.find_first_not_of(' ', begin + 1);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = header[begin] == '(' ? header.find(')', begin) : header.find_first_of(",}", begin);
  if (end == std::string_view::npos) return std::nullopt;
  return header.substr(begin, end - begin);
}

Result<ir::Shape> read_shape(std::string_view text) {
  ir::Shape shape;
  for (size_t at = text.find_first_of("0123456789"); at != std::string_view::npos;
       at = text.find_first_of("0123456789", at)) {
    int64_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
    if (error != std::errc()) return broken("its shape has an extent that is too large");
    shape.push_back(extent);
    at = static_cast<size_t>(rest - text.data());
  }
  return shape;
}

Result<std::string_view> read_header(std::string_view bytes, size_t& data_at) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 12) return broken("it does not begin as one");
  const bool wide = bytes[6] >= 2;  // versions 2 and 3 have a header length of 4 bytes
  const size_t length_bytes = wide ? 4 : 2;
  size_t length = 0;
  for (size_t i = length_bytes; i-- > 0;) length = length * 256 + static_cast<unsigned char>(bytes[8 + i]);
  data_at = 8 + length_bytes + length;
  if (data_at > bytes.size()) return broken("its header is cut off");
  return bytes.substr(8 + length_bytes, length);
}

}  // namespace

Result<ConstantTensor> tensor_from_npy(std::string_view bytes) {
  size_t data_at = 0;
  HONE_ASSIGN(header, read_header(bytes, data_at));
  const auto descr = entry(header, "descr"), order = entry(header, "fortran_order"),
             shape_text = entry(header, "shape");
  if (!descr || !order || !shape_text) return broken("its header lacks descr, fortran_order or shape");
  if (order->substr(0, 4) == "True")
    return unsupported("the array is in Fortran order; save numpy.ascontiguousarray of it");
  ConstantTensor out;
  bool known = false;
  for (const TypeCode& type : kTypes)
    if (descr->find(type.code) != std::string_view::npos) {
      out.dtype = type.dtype;
      known = true;
    }
  if (!known)
    return unsupported(
        cat("the array has elements of the type ", *descr, "; expected little-endian numbers, for example float32"));
  HONE_ASSIGN(shape, read_shape(*shape_text));
  out.shape = shape;
  const auto data = static_cast<size_t>(ir::element_count(shape) * ir::size_bytes(out.dtype));
  if (bytes.size() - data_at != data)
    return broken(cat("its shape needs ", data, " bytes, ", bytes.size() - data_at, " follow the header"));
  out.bytes = shared_bytes(std::string(bytes.substr(data_at)));
  return out;
}

std::string npy_from_tensor(const ConstantTensor& tensor) {
  if (const DType held = ir::caller_type(tensor.dtype); held != tensor.dtype)
    return npy_from_tensor(graph::from_doubles(held, tensor.shape, graph::to_doubles(tensor)));
  std::string_view code = "<f4";
  for (const TypeCode& type : kTypes)
    if (type.dtype == tensor.dtype) {
      code = type.code;
      break;
    }
  std::string shape;
  for (int64_t extent : tensor.shape) shape += cat(extent, ", ");
  if (tensor.shape.size() > 1) shape.resize(shape.size() - 2);
  if (tensor.shape.size() == 1) shape.resize(shape.size() - 1);
  std::string header = cat("{'descr': '", code, "', 'fortran_order': False, 'shape': (", shape, "), }");
  const size_t before = kMagic.size() + 4;
  header.resize((before + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - before - 1, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return (out + header).append(*tensor.bytes);
}

}  // namespace hone::cli
