#include "cli/test_case.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/cat.h"
#include "cli/source.h"
#include "codegen/graph/onnx_import.h"

namespace hone::cli {

namespace fs = std::filesystem;
using graph::DType;

namespace {

constexpr const char* kModel = "model.onnx";
// Inputs of single-operator tests that models hold as constants.
constexpr const char* kSettings[] = {"scales", "roi", "sizes", "depth", "k", "values"};

bool is_setting(const graph::Value& value, bool only_integers) {
  const bool named = std::find(std::begin(kSettings), std::end(kSettings), value.name) != std::end(kSettings);
  return named || (value.dtype == DType::kI64 && !only_integers);
}

Result<graph::ConstantTensor> read_tensor(const fs::path& path, const graph::Value& value) {
  if (!fs::exists(path))
    return Error{ErrorCode::kUnsupported,
                 cat(path.filename().string(), " is missing: '", value.name, "' is not a tensor")};
  HONE_ASSIGN(bytes, read_file(path.string()));
  HONE_ASSIGN(tensor, graph::tensor_from_onnx(bytes));
  if (value.dtype == DType::kBF16 && tensor.dtype == DType::kU16) tensor.dtype = DType::kBF16;  // as ONNX stores it
  return tensor;
}

Result<DataSet> read_set(const fs::path& folder, const graph::Graph& graph) {
  DataSet set{folder.filename().string(), {}, {}};
  const bool only_integers = std::all_of(graph.inputs.begin(), graph.inputs.end(),
                                         [&](graph::ValueId id) { return graph.value(id).dtype == DType::kI64; });
  for (size_t i = 0; i < graph.inputs.size(); i++) {
    const graph::Value& value = graph.value(graph.inputs[i]);
    HONE_ASSIGN(tensor, read_tensor(folder / cat("input_", i, ".pb"), value));
    if (tensor.shape != value.shape)
      return Error{ErrorCode::kUnsupported,
                   cat("the stored input '", value.name, "' has another shape than the model says")};
    set.inputs.push_back({value.name, std::move(tensor), is_setting(value, only_integers)});
  }
  for (size_t i = 0; i < graph.outputs.size(); i++) {
    const graph::Value& value = graph.value(graph.outputs[i]);
    HONE_ASSIGN(tensor, read_tensor(folder / cat("output_", i, ".pb"), value));
    set.outputs.push_back({value.name, std::move(tensor)});
  }
  return set;
}

}  // namespace

Result<std::vector<std::string>> case_folders(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return std::vector<std::string>{fs::path(path).parent_path().string()};
  if (fs::exists(fs::path(path) / kModel, ignored)) return std::vector<std::string>{path};
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (fs::exists(entry.path() / kModel, ignored)) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  if (out.empty())
    return Error{
        ErrorCode::kNotFound,
        cat(path,
            " holds no model.onnx, nor does a folder in it; give a folder in the layout of ONNX's backend tests")};
  return out;
}

Result<TestCase> read_case(const std::string& folder, const std::map<std::string, int64_t>& dims) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  TestCase out{.name = path.filename().string()};
  HONE_ASSIGN(model, read_model((path / kModel).string()));
  graph::ImportOptions options;
  const std::set<std::string> open = graph::open_dims_of(model);
  for (const auto& [name, extent] : dims)
    if (open.count(name)) out.dims[name] = extent;
  options.dims.insert(out.dims.begin(), out.dims.end());
  HONE_ASSIGN(graph, graph::graph_from_onnx(model, options));
  out.model = std::move(model);
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_directory() && entry.path().filename().string().rfind("test_data_set_", 0) == 0)
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  if (sets.empty()) return Error{ErrorCode::kNotFound, cat(folder, " holds no test_data_set_*")};
  for (const fs::path& one : sets) {
    HONE_ASSIGN(set, read_set(one, graph));
    out.sets.push_back(std::move(set));
  }
  return out;
}

}  // namespace hone::cli
