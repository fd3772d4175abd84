// hone tune: tunes every distinct task of a model, or one operator, on one device.
#include "cli/console.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

struct TuneOptions {
  CommonOptions common;
  SourceOptions source;
  std::string target = "webgpu";
  std::string device;
  int trials = 64;
  double time_s = 0;
};

ExitCode run_tune(const TuneOptions& options) {
  if (options.source.model.empty() && options.source.op.empty())
    return usage_error("nothing to tune: give a model file or --op SPEC, for example --op matmul:512x512x512");
  auto dims = parse_dims(options.common.dims);
  if (!dims.ok()) return usage_error(dims.error().message);
  return fail(Error{ErrorCode::kUnsupported, "hone tune is not built yet"});
}

}  // namespace

void add_tune(CLI::App& app, Run& run) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* verb = app.add_subcommand("tune", "Tunes every distinct kernel of a model, or one operator, on a device");
  verb->footer(
      "Examples:\n"
      "  hone tune model.onnx --trials 64               in a headless Chromium, started for the purpose\n"
      "  hone tune --op matmul:512x512x512 --json       one operator, the result as JSON\n"
      "  hone tune model.onnx --time 300 --tracker 'http://127.0.0.1:9190/agent/#token=…' --device target=webgpu\n"
      "A run that was interrupted resumes where it stopped.");
  add_common_options(*verb, options->common);
  add_source_options(*verb, options->source);
  verb->add_option("--target", options->target, "Where the kernels run")->capture_default_str()->check(CLI::IsMember({"webgpu"}));
  verb->add_option("--device", options->device, "Selector: a device id, a kind, or e.g. target=webgpu&vendor=apple");
  verb->add_option("--trials", options->trials, "Trials per task")->capture_default_str()->check(whole_from_1());
  verb->add_option("--time", options->time_s, "Seconds for the whole run; 0 sets no limit")->capture_default_str()->check(number_from_0());
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->common.quiet});
      return run_tune(*options);
    };
  });
}

}  // namespace hone::cli
