// hone tracker: the fleet, who is let in, and the agents' page; compile servers are processes of their own (hone server).
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/log.h"
#include "base/net/descriptors.h"
#include "base/sql/database.h"
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/database_owner.h"
#include "cli/embedded.h"
#include "cli/options.h"
#include "cli/serve.h"
#include "cli/tracker_farm.h"
#include "cli/tracker_process.h"
#include "server/agent_files.h"

namespace hone::cli {
namespace {

struct TrackerOptions {
  CommonOptions common;
  ListenOptions listen{.port = kDefaultPort};
};

// The tracker alone, or as one of several on one database.
template <class Process>
ExitCode run_as(const TrackerOptions& options, TrackerProcess::Config config) {
  net::EventLoop loop;
  ServiceManager manager(loop);
  auto tracker = Process::start(loop, std::move(config));
  if (!tracker.ok()) return fail(tracker.error());
  const std::string url = (*tracker)->url();
  if (options.common.json) print_json(nlohmann::ordered_json{{"url", url}, {"port", (*tracker)->port()}, {"db", options.common.db}});
  else std::printf("%s\n", url.c_str());
  std::fflush(stdout);
  log_info(cat("serving; the fleet is in ", options.common.db, "; each browser that opens the URL becomes a device; hone server does the work; Ctrl-C ends"));
  manager.ready();
  const ExitCode code = serve(loop, **tracker, options.listen.drain_s, manager);
  stop_service(loop, *tracker);
  return code;
}

ExitCode run_tracker(const TrackerOptions& options) {
  auto listening = listening_of(options.listen);
  if (!listening.ok()) return listening.error().code == ErrorCode::kInvalidArgument ? usage_error(listening.error().message) : fail(listening.error());
  net::raise_descriptor_limit();
  const std::string files = files_beside(options.common.db);
  TrackerProcess::Config config{.listening = std::move(*listening), .db = options.common.db, .files = files, .agent_files = server::find_agent_files(), .audit_file = files + ".audit.jsonl"};
  return sql::is_postgres(options.common.db) ? run_as<TrackerFarm>(options, std::move(config)) : run_as<TrackerProcess>(options, std::move(config));
}

}  // namespace

void add_tracker(Verb program) {
  auto options = std::make_shared<TrackerOptions>();
  Verb verb = program.sub("tracker", "Serves devices to compile servers that are processes of their own");
  verb.footer(
      "Examples:\n"
      "  hone tracker --db fleet.db                         prints a URL; each browser that opens it becomes a device\n"
      "  hone tracker --db postgresql://hone@db.lab/farm    one of several that share a farm: any may die (docs/processes.md)\n"
      "  hone tokens create --role server --out lab.token --tracker 'http://127.0.0.1:9190/agent/#token=…'\n"
      "  hone server --tracker http://127.0.0.1:9190/ --token-file lab.token");
  add_common_options(verb, options->common, {Uses::kDatabase});
  add_listen_options(verb, options->listen, false);
  add_log_format_option(verb, options->common.log_format);
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .json = options->common.log_format == "json"});
    return run_tracker(*options);
  });
}

}  // namespace hone::cli
