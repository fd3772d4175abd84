#include "codegen/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/cat.h"
#include "codegen/ir/numeric.h"

namespace hone::graph {
namespace {

template <class T>
std::vector<double> widen(std::string_view bytes) {
  std::vector<double> out(bytes.size() / sizeof(T));
  for (size_t i = 0; i < out.size(); i++) {
    T v;
    std::memcpy(&v, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<double>(v);
  }
  return out;
}
// A floating value outside T's range saturates; NaN becomes 0.
template <class T>
std::string narrow(const std::vector<double>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < values.size(); i++) {
    T v;
    if constexpr (std::is_integral_v<T>) {
      const double lo = static_cast<double>(std::numeric_limits<T>::min()), hi = static_cast<double>(std::numeric_limits<T>::max());
      v = std::isnan(values[i]) ? T{0} : values[i] <= lo ? std::numeric_limits<T>::min()
          : values[i] >= hi ? std::numeric_limits<T>::max() : static_cast<T>(values[i]);
    } else {
      v = static_cast<T>(values[i]);
    }
    std::memcpy(out.data() + i * sizeof(T), &v, sizeof(T));
  }
  return out;
}

double number_of(DType dtype, uint64_t bits) {
  const ir::Cell cell = ir::cell_of_bits(dtype, bits);
  return ir::is_float(dtype) ? cell.real : static_cast<double>(cell.whole);
}
ir::Cell cell_of(DType dtype, double value) {
  ir::Cell cell;
  if (ir::is_float(dtype)) cell.real = value;
  else cell.whole = ir::saturate_to(dtype, value);
  return cell;
}

// Of types that C++ lacks; T holds a code. Where there are more elements than codes, by a table.
template <class T>
std::vector<double> decoded(DType dtype, std::string_view bytes) {
  constexpr size_t kCodes = size_t{1} << (8 * sizeof(T));
  std::vector<double> out = widen<T>(bytes), numbers(out.size() > kCodes ? kCodes : 0);
  for (size_t code = 0; code < numbers.size(); code++) numbers[code] = number_of(dtype, code);
  for (double& v : out) v = numbers.empty() ? number_of(dtype, static_cast<uint64_t>(v)) : numbers[static_cast<size_t>(v)];
  return out;
}
template <class T>
std::string encoded(DType dtype, const std::vector<double>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < values.size(); i++) {
    const T code = static_cast<T>(ir::bits_of(dtype, cell_of(dtype, values[i])));
    std::memcpy(out.data() + i * sizeof(T), &code, sizeof(T));
  }
  return out;
}

struct AttributeText {
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return std::to_string(v); }
  std::string operator()(const std::string& v) const { return cat("\"", v, "\""); }
  std::string operator()(const ConstantTensor& v) const { return cat("tensor of ", ir::element_count(v.shape)); }
  template <class T>
  std::string operator()(const std::vector<T>& v) const {
    std::string out = "[";
    for (size_t i = 0; i < v.size(); i++) out += cat(i ? "," : "", v[i]);
    return out + "]";
  }
};

std::string value_text(const Graph& graph, ValueId id) {
  if (id == kNoValue) return "-";
  const Value& v = graph.value(id);
  std::string out = cat(v.name, v.constant ? "!" : "", ":", ir::dtype_name(v.dtype), "[");
  for (size_t i = 0; i < v.shape.size(); i++) out += cat(i ? "," : "", v.shape[i]);
  return out + (v.shape_known ? "]" : "?]");
}

}  // namespace

std::vector<double> to_doubles(const ConstantTensor& tensor) {
  CHECK(tensor.bytes != nullptr, "contents of a constant that has none");
  const std::string_view b = *tensor.bytes;
  switch (tensor.dtype) {
    case DType::kBool: case DType::kU8: return widen<uint8_t>(b);
    case DType::kI8: return widen<int8_t>(b);
    case DType::kI16: return widen<int16_t>(b);
    case DType::kU16: return widen<uint16_t>(b);
    case DType::kI32: case DType::kIndex: return widen<int32_t>(b);
    case DType::kU32: return widen<uint32_t>(b);
    case DType::kI64: return widen<int64_t>(b);
    case DType::kU64: return widen<uint64_t>(b);
    case DType::kF32: return widen<float>(b);
    case DType::kF64: return widen<double>(b);
    case DType::kF16: case DType::kBF16: return decoded<uint16_t>(tensor.dtype, b);
    default: return decoded<uint8_t>(tensor.dtype, b);
  }
}

ConstantTensor from_doubles(DType dtype, Shape shape, const std::vector<double>& values) {
  std::string bytes;
  switch (dtype) {
    case DType::kBool: case DType::kU8: bytes = narrow<uint8_t>(values); break;
    case DType::kI8: bytes = narrow<int8_t>(values); break;
    case DType::kI16: bytes = narrow<int16_t>(values); break;
    case DType::kU16: bytes = narrow<uint16_t>(values); break;
    case DType::kI32: case DType::kIndex: bytes = narrow<int32_t>(values); break;
    case DType::kU32: bytes = narrow<uint32_t>(values); break;
    case DType::kI64: bytes = narrow<int64_t>(values); break;
    case DType::kU64: bytes = narrow<uint64_t>(values); break;
    case DType::kF32: bytes = narrow<float>(values); break;
    case DType::kF64: bytes = narrow<double>(values); break;
    case DType::kF16: case DType::kBF16: bytes = encoded<uint16_t>(dtype, values); break;
    default: bytes = encoded<uint8_t>(dtype, values);
  }
  return {dtype, std::move(shape), shared_bytes(std::move(bytes))};
}

std::string node_text(const Graph& graph, const Node& node) {
  if (!node.name.empty()) return cat("node '", node.name, "' (", node.op, ")");
  for (ValueId id : node.outputs)
    if (id != kNoValue) return cat("the ", node.op, " node that makes '", graph.value(id).name, "'");
  return cat("a ", node.op, " node");
}

std::vector<std::vector<int>> consumers_of(const Graph& graph) {
  std::vector<std::vector<int>> out(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); n++)
    for (ValueId id : graph.nodes[n].inputs)
      if (id != kNoValue) out[static_cast<size_t>(id)].push_back(static_cast<int>(n));
  return out;
}

std::vector<int> producers_of(const Graph& graph) {
  std::vector<int> out(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); n++)
    for (ValueId id : graph.nodes[n].outputs)
      if (id != kNoValue) out[static_cast<size_t>(id)] = static_cast<int>(n);
  return out;
}

std::vector<bool> marks_of(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<bool> out(graph.values.size(), false);
  for (ValueId id : ids) out[static_cast<size_t>(id)] = true;
  return out;
}

std::string print_graph(const Graph& graph) {
  std::string out;
  for (ValueId id : graph.inputs) out += cat("input ", value_text(graph, id), "\n");
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.outputs.size(); i++) out += cat(i ? ", " : "", value_text(graph, node.outputs[i]));
    out += cat(" = ", node.op, "(");
    for (size_t i = 0; i < node.inputs.size(); i++) out += cat(i ? ", " : "", value_text(graph, node.inputs[i]));
    out += ")";
    for (const auto& [name, attribute] : node.attributes) out += cat(" ", name, "=", std::visit(AttributeText{}, attribute));
    out += node.at_boundary ? "  # done on upload\n" : "\n";
  }
  for (ValueId id : graph.outputs) out += cat("output ", value_text(graph, id), "\n");
  return out;
}

}  // namespace hone::graph
