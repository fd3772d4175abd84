// What a verb that runs whole models is given: an ONNX file, or an exported package.
#pragma once
#include <string>

#include "cli/model_job.h"
#include "cli/options.h"

namespace hone::cli {

struct ModelSource {
  std::string model;    // a file
  std::string package;  // a folder
};
// The positional argument and --package, of which one is given.
void add_model_source(Verb verb, ModelSource& source);

struct ModelBytes {
  std::string name;   // for people
  std::string bytes;  // ONNX, or an archive
};
// What no service will take is refused before a browser is started for it. inputs: those that are given. Fails: as read_model, check_source and read_package_folder;
// invalid_argument where none or both are given.
Result<ModelBytes> read_model_source(const ModelSource& source, const CommonOptions& common, const std::vector<NamedTensor>& inputs = {});

// Whether the model has functions with jumps, as quantising has them: a sum that lies next to one falls on either side.
bool has_steps(const ModelSource& source, const CommonOptions& common, const std::string& target, const std::vector<NamedTensor>& inputs);

// Says why, and what the process exits with: wrong usage for invalid_argument.
ExitCode refuse_model_source(const Error& error);

}  // namespace hone::cli
