#include "cli/options.h"

#include <charconv>
#include <cstdlib>

#include "base/cat.h"
#include "codegen/graph/prepare_graph.h"

namespace hone::cli {

namespace {

void add_model_options(Verb verb, CommonOptions& options) {
  std::vector<std::string> passes;
  for (std::string_view name : graph::optional_passes()) passes.emplace_back(name);
  verb.option("--dim", options.dims, "Binds a symbolic dimension of the model: NAME=N").one_word_each();
  verb.option("--without-pass", options.without_passes, "Leaves a pass over the model's graph out").one_word_each().check(one_of(passes));
}

}  // namespace

void add_common_options(Verb verb, CommonOptions& options, const std::set<Uses>& uses) {
  options.verb = verb.name();
  if (uses.count(Uses::kDatabase))
    verb.option("--db", options.db, "Database file").default_shown().check(not_empty()).on_given([&options] {
      options.db_given = true;
    });
  if (uses.count(Uses::kService)) {
    verb.option("--tracker", options.tracker, "URL of a running service: with its token, as hone up prints it, or without")
        .check(not_empty());
    verb.option("--token-file", options.token_file, "File that holds the token; else the URL has it, else HONE_TOKEN").check(not_empty());
    verb.option("--ca", options.ca_file, "File (PEM) of the authority by which an https service shows who it is; else the system's, and that of hone tls init").check(not_empty());
    if (const char* token = std::getenv(kTokenVariable)) options.environment_token = token;
  }
  if (uses.count(Uses::kSeed)) verb.option("--seed", options.seed, "Seed of all random choices").default_shown();
  if (uses.count(Uses::kModels)) add_model_options(verb, options);
  verb.flag("--json", options.json, "Prints the result as JSON on stdout");
  verb.flag("--quiet", options.quiet, "Prints errors only");
}

void add_source_options(Verb verb, SourceOptions& options) {
  Option model = verb.option("model", options.model, "ONNX model file");
  Option op = verb.option("--op", options.op, "One operator, e.g. matmul:512x512x512 or a one-node .onnx file");
  op.excludes(model);
  model.excludes(op);
}

void add_log_format_option(Verb verb, std::string& format) {
  verb.option("--log-format", format, "Logs on stderr as text for people, or a JSON object per line")
      .default_shown()
      .check(one_of({"text", "json"}));
}

void add_tolerance_option(Verb verb, double& tolerance) {
  verb.option("--tolerance", tolerance,
              "Largest error of a kernel that is allowed, relative to the range of its result; from 0.001 on, f16 "
              "storage is tried")
      .check(in_range(0.0, 1.0));
}

}  // namespace hone::cli
