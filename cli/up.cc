// hone up: tracker, compile server and agent page in one process on one port.
#include <arpa/inet.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/log.h"
#include "base/number_text.h"
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/draining.h"
#include "cli/embedded.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/running_service.h"
#include "cli/service_manager.h"

namespace hone::cli {
namespace {

struct UpOptions {
  CommonOptions common;
  std::string host = "127.0.0.1";
  int port = kDefaultPort;
  bool plain_http = false;
  double drain_s = 30;
};

void print_url(const UpOptions& options, const Service& service) {
  if (options.common.json)
    print_json(
        nlohmann::ordered_json{{"url", service.agent_url()}, {"port", service.port()}, {"db", options.common.db}});
  else std::printf("%s\n", service.agent_url().c_str());
  std::fflush(stdout);
}

// A service that cannot be found by itself works all the same.
std::optional<RunningService> publish(const UpOptions& options, const Service& service) {
  const std::string folder = service_notes_folder();
  if (folder.empty()) return std::nullopt;
  std::error_code error;
  const std::string db = std::filesystem::canonical(options.common.db, error).string();
  auto note = RunningService::publish(folder, {service.agent_url(), db, getpid()});
  if (note.ok()) return std::optional<RunningService>(std::move(*note));
  log_warn(cat("hone tune will not find this service by itself, give it --tracker: ", note.error().message));
  return std::nullopt;
}

bool is_address(const std::string& host) {
  in_addr parsed{};
  return host == "localhost" || inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

// Until a signal ends it; its code says whether somebody's jobs may have been cut off by it.
ExitCode serve(net::EventLoop& loop, std::unique_ptr<Service>& service, const UpOptions& options, ServiceManager& manager) {
  ExitCode code = ExitCode::kInterrupted;
  Draining draining(loop, *service);
  const auto drained = [&] {
    code = ExitCode::kDone;
    loop.stop();
  };
  const auto drain = [&] {
    log_info(cat("draining: running jobs have ", duration_text(options.drain_s), " to end; new ones are refused"));
    manager.stopping();
    draining.begin(std::chrono::milliseconds(static_cast<int64_t>(options.drain_s * 1000)), drained);
  };
  const auto interrupted = [&] {
    code = ExitCode::kInterrupted;
    loop.stop();
  };
  Interrupt interrupt(loop, interrupted, drain);
  loop.run();
  log_info("stopping");
  manager.stopping();
  stop_service(loop, service);
  return code;
}

ExitCode run_up(const UpOptions& options) {
  if (!is_address(options.host))
    return usage_error(cat("--host: found ", options.host, ", expected an IPv4 address such as 127.0.0.1, or localhost"));
  if (options.host != "localhost" && options.host.rfind("127.", 0) != 0 && !options.plain_http)
    return usage_error(
        cat("--host ", options.host,
            " is not a loopback address: on a network the token would travel unencrypted; --plain-http allows it"));
  net::EventLoop loop;
  ServiceManager manager(loop);
  auto service = start_service(loop, options.common,
                               {.host = options.host,
                                .port = static_cast<uint16_t>(options.port),
                                .audit_file = options.common.db + ".audit.jsonl"});
  if (!service.ok()) return fail(service.error());
  const auto note = publish(options, **service);
  print_url(options, **service);
  log_info(cat("serving; records in ", options.common.db,
               "; each browser that opens the URL becomes a device; hone tune MODEL.onnx finds this service from another "
               "terminal; Ctrl-C ends"));
  manager.ready();
  return serve(loop, *service, options, manager);
}

}  // namespace

void add_up(Verb program) {
  auto options = std::make_shared<UpOptions>();
  Verb verb = program.sub("up", "Serves: tracker, compile server and agent page on one port");
  verb.footer(
      "Examples:\n"
      "  hone up                        prints a URL; each browser that opens it becomes a device\n"
      "  hone up --port 0 --db farm.db  on a free port, with a database of its own");
  add_common_options(verb, options->common, {Uses::kDatabase});
  verb.option("--host", options->host, "IPv4 address to listen on").default_shown();
  verb.option("--port", options->port, "Port to listen on; 0 takes a free one")
      .default_shown()
      .check(in_range(0, 65535));
  verb.option("--drain", options->drain_s, "Seconds that running jobs have to end after SIGTERM")
      .default_shown()
      .check(seconds_from_0());
  add_log_format_option(verb, options->common.log_format);
  verb.flag("--plain-http", options->plain_http, "Allows an address that others can reach, without encryption");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .json = options->common.log_format == "json"});
    return run_up(*options);
  });
}

}  // namespace hone::cli
