#include "codegen/package/native_ports.h"

#include <algorithm>
#include <iterator>

#include "base/cat.h"
#include "codegen/package/c_text.h"

namespace hone::package {

namespace {

// How callers hold elements of a model's type; numbers that C11 has no type of are held as float.
struct CType {
  std::string_view dtype, name, constant;
};
constexpr CType kTypes[] = {{"f64", "double", "HONE_F64"},   {"i8", "int8_t", "HONE_I8"},
                            {"u8", "uint8_t", "HONE_U8"},    {"i16", "int16_t", "HONE_I16"},
                            {"u16", "uint16_t", "HONE_U16"}, {"i32", "int32_t", "HONE_I32"},
                            {"u32", "uint32_t", "HONE_U32"}, {"i64", "int64_t", "HONE_I64"},
                            {"u64", "uint64_t", "HONE_U64"}, {"bool", "bool", "HONE_BOOL"}};
constexpr CType kFloat{"f32", "float", "HONE_F32"};

const CType& type_of(const std::string& dtype) {
  const auto found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const CType& type) { return type.dtype == dtype; });
  return found == std::end(kTypes) ? kFloat : *found;
}

std::string joined(const std::vector<uint64_t>& shape) {
  std::string out;
  for (uint64_t extent : shape) out += cat(out.empty() ? "" : ", ", extent);
  return out;
}

// C knows no arrays without elements.
std::string declaration_of(const protocol::ModelValue& value) {
  std::string extents;
  for (uint64_t extent : value.shape) extents += cat("[", extent, "]");
  const bool is_empty = std::find(value.shape.begin(), value.shape.end(), 0u) != value.shape.end();
  return cat(type_of(value.dtype).name, " v", value.shape.empty() || is_empty ? "[1]" : extents);
}

std::vector<NativePort> ports_of(const std::vector<protocol::ModelValue>& values, CNames& names) {
  std::vector<NativePort> out;
  for (const protocol::ModelValue& v : values)
    out.push_back({names.add(v.name), declaration_of(v),
                   cat(c_string(v.name), ": ", v.dtype, " [", joined(v.shape), "]", v.lengths ? ", at most: a run tells its size" : ""),
                   tensor_row(c_string(v.name), v.dtype, v.shape, 0)});
  return out;
}

}  // namespace

NativePorts native_ports(const protocol::Manifest& manifest) {
  CNames names({"model", "inputs", "outputs", "open", "run", "level", "close"});
  NativePorts out;
  out.inputs = ports_of(manifest.inputs, names);
  out.outputs = ports_of(manifest.outputs, names);
  return out;
}

std::string tensor_row(const std::string& name, const std::string& dtype, const std::vector<uint64_t>& shape,
                       uint64_t offset) {
  const std::string type(name == "NULL" && dtype == "f16" ? "HONE_F16" : type_of(dtype).constant);
  const std::string extents = shape.empty() ? "NULL" : cat("(const int64_t[]){", joined(shape), "}");
  return cat("{", name, ", ", type, ", ", shape.size(), ", ", extents, ", ", offset, "}");
}

}  // namespace hone::package
