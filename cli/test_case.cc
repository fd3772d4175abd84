#include "cli/test_case.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/cat.h"
#include "cli/source.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/stored_set.h"

namespace hone::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kModel = "model.onnx";
Result<DataSet> read_set(const fs::path& folder, TestCase& test) {
  graph::ImportOptions options;
  options.dims.insert(test.dims.begin(), test.dims.end());
  const auto read = [&](const std::string& file) -> Result<std::optional<std::string>> {
    if (!fs::exists(folder / file)) return std::optional<std::string>();
    HONE_ASSIGN(bytes, read_file((folder / file).string()));
    return std::optional(std::move(bytes));
  };
  HONE_ASSIGN(stored, graph::read_stored_set(test.model, read, options));
  HONE_ASSIGN(graph, graph::graph_from_onnx(test.model, options));
  test.dims.insert(options.dims.begin(), options.dims.end());
  DataSet set{folder.filename().string(), {}, {}};
  for (graph::StoredInput& input : stored.inputs) set.inputs.push_back({input.name, std::move(input.tensor), input.constant});
  if (graph.outputs.size() != stored.outputs.size())
    return Error{ErrorCode::kBadModel, cat("the model has ", graph.outputs.size(), " outputs, and ", folder.string(), " stores ", stored.outputs.size())};
  for (size_t i = 0; i < graph.outputs.size(); i++)
    set.outputs.push_back({graph.value(graph.outputs[i]).name, std::move(stored.outputs[i])});
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
  const std::set<std::string> open = graph::open_dims_of(model);
  for (const auto& [name, extent] : dims)
    if (open.count(name)) out.dims[name] = extent;
  out.model = std::move(model);
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_directory() && entry.path().filename().string().rfind("test_data_set_", 0) == 0)
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  if (sets.empty()) return Error{ErrorCode::kNotFound, cat(folder, " holds no test_data_set_*")};
  for (const fs::path& one : sets) {
    HONE_ASSIGN(set, read_set(one, out));
    out.sets.push_back(std::move(set));
  }
  return out;
}

}  // namespace hone::cli
