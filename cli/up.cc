// hone up: tracker, compile server and agent page in one process on one port.
#include <arpa/inet.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/host_check.h"
#include "base/number_text.h"
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/draining.h"
#include "cli/embedded.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/running_service.h"
#include "cli/service_url.h"
#include "cli/tls_files.h"
#include "cli/service_manager.h"

namespace hone::cli {
namespace {

struct UpOptions {
  CommonOptions common;
  std::string host = "127.0.0.1";
  int port = kDefaultPort;
  bool plain_http = false;
  bool tls = false;
  std::string tls_certificate, tls_key;  // files
  std::string public_url;
  std::vector<std::string> trusted_proxies;
  double drain_s = 30;
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

bool is_loopback_host(const std::string& host) { return host == "localhost" || net::is_loopback(host); }

// Where others can reach the service, https is the rule as soon as this machine has a certificate.
bool wants_own_tls(const UpOptions& options) {
  return options.tls || (!options.plain_http && !is_loopback_host(options.host) && has_authority(tls_folder()));
}

Result<std::optional<ServerTls>> tls_of(const UpOptions& options) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now());
  if (!options.tls_certificate.empty()) {
    HONE_ASSIGN(given, read_given_tls(options.tls_certificate, options.tls_key, now));
    return std::optional<ServerTls>(std::move(given));
  }
  if (!wants_own_tls(options)) return std::optional<ServerTls>();
  HONE_ASSIGN(own, read_server_tls(tls_folder(), now));
  return std::optional<ServerTls>(std::move(own));
}

Status check_options(const UpOptions& options) {
  const auto wrong = [](const std::string& what) { return Error{ErrorCode::kInvalidArgument, what}; };
  if (!is_address(options.host))
    return wrong(cat("--host: found ", options.host, ", expected an IPv4 address such as 127.0.0.1, or localhost"));
  for (const std::string& proxy : options.trusted_proxies)
    if (!is_address(proxy) || proxy == "localhost") return wrong(cat("--trusted-proxy: found ", proxy, ", expected an IPv4 address such as 127.0.0.1"));
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return wrong("found one of --tls-cert and --tls-key, expected both or neither");
  const bool tls = wants_own_tls(options) || !options.tls_certificate.empty();
  if (tls && options.plain_http) return wrong("found --plain-http with TLS, expected one of them");
  if (!tls && !is_loopback_host(options.host) && !options.plain_http)
    return wrong(cat("--host ", options.host,
                     " is not a loopback address: on a network the token would travel unencrypted; hone tls init makes a certificate for "
                     "https, and --plain-http goes without"));
  return ok_status();
}

ExitCode run_up(const UpOptions& options) {
  if (const Status good = check_options(options); !good.ok()) return usage_error(good.error().message);
  const auto public_origin = options.public_url.empty() ? Result<std::string>("") : parse_public_url(options.public_url);
  if (!public_origin.ok()) return usage_error(public_origin.error().message);
  auto tls = tls_of(options);
  if (!tls.ok()) return fail(tls.error());
  net::EventLoop loop;
  ServiceManager manager(loop);
  auto service = start_service(loop, options.common,
                               {.host = options.host,
                                .port = static_cast<uint16_t>(options.port),
                                .audit_file = options.common.db + ".audit.jsonl",
                                .tls = std::move(*tls),
                                .public_origin = *public_origin,
                                .trusted_proxies = options.trusted_proxies});
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
      "  hone up --port 0 --db farm.db  on a free port, with a database of its own\n"
      "  hone up --host 0.0.0.0         for phones and other machines, over https: after hone tls init\n"
      "  hone up --public-url https://lab.example --trusted-proxy 127.0.0.1   behind a proxy that speaks https");
  add_common_options(verb, options->common, {Uses::kDatabase});
  verb.option("--host", options->host, "IPv4 address to listen on").default_shown();
  verb.option("--port", options->port, "Port to listen on; 0 takes a free one")
      .default_shown()
      .check(in_range(0, 65535));
  verb.option("--drain", options->drain_s, "Seconds that running jobs have to end after SIGTERM")
      .default_shown()
      .check(seconds_from_0());
  add_log_format_option(verb, options->common.log_format);
  verb.flag("--tls", options->tls, "Speaks https with the certificate of hone tls init; implied by a --host that others can reach, once that was run");
  verb.option("--tls-cert", options->tls_certificate, "Speaks https with the certificate in this file (PEM, its chain behind it)").check(not_empty());
  verb.option("--tls-key", options->tls_key, "File of that certificate's key (PEM)").check(not_empty());
  verb.flag("--plain-http", options->plain_http, "Allows an address that others can reach, without encryption");
  verb.option("--public-url", options->public_url, "URL under which browsers reach it through a proxy, without a path").check(not_empty());
  verb.option("--trusted-proxy", options->trusted_proxies, "Addresses of proxies whose X-Forwarded-For is believed").one_word_each().separated_by(',');
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .json = options->common.log_format == "json"});
    return run_up(*options);
  });
}

}  // namespace hone::cli
