// hone tls: the authority of this machine, by which its services show phones and other machines who they are.
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/clock.h"
#include "base/utc_text.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/tls_files.h"

namespace hone::cli {
namespace {

struct TlsOptions {
  CommonOptions common;
  std::vector<std::string> names;
};

std::chrono::seconds unix_now() { return std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now()); }

std::string last_day(const net::CertificateFacts& facts) {
  return utc_text(std::chrono::milliseconds(facts.validity.until_unix).count()).substr(0, 10);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += cat(text.empty() ? "" : ", ", name);
  return text;
}

// What devices compare and for whom it is good.
ExitCode run_show(const TlsOptions& options) {
  const std::string folder = tls_folder();
  const auto tls = read_server_tls(folder, unix_now());
  if (!tls.ok()) return fail(tls.error());
  const auto authority = net::read_certificate(tls->authority), server = net::read_certificate(tls->certified.certificate);
  if (!authority.ok() || !server.ok()) return fail(authority.ok() ? server.error() : authority.error());
  const std::string file = folder + "/ca.crt";
  if (options.common.json) {
    print_json(nlohmann::ordered_json{{"authority", {{"file", file}, {"sha256", authority->fingerprint}, {"until", last_day(*authority)}}},
                                      {"server", {{"names", server->names}, {"sha256", server->fingerprint}, {"until", last_day(*server)}}}});
    return ExitCode::kDone;
  }
  print_text(cat("authority    ", file, "\n  SHA-256    ", authority->fingerprint, "\n  until      ", last_day(*authority), "\nserver       ",
                 joined(server->names), "\n  until      ", last_day(*server), "\n"));
  return ExitCode::kDone;
}

ExitCode run_init(const TlsOptions& options) {
  if (const Status made = init_tls(tls_folder(), options.names, unix_now()); !made.ok()) return fail(made.error());
  return run_show(options);
}

ExitCode run_renew(const TlsOptions& options) {
  if (const Status made = renew_tls(tls_folder(), options.names, unix_now()); !made.ok()) return fail(made.error());
  return run_show(options);
}

void add_tls_verb(Verb verb, const std::shared_ptr<TlsOptions>& options, ExitCode (*run)(const TlsOptions&), bool makes) {
  add_common_options(verb, options->common, {});
  if (makes) verb.option("--name", options->names, "A further name or address of this machine that the certificate is for").one_word_each();
  verb.runs([options, run] {
    set_up_logging({.quiet = options->common.quiet});
    return run(*options);
  });
}

}  // namespace

void add_tls(Verb program) {
  Verb verb = program.sub("tls", "Makes the certificate by which hone up --tls shows who it is");
  verb.requires_sub();
  verb.footer(
      "Examples:\n"
      "  hone tls init                      once for this machine: an authority, and a certificate for its names and addresses\n"
      "  hone tls init --name lab.example   for another name, too\n"
      "  hone tls renew                     a new certificate by the same authority, when addresses have changed, or after two years\n"
      "  hone tls show                      the authority's fingerprint, to be compared on a phone");
  add_tls_verb(verb.sub("init", "Makes an authority of this machine's own and a server's certificate by it"), std::make_shared<TlsOptions>(), run_init, true);
  add_tls_verb(verb.sub("renew", "Makes a new server's certificate by the authority that is there"), std::make_shared<TlsOptions>(), run_renew, true);
  add_tls_verb(verb.sub("show", "Shows the authority's file and fingerprint, and the names of the certificate"), std::make_shared<TlsOptions>(), run_show, false);
}

}  // namespace hone::cli
