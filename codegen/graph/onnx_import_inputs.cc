#include "codegen/graph/onnx_import_inputs.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <unordered_set>

#include "base/cat.h"
#include "base/shell_quoted.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// Some exporters write −1 for a size that they do not know.
bool is_fixed(const OnnxDimension& dim) { return dim.value && *dim.value >= 0; }

std::string open_dim_name(const OnnxDimension& dim, std::string_view input, int place) {
  return dim.param.empty() ? cat(input, ".", place) : std::string(dim.param);
}

// Of the tensors that a type is made of; null: of something else.
const OnnxType* tensor_type(const OnnxType& type) {
  const OnnxType* at = &type;
  while (at && (at->kind == OnnxType::kSequence || at->kind == OnnxType::kOptional)) at = at->element.get();
  return at && at->kind == OnnxType::kTensor ? at : nullptr;
}

// The word as one may type it.
std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || std::strchr("._-=/+,", c));
  });
  return plain ? word : shell_quoted(word);
}

}  // namespace

std::vector<std::pair<std::string, size_t>> open_dims_by_place(const OnnxValueInfo& input) {
  std::vector<std::pair<std::string, size_t>> out;
  const OnnxType* type = tensor_type(input.type);
  if (!type || !type->shape) return out;
  for (size_t place = 0; place < type->shape->size(); place++)
    if (const OnnxDimension& dim = (*type->shape)[place]; !is_fixed(dim))
      out.emplace_back(open_dim_name(dim, input.name, static_cast<int>(place)), place);
  return out;
}

std::set<std::string> open_dims(const OnnxGraph& graph) {
  std::set<std::string> names;
  for (const OnnxValueInfo& input : graph.inputs) {
    for (const auto& [name, place] : open_dims_by_place(input)) names.insert(name);
    if (input.type.kind == OnnxType::kSequence || input.type.kind == OnnxType::kOptional) names.insert(length_name(input.name));
  }
  return names;
}

bool is_one_whole_number(const OnnxValueInfo& input) {
  DType dtype;
  if (input.type.kind != OnnxType::kTensor || !input.type.shape || !dtype_of_onnx(input.type.elem_type, &dtype) || !ir::is_int(dtype)) return false;
  return std::all_of(input.type.shape->begin(), input.type.shape->end(), [](const OnnxDimension& dim) { return dim.value && *dim.value == 1; });
}

std::vector<std::reference_wrapper<const OnnxValueInfo>> inputs_without_initialisers(const OnnxGraph& graph) {
  std::unordered_set<std::string_view> constants;
  for (const OnnxTensor& t : graph.initialisers) constants.insert(t.name);
  for (const OnnxSparseTensor& t : graph.sparse_initialisers) constants.insert(t.values.name);
  std::vector<std::reference_wrapper<const OnnxValueInfo>> out;
  for (const OnnxValueInfo& input : graph.inputs)
    if (!constants.count(input.name)) out.push_back(input);
  return out;
}

const Shape* InputReader::given_shape(std::string_view name) const {
  const auto it = options_.shapes.find(name);
  return it == options_.shapes.end() ? nullptr : &it->second;
}

void InputReader::learn_sizes() {
  for (const OnnxValueInfo& input : proto_.inputs) {
    const Shape* given = given_shape(input.name);
    for (const auto& [name, place] : open_dims_by_place(input))
      if (given && place < given->size()) sizes_.emplace(name, (*given)[place]);
  }
}

// Of a sequence that is given, how many tensors it has; −1: it is not.
int64_t InputReader::length_of(std::string_view input) const {
  int64_t length = 0;
  while (given_shape(cat(input, ".", length))) length++;
  return length > 0 ? length : -1;
}

// Those that nobody has told are kept in unbound_, with extent 1 for now.
Result<int64_t> InputReader::bound(OpenDimension dimension) {
  HONE_TRY(check_name(dimension.name));
  if (const auto it = sizes_.find(dimension.name); it != sizes_.end()) return it->second;
  if (unbound_names_.insert(dimension.name).second && unbound_.size() < kNamesToldMax) unbound_.push_back(std::move(dimension));
  return 1;
}

Result<int64_t> InputReader::extent_of(const OnnxDimension& dim, std::string_view input, int place) {
  if (is_fixed(dim)) return *dim.value;
  return bound({open_dim_name(dim, input, place), std::string(input), place, !dim.param.empty()});
}

Status InputReader::use_given(Value& value) const {
  if (const auto fixed = options_.dims.find(value.name); fixed != options_.dims.end() && ir::is_int(value.dtype) && ir::element_count(value.shape) == 1) {
    value.constant = true;
    value.bytes = from_doubles(value.dtype, value.shape, {static_cast<double>(fixed->second)}).bytes;
    return ok_status();
  }
  const auto given = options_.constants.find(value.name);
  if (given == options_.constants.end()) return ok_status();
  if (given->second.dtype != value.dtype || given->second.shape != value.shape)
    return Error{ErrorCode::kInvalidArgument,
                 cat("what is given for input '", value.name, "' is ", ir::dtype_name(given->second.dtype), " of shape ",
                     te::shape_text(given->second.shape), "; the model expects ", ir::dtype_name(value.dtype), " of ",
                     te::shape_text(value.shape))};
  value.constant = true;
  value.bytes = given->second.bytes;
  return ok_status();
}

