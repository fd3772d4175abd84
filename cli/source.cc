#include "cli/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/cat.h"
#include "base/map_file.h"
#include "cli/console.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_external.h"
#include "codegen/graph/placements.h"
#include "codegen/graph/spec.h"
#include "codegen/target/target.h"
#include "server/jobs/placements_json.h"

namespace hone::cli {

namespace {
constexpr size_t kFileBytesMax = (size_t{1} << 31) - 1;  // protobuf's limit of a message
constexpr size_t kPieceBytes = 1 << 20;                  // of one read: a device or a pipe tells no size
}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{ErrorCode::kIoError, cat(path, " is a folder; give a file")};
  if (std::filesystem::is_character_file(path, ignored) || std::filesystem::is_block_file(path, ignored))
    return Error{ErrorCode::kIoError, cat(path, " is a device; give a file")};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return Error{ErrorCode::kIoError,
                 cat(path, " cannot be read: ", std::strerror(errno), "; give the path of a file that you may read")};
  std::string text, piece(kPieceBytes, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    text.append(piece, 0, static_cast<size_t>(in.gcount()));
    if (text.size() > kFileBytesMax)
      return Error{ErrorCode::kLimitExceeded, cat(path, " has more than ", kFileBytesMax, " bytes")};
  }
  if (in.bad()) return Error{ErrorCode::kIoError, cat(path, " cannot be read completely: ", std::strerror(errno))};
  return text;
}

namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& folder, const fs::path& file) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Whether the file, links followed, lies below the model's folder, or below the folder of what the model's own path links to: caches of
// downloads keep both files in one place and link to them.
bool is_beside(const fs::path& model, const fs::path& file) {
  std::error_code failed, none;
  const fs::path real = fs::canonical(file, failed);
  if (failed) return true;  // it is not there, which reading says
  const fs::path folder = model.has_parent_path() ? model.parent_path() : ".";
  return lies_below(fs::canonical(folder, none), real) || lies_below(fs::canonical(model, none).parent_path(), real);
}

// The files beside a model, each mapped once.
class FilesBeside {
 public:
  explicit FilesBeside(fs::path model) : model_(std::move(model)) {}

  Result<SharedBytes> part(const graph::FilePart& part) {
    const fs::path path = model_.parent_path() / part.name;
    HONE_ASSIGN(file, mapped(path));
    const auto size = static_cast<int64_t>(file->size());
    const int64_t length = part.length.value_or(std::max<int64_t>(size - part.offset, 0));
    if (part.offset > size || length > size - part.offset)
      return Error{ErrorCode::kBadModel, cat(path.string(), " has ", size, " bytes; the model expects ", length, " at ",
                                             part.offset, ": export or download both again")};
    return shared_part(file, file->substr(static_cast<size_t>(part.offset), static_cast<size_t>(length)));
  }

 private:
  Result<SharedBytes> mapped(const fs::path& path) {
    if (const auto it = files_.find(path.string()); it != files_.end()) return it->second;
    if (!is_beside(model_, path))
      return Error{ErrorCode::kBadModel,
                   cat(path.string(),
                       ", where the model says that some of its tensors lie, is a link that leads elsewhere; "
                       "put the file itself beside the model")};
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
      return Error{ErrorCode::kIoError,
                   cat(path.string(), ", where the model says that some of its tensors lie, cannot be read: ",
                       failed ? failed.message() : "it is no file", "; put it beside the model")};
    HONE_ASSIGN(file, map_file(path.string()));
    return files_[path.string()] = std::move(file);
  }

  const fs::path model_;
  std::map<std::string, SharedBytes> files_;
};

graph::ReadFilePart parts_beside(const std::string& model) {
  return [files = std::make_shared<FilesBeside>(model)](const graph::FilePart& part) { return files->part(part); };
}

}  // namespace

Result<std::string> read_model(const std::string& path) {
  HONE_ASSIGN(file, map_file(path));
  if (file->size() > kFileBytesMax)
    return Error{ErrorCode::kLimitExceeded, cat(path, " has more than ", kFileBytesMax, " bytes")};
  auto whole = graph::with_elements_inside(*file, parts_beside(path));
  if (!whole.ok()) return Error{whole.error().code, cat(path, ": ", whole.error().message)};
  return whole;
}

