#include "codegen/package/pack_tensor.h"

#include <cstdio>
#include <cstring>
#include <limits>

#include "base/cat.h"

namespace hone::package {

using graph::ConstantTensor;

namespace {

// visit(physical position, logical linear index), positions ascending; elements of padding are left out.
template <class Visit>
void walk(const ir::Shape& shape, const ir::Layout& layout, Visit&& visit) {
  std::vector<int64_t> stride(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) stride[i - 1] = stride[i] * shape[i];
  const size_t rank = layout.dims.size();
  std::vector<int64_t> at(rank, 0), index(shape.size(), 0);
  const int64_t count = ir::element_count(ir::physical_shape(shape, layout));
  for (int64_t position = 0; position < count; position++) {
    bool inside = true;
    int64_t logical = 0;
    for (size_t a = 0; inside && a < shape.size(); a++) {
      inside = index[a] < shape[a];
      if (inside) logical += index[a] * stride[a];
    }
    if (inside) visit(position, logical);
    for (size_t d = rank; d-- > 0;) {
      const ir::PhysicalDim& dim = layout.dims[d];
      index[static_cast<size_t>(dim.axis)] += dim.div;
      if (++at[d] < dim.size) break;
      index[static_cast<size_t>(dim.axis)] -= dim.div * dim.size;
      at[d] = 0;
    }
  }
}

struct Range {
  double lo, hi;
};
Range range_of(ir::DType dtype) {
  if (dtype == ir::DType::kU32) return {0, static_cast<double>(std::numeric_limits<uint32_t>::max())};
  return {static_cast<double>(std::numeric_limits<int32_t>::min()),
          static_cast<double>(std::numeric_limits<int32_t>::max())};
}

std::string whole_text(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", v);
  return text;
}

}  // namespace

ConstantTensor converted(const ConstantTensor& tensor, ir::DType dtype) {
  return tensor.dtype == dtype ? tensor : graph::from_doubles(dtype, tensor.shape, graph::to_doubles(tensor));
}

Status check_range(const ConstantTensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype || !ir::is_int(tensor.dtype) || !ir::is_int(dtype)) return ok_status();
  const auto [lo, hi] = range_of(dtype);
  const std::vector<double> values = graph::to_doubles(tensor);
  for (size_t i = 0; i < values.size(); i++)
    if (values[i] < lo || values[i] > hi)
      return Error{ErrorCode::kLimitExceeded,
                   cat("element ", i, " is ", whole_text(values[i]), "; devices hold whole numbers of the type ", ir::dtype_name(dtype), " only")};
  return ok_status();
}

int64_t physical_bytes(const ir::Shape& shape, const ir::Layout& layout, int64_t element_bytes) {
  return ir::element_count(ir::physical_shape(shape, layout)) * element_bytes;
}

std::string to_physical(std::string_view row_major, const ir::Shape& shape, const ir::Layout& layout,
                        int64_t element_bytes) {
  if (layout.row_major()) return std::string(row_major);
  std::string out(static_cast<size_t>(physical_bytes(shape, layout, element_bytes)), '\0');
  walk(shape, layout, [&](int64_t position, int64_t logical) {
    std::memcpy(out.data() + position * element_bytes, row_major.data() + logical * element_bytes,
                static_cast<size_t>(element_bytes));
  });
  return out;
}

std::string from_physical(std::string_view physical, const ir::Shape& shape, const ir::Layout& layout) {
  const auto bytes = static_cast<size_t>(ir::element_count(shape) * kElementBytes);
  if (layout.row_major()) return std::string(physical.substr(0, bytes));
  std::string out(bytes, '\0');
  walk(shape, layout, [&](int64_t position, int64_t logical) {
    std::memcpy(out.data() + logical * kElementBytes, physical.data() + position * kElementBytes, kElementBytes);
  });
  return out;
}

std::string pack(const ConstantTensor& tensor, ir::DType stored, const ir::Layout& layout) {
  return to_physical(*converted(tensor, stored).bytes, tensor.shape, layout, ir::size_bytes(stored));
}

ConstantTensor unpack(std::string_view physical, ir::DType stored, const ir::Layout& layout, ir::DType dtype,
                      const ir::Shape& shape) {
  auto bytes = shared_bytes(from_physical(physical, shape, layout));
  return converted({stored, shape, std::move(bytes)}, dtype);
}

}  // namespace hone::package
