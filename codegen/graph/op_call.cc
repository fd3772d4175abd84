#include <cmath>

#include "base/cat.h"
#include "codegen/graph/op_table.h"

namespace hone::graph {

Result<std::vector<double>> OpCall::numbers(size_t i) const {
  if (!has_input(i)) return std::vector<double>{};
  const Value& v = value(i);
  if (!v.constant || !v.bytes)
    return Error{ErrorCode::kUnsupported,
                 cat("input '", v.name, "' must be a constant of the model; hone does not support values that are computed at run time here")};
  return to_doubles({v.dtype, v.shape, v.bytes});
}

Result<std::vector<int64_t>> OpCall::integers(size_t i) const {
  HONE_ASSIGN(values, numbers(i));
  std::vector<int64_t> out;
  for (double v : values) out.push_back(static_cast<int64_t>(v));
  return out;
}

std::optional<double> OpCall::scalar(size_t i) const {
  if (!has_input(i)) return std::nullopt;
  const Value& v = value(i);
  if (!v.constant || !v.bytes || !v.shape_known || ir::element_count(v.shape) != 1) return std::nullopt;
  return to_doubles({v.dtype, v.shape, v.bytes})[0];
}

te::Operand OpCall::operand(size_t i, std::string_view name) const {
  const Value& v = value(i);
  if (const auto number = scalar(i)) return te::Operand::of(v.dtype, *number, v.shape);
  return te::Operand::of(tensor(i, name));
}

namespace {
template <class T>
const T* find_attribute(const Node& node, std::string_view name) {
  auto it = node.attributes.find(name);
  return it == node.attributes.end() ? nullptr : std::get_if<T>(&it->second);
}
}  // namespace

int64_t OpCall::integer(std::string_view name, int64_t otherwise) const {
  const auto* v = find_attribute<int64_t>(node, name);
  return v ? *v : otherwise;
}
double OpCall::number(std::string_view name, double otherwise) const {
  const auto* v = find_attribute<double>(node, name);
  return v ? *v : otherwise;
}
std::string OpCall::text(std::string_view name, std::string_view otherwise) const {
  const auto* v = find_attribute<std::string>(node, name);
  return v ? *v : std::string(otherwise);
}
std::vector<int64_t> OpCall::integers(std::string_view name) const {
  const auto* v = find_attribute<std::vector<int64_t>>(node, name);
  return v ? *v : std::vector<int64_t>{};
}

}  // namespace hone::graph