Result<graph::Graph> open_model(const std::string& path, graph::ImportOptions options) {
  HONE_ASSIGN(file, map_file(path));
  options.read_part = parts_beside(path);
  auto graph = graph::graph_from_onnx(file, options);
  if (!graph.ok()) return Error{graph.error().code, cat(path, ": ", graph.error().message)};
  return graph;
}

Result<std::string> set_source(protocol::JobRequest& request, const SourceOptions& source,
                               const std::vector<std::string>& dims) {
  const std::string file = source.model.empty() && source.op.ends_with(".onnx") ? source.op : source.model;
  if (file.empty()) {
    request.source.op = source.op;
    return std::string();
  }
  HONE_ASSIGN(bound, parse_dims(dims));
  HONE_ASSIGN(bytes, read_model(file));
  request.dims = std::move(bound);
  request.source.model_name = fs::path(file).filename().string();
  return bytes;
}

namespace {

graph::PassNames pass_names(const CommonOptions& common) { return {common.without_passes.begin(), common.without_passes.end()}; }

Result<graph::Graph> source_graph(const SourceOptions& source, const CommonOptions& common) {
  if (source.model.empty()) return graph::graph_from_spec(source.op);
  HONE_ASSIGN(bound, parse_dims(common.dims));
  graph::ImportOptions options;
  options.dims.insert(bound.begin(), bound.end());
  options.shapes = source.shapes;
  return open_model(source.model, options);
}

}  // namespace

Status check_source(const SourceOptions& source, const CommonOptions& common) {
  HONE_ASSIGN(graph, source_graph(source, common));
  const Status prepared = graph::prepare_graph(graph, {.without = pass_names(common)});
  return prepared.ok() ? prepared : Status(Error{prepared.error().code, cat(source.model, ": ", prepared.error().message)});
}

Result<graph::ModelTasks> load_tasks(const SourceOptions& source, const CommonOptions& common,
                                     const std::string& target, int64_t layers_max, const CancelToken* cancel) {
  graph::ImportOptions options;
  options.stored_types = target::stored_types(*target::parse_kind(target));
  options.medium = target::stored_in(*target::parse_kind(target));
  options.layers_max = layers_max;
  options.cancel = cancel;
  options.without_passes = pass_names(common);
  if (source.model.empty()) {
    HONE_ASSIGN(task, graph::task_from_spec(source.op, options));
    graph::ModelTasks out{.model_name = source.op};
    out.tasks.push_back(std::move(task));
    out.weights.push_back(1);
    return out;
  }
  HONE_ASSIGN(bound, parse_dims(common.dims));
  options.dims.insert(bound.begin(), bound.end());
  options.shapes = source.shapes;
  options.read_part = parts_beside(source.model);
  HONE_ASSIGN(file, map_file(source.model));
  auto tasks = graph::tasks_from_onnx(*file, options);
  if (!tasks.ok()) return Error{tasks.error().code, cat(source.model, ": ", tasks.error().message)};
  return tasks;
}

Result<std::vector<PassText>> graph_texts(const SourceOptions& source, const CommonOptions& common) {
  HONE_ASSIGN(graph, source_graph(source, common));
  std::vector<PassText> out{{"", graph::print_graph(graph)}};
  const auto keep_changed = [&](std::string_view pass, const std::string& text) {
    if (text != out.back().graph) out.push_back({std::string(pass), text});
  };
  HONE_TRY(graph::prepare_graph(graph, {.dump = keep_changed, .without = pass_names(common)}));
  return out;
}

Result<nlohmann::json> model_placements(const SourceOptions& source, const CommonOptions& common) {
  HONE_ASSIGN(graph, source_graph(source, common));
  HONE_TRY(graph::prepare_graph(graph, {.without = pass_names(common)}));
  HONE_ASSIGN(steps, graph::steps_of(graph));
  std::vector<std::string> names;
  for (const graph::Step& step : steps.steps) names.push_back(step.work.task.name);
  return nlohmann::json{{"placements", server::placements_json(graph, graph::place_nodes(graph, steps), names)}};
}

ExitCode refuse_source(const SourceOptions& source, const Error& error) {
  const bool bad_spec = source.model.empty() && error.code == ErrorCode::kInvalidArgument;
  return bad_spec ? usage_error(error.message) : fail(error);
}

}  // namespace hone::cli
