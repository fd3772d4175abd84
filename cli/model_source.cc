#include "cli/model_source.h"

#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "cli/console.h"
#include "cli/package_folder.h"
#include "cli/source.h"

namespace hone::cli {

namespace fs = std::filesystem;

namespace {

SourceOptions source_of(const ModelSource& source, const std::vector<NamedTensor>& inputs) {
  SourceOptions out{.model = source.model};
  for (const NamedTensor& input : inputs) out.shapes[input.name] = input.tensor.shape;
  return out;
}

}  // namespace

bool has_steps(const ModelSource& source, const CommonOptions& common, const std::string& target, const std::vector<NamedTensor>& inputs) {
  if (!source.package.empty()) return false;
  const auto model = load_tasks(source_of(source, inputs), common, target);
  return model.ok() && std::any_of(model->tasks.begin(), model->tasks.end(), [](const te::Task& task) {
    const std::string text = te::canonical_text(task);
    return text.find("round(") != std::string::npos || text.find("floor(") != std::string::npos;
  });
}

void add_model_source(Verb verb, ModelSource& source) {
  const Option model = verb.option("model", source.model, "ONNX model file");
  verb.option("--package", source.package, "Folder of an exported package, instead of a model").excludes(model);
}

Result<ModelBytes> read_model_source(const ModelSource& source, const CommonOptions& common, const std::vector<NamedTensor>& inputs) {
  if (source.package.empty()) {
    if (source.model.empty()) return Error{ErrorCode::kInvalidArgument, "nothing to run: give a model file or --package DIR"};
    HONE_ASSIGN(bytes, read_model(source.model));
    HONE_TRY(check_source(source_of(source, inputs), common));
    return ModelBytes{fs::path(source.model).filename().string(), std::move(bytes)};
  }
  if (!common.without_passes.empty())
    return Error{ErrorCode::kInvalidArgument, "the graph of a package is fixed; leave out --without-pass, or export it with --without-pass again"};
  if (!common.dims.empty())
    return Error{ErrorCode::kInvalidArgument, "the sizes of a package are fixed; leave out --dim, or export it with --dim again"};
  HONE_ASSIGN(archive, read_package_folder(source.package));
  const fs::path path = fs::path(source.package).lexically_normal();
  return ModelBytes{(path.has_filename() ? path : path.parent_path()).filename().string(), std::move(archive)};
}

ExitCode refuse_model_source(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? usage_error(error.message) : fail(error);
}

}  // namespace hone::cli
