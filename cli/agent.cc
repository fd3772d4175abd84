// hone agent: a headless browser on this machine, connected to a service and restarted when it hangs or dies.
#include "cli/console.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

struct AgentOptions {
  CommonOptions common;
  std::string browser = "chromium";
};

ExitCode run_agent(const AgentOptions& options) {
  if (options.common.tracker.empty())
    return usage_error("no service to connect to: give --tracker with the URL that hone up prints");
  return fail(Error{ErrorCode::kUnsupported, "hone agent is not built yet"});
}

}  // namespace

void add_agent(CLI::App& app, Run& run) {
  auto options = std::make_shared<AgentOptions>();
  CLI::App* verb = app.add_subcommand("agent", "Starts a headless browser on this machine and connects it to a service");
  verb->footer("Example:\n  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…'");
  add_common_options(*verb, options->common);
  verb->add_option("--browser", options->browser, "Which browser")->capture_default_str()->check(CLI::IsMember({"chromium"}));
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->common.quiet});
      return run_agent(*options);
    };
  });
}

}  // namespace hone::cli
