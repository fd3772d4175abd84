// hone server: a compile server with its records, on the devices of a tracker elsewhere.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/cat.h"
#include "base/log.h"
#include "base/net/descriptors.h"
#include "base/sql/database.h"
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/database_owner.h"
#include "cli/embedded.h"
#include "cli/find_service.h"
#include "cli/options.h"
#include "cli/serve.h"
#include "cli/server_name.h"
#include "cli/server_process.h"
#include "tracker/farm_addresses.h"

namespace hone::cli {
namespace {

struct ServerOptions {
  CommonOptions common;
  ListenOptions listen{.port = kDefaultServerPort};
  std::vector<std::string> pages, more_trackers;
  std::string name = default_server_name();
};

// "" of a file, which no other server has.
Result<std::string> name_of(const ServerOptions& options) {
  if (!sql::is_postgres(options.common.db)) return std::string();
  HONE_TRY(check_server_name(options.name));
  return options.name;
}

Result<std::vector<net::ConnectTo>> addresses_of(const std::vector<std::string>& urls, const ServiceUrl& first) {
  std::vector<net::ConnectTo> addresses;
  for (const std::string& url : urls) {
    HONE_ASSIGN(to, tracker::address_of(without_token(url)));
    if (first.https && !to.tls) return Error{ErrorCode::kInvalidArgument, cat("--more-tracker: found ", url, ", expected an https: URL, as --tracker is")};
    addresses.push_back(std::move(to));
  }
  return addresses;
}

Result<std::vector<std::string>> origins_of(const std::vector<std::string>& pages) {
  std::vector<std::string> origins;
  for (const std::string& page : pages) {
    HONE_ASSIGN(origin, parse_public_url(page));
    origins.push_back(std::move(origin));
  }
  return origins;
}

Result<ServerProcess::Config> config_of(const ServerOptions& options) {
  HONE_ASSIGN(listening, listening_of(options.listen));
  HONE_ASSIGN(tracker, with_token(options.common.tracker, options.common));
  HONE_ASSIGN(url, parse_service_url(tracker, options.common.ca_file));
  HONE_ASSIGN(origins, origins_of(options.pages));
  HONE_ASSIGN(more, addresses_of(options.more_trackers, url));
  HONE_ASSIGN(name, name_of(options));
  const std::string files = name.empty() ? options.common.db : cat(files_beside(options.common.db), "-", name);
  return ServerProcess::Config{.listening = std::move(listening),
                               .tracker = std::move(url),
                               .more_trackers = std::move(more),
                               .page_origins = std::move(origins),
                               .db = options.common.db,
                               .name = name,
                               .files = files,
                               .cache_folder = cache_folder(),
                               .model_program = "/proc/self/exe",
                               .workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1),
                               .audit_file = files + ".audit.jsonl"};
}

ExitCode run_server(const ServerOptions& options) {
  auto config = config_of(options);
  if (!config.ok()) return config.error().code == ErrorCode::kInvalidArgument ? usage_error(config.error().message) : fail(config.error());
  net::raise_descriptor_limit();
  net::EventLoop loop;
  ServiceManager manager(loop);
  std::optional<ExitCode> refused;
  config->on_refused = [&](const Error& why) {
    refused = fail(Error{why.code, cat("the tracker does not let this server in: ", why.message)});
    loop.stop();
  };
  auto server = ServerProcess::start(loop, std::move(*config));
  if (!server.ok()) return fail(server.error());
  if (options.common.json) print_json(nlohmann::ordered_json{{"url", (*server)->url()}, {"port", (*server)->port()}, {"db", options.common.db}});
  else std::printf("%s\n", (*server)->url().c_str());
  std::fflush(stdout);
  log_info(cat("serving; records in ", options.common.db, "; hone tune MODEL.onnx --tracker ", (*server)->url(), " works here, with a token of the tracker; Ctrl-C ends"));
  manager.ready();
  const ExitCode code = serve(loop, **server, options.listen.drain_s, manager);
  stop_service(loop, *server);
  return refused.value_or(code);
}

}  // namespace

void add_server(Verb program) {
  auto options = std::make_shared<ServerOptions>();
  Verb verb = program.sub("server", "Serves jobs on the devices of a tracker that is a process of its own");
  verb.footer(
      "Examples:\n"
      "  hone server --tracker http://lab:9190/ --token-file server.token --host 0.0.0.0   agents dial this machine\n"
      "  hone server --tracker http://lab:9190/ --token-file server.token --db postgresql://hone@db.lab/farm   records shared with other servers\n"
      "  hone tune model.onnx --tracker http://here:9191/ --token-file ann.token           a job of it");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  add_listen_options(verb, options->listen, true);
  verb.option("--more-tracker", options->more_trackers, "URLs of further trackers of the same farm, asked where --tracker does not answer; a tracker tells of all that run").one_word_each();
  verb.option("--name", options->name, "The server's name among those that share a database of PostgreSQL: a job belongs to the server of a name").default_shown();
  verb.option("--page", options->pages, "URLs, without a path, under which browsers open the tracker's page; that of --tracker, where none is given").one_word_each();
  add_log_format_option(verb, options->common.log_format);
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .json = options->common.log_format == "json"});
    return run_server(*options);
  });
}

}  // namespace hone::cli
