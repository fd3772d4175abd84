#include "codegen/graph/onnx_import_inputs.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/cat.h"
#include "base/shell_quoted.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/onnx_import_names.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {
namespace {

// Some exporters write −1 for a size that they do not know.
bool is_fixed(const OnnxDimension& dim) { return dim.value && *dim.value >= 0; }

std::string open_dim_name(const OnnxDimension& dim, std::string_view input, int place) {
  return dim.param.empty() ? cat(input, ".", place) : std::string(dim.param);
}

// The word as one may type it.
std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || std::strchr("._-=/+,", c));
  });
  return plain ? word : shell_quoted(word);
}

}  // namespace

std::set<std::string> open_dims(const OnnxGraph& graph) {
  std::set<std::string> names;
  for (const OnnxValueInfo& input : graph.inputs) {
    int place = 0;
    if (!input.type.shape) continue;
    for (const OnnxDimension& dim : *input.type.shape) {
      if (!is_fixed(dim)) names.insert(open_dim_name(dim, input.name, place));
      place++;
    }
  }
  return names;
}

// Those that options.dims lacks are kept in unbound_, with extent 1 for now.
Result<int64_t> InputReader::extent_of(const OnnxDimension& dim, std::string_view input, int place) {
  if (is_fixed(dim)) return *dim.value;
  const std::string name = open_dim_name(dim, input, place);
  HONE_TRY(check_name(name));
  if (const auto it = options_.dims.find(name); it != options_.dims.end()) return it->second;
  if (unbound_names_.insert(name).second && unbound_.size() < kNamesToldMax)
    unbound_.push_back({name, std::string(input), place, !dim.param.empty()});
  return 1;
}

Result<Value> InputReader::read(const OnnxValueInfo& input) {
  HONE_TRY(check_name(input.name));
  const OnnxType& type = input.type;
  const std::string what = cat("input '", input.name, "'");
  if (type.kind != OnnxType::kTensor) return Error{ErrorCode::kUnsupported, cat(what, " is not a tensor")};
  Value value;
  value.name = input.name;
  if (!dtype_of_onnx(type.elem_type, &value.dtype))
    return Error{ErrorCode::kUnsupported,
                 cat(what, " has element type ", onnx_type_name(type.elem_type), ", which hone does not support")};
  if (!type.shape) return te::bad_model(cat(what, " has no shape; hone needs every size when it compiles"));
  for (const OnnxDimension& dim : *type.shape) {
    HONE_ASSIGN(extent, extent_of(dim, input.name, static_cast<int>(value.shape.size())));
    value.shape.push_back(extent);
  }
  HONE_TRY(check_shape(value.shape, what));
  value.shape_known = true;
  return value;
}

// A name that binds nothing is a slip of the pen, and the size that was meant stays what it is.
Status InputReader::check_dims_known() const {
  if (options_.dims.empty()) return ok_status();
  const std::set<std::string> open = open_dims(proto_);
  for (const auto& [name, extent] : options_.dims)
    if (!open.count(name))
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
    which += cat(which.empty() ? "" : ", ", "'", d.name, "' is dimension ", d.place, " of input '", d.input, "'",
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
