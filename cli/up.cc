// hone up: tracker, compile server and agent page in one process on one port.
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

struct UpOptions {
  CommonOptions common;
  std::string host = "127.0.0.1";
  int port = kDefaultPort;
};

ExitCode run_up(const UpOptions&) { return fail(Error{ErrorCode::kUnsupported, "hone up is not built yet"}); }

}  // namespace

void add_up(CLI::App& app, Run& run) {
  auto options = std::make_shared<UpOptions>();
  CLI::App* verb = app.add_subcommand("up", "Serves: tracker, compile server and agent page on one port");
  verb->footer(
      "Examples:\n"
      "  hone up                        prints a URL; each browser that opens it becomes a device\n"
      "  hone up --port 0 --db farm.db  on a free port, with a database of its own");
  add_common_options(*verb, options->common);
  verb->add_option("--host", options->host, "Address to listen on; loopback unless you know better")->capture_default_str();
  verb->add_option("--port", options->port, "Port to listen on; 0 takes a free one")->capture_default_str()->check(CLI::Range(0, 65535).description("0..65535"));
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->common.quiet});
      return run_up(*options);
    };
  });
}

}  // namespace hone::cli
