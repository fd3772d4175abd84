#include <cmath>

#include "base/cat.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_table.h"

namespace hone::graph {

Result<std::vector<double>> OpCall::numbers(size_t i) const {
  if (!has_input(i)) return std::vector<double>{};
  const Value& v = value(i);
  if (!v.constant || !v.bytes)
    return Error{ErrorCode::kUnsupported,
                 cat("input '", v.name, "' must be a constant of the model; hone does not support values that are computed at run time here")};
  if (ir::element_count(v.shape) > static_cast<int64_t>(kSettingsMax))
    return Error{ErrorCode::kLimitExceeded,
                 cat("input '", v.name, "' has ", ir::element_count(v.shape), " elements; expected ", kSettingsMax, " at most here")};
  return to_doubles({v.dtype, v.shape, v.bytes});
}

namespace {
// Beyond 64 bits the nearest number.
int64_t whole(double v) { return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : static_cast<int64_t>(v); }
}  // namespace

Result<std::vector<int64_t>> OpCall::integers(size_t i) const {
  HONE_ASSIGN(values, numbers(i));
  std::vector<int64_t> out;
  for (double v : values) {
    if (std::isnan(v)) return Error{ErrorCode::kBadModel, cat("input '", value(i).name, "' holds no number where one is needed")};
    out.push_back(whole(v));
  }
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

template <class T>
const T* OpCall::find_attribute(std::string_view name, std::string_view kind) const {
  const auto it = node.attributes.find(name);
  if (it == node.attributes.end()) return nullptr;
  const T* found = std::get_if<T>(&it->second);
  if (!found && !misread_)
    misread_ = Error{ErrorCode::kBadModel, cat("its attribute '", name, "' is of another kind; expected ", kind)};
  return found;
}

int64_t OpCall::integer(std::string_view name, int64_t otherwise) const {
  const auto* v = find_attribute<int64_t>(name, "an integer");
  return v ? *v : otherwise;
}
double OpCall::number(std::string_view name, double otherwise) const {
  const auto* v = find_attribute<double>(name, "a float");
  return v ? *v : otherwise;
}
std::string OpCall::text(std::string_view name, std::string_view otherwise) const {
  const auto* v = find_attribute<std::string>(name, "a string");
  return v ? *v : std::string(otherwise);
}
std::vector<int64_t> OpCall::integers(std::string_view name) const {
  const auto* v = find_attribute<std::vector<int64_t>>(name, "integers");
  return v ? *v : std::vector<int64_t>{};
}
std::vector<double> OpCall::numbers(std::string_view name) const {
  const auto* v = find_attribute<std::vector<double>>(name, "floats");
  return v ? *v : std::vector<double>{};
}

std::vector<std::string> OpCall::texts(std::string_view name) const {
  const auto* v = find_attribute<std::vector<std::string>>(name, "strings");
  return v ? *v : std::vector<std::string>{};
}

}  // namespace hone::graph
