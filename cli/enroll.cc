// hone enroll: a URL with which one browser, or one hone agent, joins a service, and its QR code for a phone.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/clock.h"
#include "base/net/host_check.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/ask_service.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/options.h"
#include "cli/plain_http_page.h"
#include "cli/qr_code.h"
#include "cli/tls_files.h"

namespace hone::cli {
namespace {

struct EnrollOptions {
  CommonOptions common;
  std::string name;
  bool qr = false;
};

std::string origin_of(const ServiceUrl& url) { return cat(url.https ? "https://" : "http://", url.host, ":", url.port); }

// What a person has to do besides opening the link.
std::string advice(const std::string& origin) {
  const auto url = parse_service_url(origin + "/#token=x");
  if (url.ok() && (url->host == "localhost" || net::is_loopback(url->host)))
    return "this address is of this machine alone: a phone reaches it by USB (adb reverse), or run hone tls init and hone up --host 0.0.0.0\n";
  const auto tls = read_server_tls(tls_folder(), std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now()));
  const auto authority = tls.ok() ? net::read_certificate(tls->authority) : Result<net::CertificateFacts>(tls.error());
  if (!url.ok() || !url->https || !authority.ok()) return "";
  return cat("a device that does not trust this machine's authority yet takes it from http://", url->host, ":", url->port, kAuthorityPath, ", SHA-256 ",
             authority->fingerprint, "\n");
}

void tell_people(const EnrollOptions& options, const std::string& origin, const std::string& link, double lifetime_s) {
  if (options.common.quiet && !options.qr) return;
  if (options.qr || stderr_is_terminal()) std::fputs(qr_code(link, stderr_has_color()).c_str(), stderr);
  if (options.common.quiet) return;
  std::fputs(printable_lines(cat("good for one agent, for ", duration_text(lifetime_s),
                                 ": open it in a browser, or hone agent --tracker URL; each gets a token of its own and comes "
                                 "back by itself\n",
                                 advice(origin)))
                 .c_str(),
             stderr);
}

ExitCode run_enroll(const EnrollOptions& options) {
  const auto found = find_service(options.common);
  if (!found.ok()) return usage_error(found.error().message);
  const auto url = service_of(options.common);
  if (!url.ok()) return usage_error(url.error().message);
  const auto enrolment = ask_service<protocol::Enrolment>(
      *url, [&options](uint64_t id) { return protocol::CreateEnrolment{.id = id, .name = options.name}; });
  if (!enrolment.ok()) return fail(enrolment.error());
  const std::string origin = found->agents_origin.empty() ? origin_of(*url) : found->agents_origin;
  const std::string link = cat(origin, "/agent/#enroll=", enrolment->code);
  const double lifetime_s = enrolment->lifetime_ms / 1000;
  if (options.common.json) {
    print_json(nlohmann::ordered_json{{"url", link}, {"lifetime_s", lifetime_s}});
    return ExitCode::kDone;
  }
  print_text(link + "\n");
  tell_people(options, origin, link, lifetime_s);
  return ExitCode::kDone;
}

}  // namespace

void add_enroll(Verb program) {
  auto options = std::make_shared<EnrollOptions>();
  Verb verb = program.sub("enroll", "Prints a URL with which one agent joins a running service, once, and its QR code");
  verb.footer(
      "Examples:\n"
      "  hone enroll                        for the service that you run here (hone up)\n"
      "  hone enroll --name 'kitchen phone'  what hone tokens list calls it\n"
      "  hone enroll --tracker http://127.0.0.1:9190/agent/ --token-file admin.token");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.flag("--qr", options->qr, "Draws the QR code on stderr even if that is no terminal");
  verb.option("--name", options->name, "Name of the agent's token, for people, 64 bytes at most");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_enroll(*options);
  });
}

}  // namespace hone::cli