Result<Value> InputReader::read_tensor(const OnnxType& type, std::string_view name, std::string_view input) {
  const std::string what = cat("input '", input, "'");
  Value value;
  value.name = name;
  if (!dtype_of_onnx(type.elem_type, &value.dtype))
    return Error{ErrorCode::kUnsupported,
                 cat(what, " has element type ", onnx_type_name(type.elem_type), ", which hone does not support")};
  const Shape* given = given_shape(name);
  if (given && type.shape && given->size() != type.shape->size())
    return Error{ErrorCode::kInvalidArgument, cat("what is given for input '", name, "' is of shape ", te::shape_text(*given), "; the model expects ", type.shape->size(), " dimensions")};
  if (!type.shape && given) value.shape = *given;
  else if (!type.shape)
    return Error{ErrorCode::kUnsupported, cat(what, " has no shape; hone needs every size when it compiles: give the input, or export the model with one")};
  for (size_t place = 0; type.shape && place < type.shape->size(); place++) {
    const OnnxDimension& dim = (*type.shape)[place];
    // Tensors of one sequence may have different sizes under one name.
    const bool told = given && name != input && !is_fixed(dim);
    HONE_ASSIGN(extent, told ? Result<int64_t>((*given)[place]) : extent_of(dim, input, static_cast<int>(place)));
    value.shape.push_back(extent);
  }
  HONE_TRY(check_shape(value.shape, what));
  value.shape_known = true;
  HONE_TRY(use_given(value));
  return value;
}

Result<std::vector<Value>> InputReader::read(const OnnxValueInfo& input) {
  HONE_TRY(check_name(input.name));
  const OnnxType* type = tensor_type(input.type);
  if (!type) return Error{ErrorCode::kUnsupported, cat("input '", input.name, "' is not a tensor")};
  std::vector<Value> out;
  if (type == &input.type) {
    HONE_ASSIGN(value, read_tensor(*type, input.name, input.name));
    out.push_back(std::move(value));
    return out;
  }
  const int64_t told = sizes_.count(length_name(input.name)) ? -1 : length_of(input.name);
  HONE_ASSIGN(length, told >= 0 ? Result<int64_t>(told) : bound({length_name(input.name), std::string(input.name), -1, true}));
  if (length < 0 || length > static_cast<int64_t>(kSettingsMax))
    return Error{ErrorCode::kLimitExceeded, cat("input '", input.name, "' has ", length, " tensors; expected 0 to ", kSettingsMax)};
  for (int64_t i = 0; i < length; i++) {
    HONE_ASSIGN(value, read_tensor(*type, cat(input.name, ".", i), input.name));
    out.push_back(std::move(value));
  }
  return out;
}

// A name that binds nothing is a slip of the pen, and the size that was meant stays what it is.
Status InputReader::check_dims_known() const {
  if (options_.dims.empty()) return ok_status();
  const std::set<std::string> open = open_dims(proto_);
  std::set<std::string_view> numbers;
  for (const OnnxValueInfo& input : proto_.inputs)
    if (is_one_whole_number(input)) numbers.insert(input.name);
  for (const auto& [name, extent] : options_.dims)
    if (!open.count(name) && !numbers.count(name))
      return te::bad_model(cat("no size of the model's inputs is called '", name, "'; ",
                               open.empty() ? "all of them are fixed" : cat("those left open are ", name_list(open)),
                               "; leave out --dim ", shell_word(cat(name, "=", extent))));
  return ok_status();
}

// The options come first: a long message is cut at its end.
Status InputReader::check_bound() const {
  if (unbound_.empty()) return ok_status();
  std::string which, bindings;
  for (const OpenDimension& d : unbound_) {
    which += cat(which.empty() ? "" : ", ", "'", d.name, "' is ",
                 d.place < 0 ? "the number of tensors" : cat("dimension ", d.place), " of input '", d.input, "'",
                 d.has_name ? "" : " and has no name in the model");
    bindings += cat(" --dim ", shell_word(d.name + "=1"));
  }
  const size_t count = unbound_names_.size();
  if (count > unbound_.size()) bindings += " …";
  return te::bad_model(cat("the model leaves ", count == 1 ? "a size" : cat(count, " sizes"),
                           " open, and hone needs every size when it compiles; add", bindings, ", or the ",
                           count == 1 ? "size" : "sizes", " you need: ", which));
}

Status InputReader::check_sizes() const {
  HONE_TRY(check_dims_known());
  return check_bound();
}

}  // namespace hone::graph
