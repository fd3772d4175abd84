// From a model file or an op SPEC on the command line to tasks, or to what a service is sent.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "codegen/graph/import.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

// Fails: io_error when the file cannot be read, with the reason; limit_exceeded beyond 2 GiB, which is as much as an ONNX file may have.
Result<std::string> read_file(const std::string& path);

// An ONNX model with the tensors that lie in files beside it, to be sent. Fails: as map_file, and as the importer does for a path that leads
// elsewhere; limit_exceeded beyond 2 GiB.
Result<std::string> read_model(const std::string& path);

// The same as a graph, whose constants stay in the files. Fails: as map_file and the importer.
Result<graph::Graph> open_model(const std::string& path, graph::ImportOptions options);

// Says in the request what a service works on, and returns what is sent with it: the model's bytes, or none for a SPEC. A SPEC that is a file's path is
// that model. Fails: as read_model and parse_dims.
Result<std::string> set_source(protocol::JobRequest& request, const SourceOptions& source,
                               const std::vector<std::string>& dims);

// The tasks of the source for kernels of the target, here and now; layers_max: what a fragment of the device writes. Fails: as read_file and the
// importer.
Result<graph::ModelTasks> load_tasks(const SourceOptions& source, const CommonOptions& common,
                                     const std::string& target, int64_t layers_max = target::kRenderTargets,
                                     const CancelToken* cancel = nullptr);

// Whether the importer and the passes take the model. Fails: as the importer.
Status check_source(const SourceOptions& source, const CommonOptions& common);

struct PassText {
  std::string pass;  // "" of the graph as it is read
  std::string graph;
};
// The model's graph as text: as it is read, and behind each pass that changed it. The last one is what is cut into tasks. Fails: as load_tasks.
Result<std::vector<PassText>> graph_texts(const SourceOptions& source, const CommonOptions& common);

// Where each node of the model would run ({"placements": …}, as placements_json has it). Fails: as load_tasks.
Result<nlohmann::json> model_placements(const SourceOptions& source, const CommonOptions& common);

// Says why a source was refused. kUsage for a bad SPEC, else kFailed.
ExitCode refuse_source(const SourceOptions& source, const Error& error);

}  // namespace hone::cli
