#include "cli/source.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "cli/console.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/spec.h"
#include "codegen/target/target.h"

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
  if (in.bad()) return Error{ErrorCode::kIoError, cat(path, " cannot be read to its end: ", std::strerror(errno))};
  return text;
}

Result<graph::ModelTasks> load_tasks(const SourceOptions& source, const std::vector<std::string>& dims,
                                     const std::string& target, int64_t layers_max, const CancelToken* cancel) {
  graph::ImportOptions options;
  options.stored_types = target::stored_types(*target::parse_kind(target));
  options.medium = target::stored_in(*target::parse_kind(target));
  options.layers_max = layers_max;
  options.cancel = cancel;
  if (source.model.empty()) {
    HONE_ASSIGN(task, graph::task_from_spec(source.op, options));
    graph::ModelTasks out{.model_name = source.op};
    out.tasks.push_back(std::move(task));
    out.weights.push_back(1);
    return out;
  }
  HONE_ASSIGN(bound, parse_dims(dims));
  HONE_ASSIGN(bytes, read_file(source.model));
  options.dims.insert(bound.begin(), bound.end());
  auto tasks = graph::tasks_from_onnx(bytes, options);
  if (!tasks.ok()) return Error{tasks.error().code, cat(source.model, ": ", tasks.error().message)};
  return tasks;
}

Result<std::string> graph_text(const SourceOptions& source, const std::vector<std::string>& dims) {
  graph::Graph graph;
  if (source.model.empty()) {
    HONE_ASSIGN(made, graph::graph_from_spec(source.op));
    graph = std::move(made);
  } else {
    HONE_ASSIGN(bound, parse_dims(dims));
    HONE_ASSIGN(bytes, read_file(source.model));
    graph::ImportOptions options;
    options.dims.insert(bound.begin(), bound.end());
    auto read = graph::graph_from_onnx(bytes, options);
    if (!read.ok()) return Error{read.error().code, cat(source.model, ": ", read.error().message)};
    graph = std::move(*read);
  }
  HONE_TRY(graph::prepare_graph(graph));
  return graph::print_graph(graph);
}

ExitCode refuse_source(const SourceOptions& source, const Error& error) {
  const bool bad_spec = source.model.empty() && error.code == ErrorCode::kInvalidArgument;
  return bad_spec ? usage_error(error.message) : fail(error);
}

}  // namespace hone::cli
