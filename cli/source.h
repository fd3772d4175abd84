// From a model file or an op SPEC on the command line to tasks, or to what a service is sent.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "codegen/graph/import.h"

namespace hone::cli {

// Fails: io_error when the file cannot be read, with the reason.
Result<std::string> read_file(const std::string& path);

// The tasks of the source, here and now. Fails: as read_file and the importer.
Result<graph::ModelTasks> load_tasks(const SourceOptions& source, const std::vector<std::string>& dims);

}  // namespace hone::cli
