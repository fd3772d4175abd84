#include "cli/options.h"

#include <charconv>

#include "base/cat.h"

namespace hone::cli {

void add_common_options(Verb verb, CommonOptions& options, const std::set<Uses>& uses) {
  options.verb = verb.name();
  if (uses.count(Uses::kDatabase))
    verb.option("--db", options.db, "Database file").default_shown().check(not_empty()).on_given([&options] {
      options.db_given = true;
    });
  if (uses.count(Uses::kService))
    verb.option("--tracker", options.tracker, "URL of a running service, with its token, as hone up prints it")
        .check(not_empty());
  if (uses.count(Uses::kSeed)) verb.option("--seed", options.seed, "Seed of all random choices").default_shown();
  if (uses.count(Uses::kDims))
    verb.option("--dim", options.dims, "Binds a symbolic dimension of the model: NAME=N").one_word_each();
  verb.flag("--json", options.json, "Prints the result as JSON on stdout");
  verb.flag("--quiet", options.quiet, "Prints errors only");
}

void add_source_options(Verb verb, SourceOptions& options) {
  Option model = verb.option("model", options.model, "ONNX model file");
  Option op = verb.option("--op", options.op, "One operator, e.g. matmul:512x512x512 or a one-node .onnx file");
  op.excludes(model);
  model.excludes(op);
}

void add_tolerance_option(Verb verb, double& tolerance) {
  verb.option("--tolerance", tolerance,
              "Largest error of a kernel that is allowed, relative to the range of its result; from 0.001 on, f16 "
              "storage is tried")
      .check(in_range(0.0, 1.0));
}

}  // namespace hone::cli
