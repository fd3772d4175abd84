// hone up: tracker, compile server and agent page in one process on one port.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/log.h"
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/embedded.h"
#include "cli/listen_options.h"
#include "cli/options.h"
#include "cli/running_service.h"
#include "cli/serve.h"

namespace hone::cli {
namespace {

struct UpOptions {
  CommonOptions common;
  ListenOptions listen{.port = kDefaultPort};
};

void print_url(const UpOptions& options, const Service& service) {
  const std::string url = service.public_url();
  if (options.common.json)
    print_json(nlohmann::ordered_json{{"url", url}, {"port", service.port()}, {"db", options.common.db}});
  else std::printf("%s\n", url.c_str());
  std::fflush(stdout);
}

// A service that cannot be found by itself works all the same.
std::optional<RunningService> publish(const UpOptions& options, const Service& service) {
  const std::string folder = service_notes_folder();
  if (folder.empty()) return std::nullopt;
  std::error_code error;
  const std::string db = std::filesystem::canonical(options.common.db, error).string();
  auto note = RunningService::publish(folder, {service.agent_url(), db, getpid(), service.agents_origin()});
  if (note.ok()) return std::optional<RunningService>(std::move(*note));
  log_warn(cat("hone tune will not find this service by itself, give it --tracker: ", note.error().message));
  return std::nullopt;
}

ExitCode run_up(const UpOptions& options) {
  auto listening = listening_of(options.listen);
  if (!listening.ok()) return listening.error().code == ErrorCode::kInvalidArgument ? usage_error(listening.error().message) : fail(listening.error());
  net::EventLoop loop;
  ServiceManager manager(loop);
  auto service = start_service(loop, options.common,
                               {.listening = std::move(*listening), .audit_file = options.common.db + ".audit.jsonl"});
  if (!service.ok()) return fail(service.error());
  const auto note = publish(options, **service);
  print_url(options, **service);
  log_info(cat("serving; records in ", options.common.db,
               "; each browser that opens the URL becomes a device; hone tune MODEL.onnx finds this service from another "
               "terminal; Ctrl-C ends"));
  manager.ready();
  const ExitCode code = serve(loop, **service, options.listen.drain_s, manager);
  stop_service(loop, *service);
  return code;
}

}  // namespace

void add_up(Verb program) {
  auto options = std::make_shared<UpOptions>();
  Verb verb = program.sub("up", "Serves: tracker, compile server and agent page on one port");
  verb.footer(
      "Examples:\n"
      "  hone up                        prints a URL; each browser that opens it becomes a device\n"
      "  hone up --port 0 --db farm.db  on a free port, with a database of its own\n"
      "  hone up --host 0.0.0.0         for phones and other machines, over https: after hone tls init\n"
      "  hone up --public-url https://lab.example --trusted-proxy 127.0.0.1   behind a proxy that speaks https");
  add_common_options(verb, options->common, {Uses::kDatabase});
  add_listen_options(verb, options->listen, true);
  add_log_format_option(verb, options->common.log_format);
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .json = options->common.log_format == "json"});
    return run_up(*options);
  });
}

}  // namespace hone::cli
