// hone compile: shows every stage of the compiler as text.
#include "cli/options.h"

#include <cstdio>

#include "cli/console.h"

namespace hone::cli {
namespace {

struct CompileOptions {
  CommonOptions common;
  SourceOptions source;
  std::string target = "webgpu";
  std::string dump = "source";
  std::string trace_file;
  std::string schedule = "seed";
  int task = -1;
};

ExitCode run_compile(const CompileOptions& options) {
  if (options.source.model.empty() && options.source.op.empty())
    return usage_error("nothing to compile: give a model file or --op SPEC, for example --op matmul:512x512x512");
  auto dims = parse_dims(options.common.dims);
  if (!dims.ok()) return usage_error(dims.error().message);
  return fail(Error{ErrorCode::kUnsupported, "hone compile is not built yet"});
}

}  // namespace

void add_compile(CLI::App& app, Run& run) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* verb = app.add_subcommand("compile", "Shows every stage of the compiler as text");
  verb->footer(
      "Examples:\n"
      "  hone compile --op matmul:512x512x512                           the kernel of the untuned schedule\n"
      "  hone compile --op matmul:512x512x512 --schedule naive --dump ir\n"
      "  hone compile model.onnx --task 3 --dump te\n"
      "  hone compile --op matmul:512x512x512 --trace best.json --dump source");
  add_common_options(*verb, options->common);
  add_source_options(*verb, options->source);
  verb->add_option("--target", options->target, "Where the kernel runs")->capture_default_str()->check(CLI::IsMember({"webgpu"}));
  verb->add_option("--dump", options->dump, "The stage to print")->capture_default_str()
      ->check(CLI::IsMember({"te", "space", "schedule", "ir", "source"}));
  auto* trace = verb->add_option("--trace", options->trace_file, "A schedule as JSON, as hone records prints it");
  verb->add_option("--schedule", options->schedule, "naive, or seed (what an untuned task has)")->capture_default_str()
      ->check(CLI::IsMember({"naive", "seed"}))->excludes(trace);
  verb->add_option("--task", options->task, "Only this task of a model, counted from 0")->check(whole_from_0());
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->common.quiet});
      return run_compile(*options);
    };
  });
}

}  // namespace hone::cli
