// hone devices: the fleet of a running service.
#include "cli/console.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

ExitCode run_devices(const CommonOptions& options) {
  if (options.tracker.empty()) return usage_error("no service to ask: give --tracker with the URL that hone up prints");
  return fail(Error{ErrorCode::kUnsupported, "hone devices is not built yet"});
}

}  // namespace

void add_devices(CLI::App& app, Run& run) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* verb = app.add_subcommand("devices", "Lists the devices of a running service");
  verb->footer("Example:\n  hone devices --tracker 'http://127.0.0.1:9190/agent/#token=…'");
  add_common_options(*verb, *options);
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->quiet});
      return run_devices(*options);
    };
  });
}

}  // namespace hone::cli
