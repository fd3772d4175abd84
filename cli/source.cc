#include "cli/source.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/cat.h"

namespace hone::cli {

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{ErrorCode::kIoError, cat(path, " is a folder; give a file")};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::kIoError, cat(path, " cannot be read: ", std::strerror(errno))};
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return Error{ErrorCode::kIoError, cat(path, " cannot be read to its end: ", std::strerror(errno))};
  return std::move(text).str();
}

Result<graph::ModelTasks> load_tasks(const SourceOptions& source, const std::vector<std::string>& dims) {
  if (source.model.empty()) {
    HONE_ASSIGN(task, graph::task_from_spec(source.op));
    graph::ModelTasks out{.model_name = source.op};
    out.tasks.push_back(std::move(task));
    out.weights.push_back(1);
    return out;
  }
  HONE_ASSIGN(bound, parse_dims(dims));
  HONE_ASSIGN(bytes, read_file(source.model));
  graph::ImportOptions options;
  options.dims.insert(bound.begin(), bound.end());
  auto tasks = graph::tasks_from_onnx(bytes, options);
  if (!tasks.ok()) return Error{tasks.error().code, cat(source.model, ": ", tasks.error().message)};
  return tasks;
}

}  // namespace hone::cli
