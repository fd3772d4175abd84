#include "cli/listen_options.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/cat.h"
#include "base/clock.h"
#include "base/net/host_check.h"
#include "cli/service_url.h"

namespace hone::cli {

namespace {

bool is_address(const std::string& host) {
  in_addr parsed{};
  return host == "localhost" || inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

bool is_loopback_host(const std::string& host) { return host == "localhost" || net::is_loopback(host); }

// Where others can reach the service, https is the rule as soon as this machine has a certificate.
bool wants_own_tls(const ListenOptions& options) {
  return options.tls || (!options.plain_http && !is_loopback_host(options.host) && has_authority(tls_folder()));
}

Result<ServerTls> read_tls(const ListenOptions& options) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(SystemClock().now());
  return options.tls_certificate.empty() ? read_server_tls(tls_folder(), now) : read_given_tls(options.tls_certificate, options.tls_key, now);
}

Status check_options(const ListenOptions& options) {
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

}  // namespace

Result<Listening> listening_of(const ListenOptions& options) {
  HONE_TRY(check_options(options));
  const auto public_origin = options.public_url.empty() ? Result<std::string>("") : parse_public_url(options.public_url);
  if (!public_origin.ok()) return public_origin.error();
  Listening listening{.host = options.host, .port = static_cast<uint16_t>(options.port), .public_origin = *public_origin, .trusted_proxies = options.trusted_proxies};
  if (options.tls_certificate.empty() && !wants_own_tls(options)) return listening;
  HONE_ASSIGN(tls, read_tls(options));
  listening.tls = std::move(tls);
  listening.read_tls = [options] { return read_tls(options); };
  return listening;
}

Result<net::ServerConfig> server_config(const Listening& listening) {
  net::ServerConfig config{.address = listening.host, .port = listening.port, .public_origin = listening.public_origin, .trusted_proxies = listening.trusted_proxies};
  if (!listening.tls) return config;
  HONE_ASSIGN(facts, net::read_certificate(listening.tls->certified.certificate));
  config.tls = listening.tls->certified;
  config.names = facts.names;
  return config;
}

std::string agents_origin(const Listening& listening, const net::Server& server) {
  if (!listening.public_origin.empty()) return listening.public_origin;
  const auto addresses = net::own_addresses();
  const auto lan = std::find_if_not(addresses.begin(), addresses.end(), net::is_loopback);
  if (listening.host != "0.0.0.0" || lan == addresses.end()) return server.origin();
  return cat(listening.tls ? "https://" : "http://", *lan, ":", server.port());
}

void add_listen_options(Verb verb, ListenOptions& options, bool drains) {
  verb.option("--host", options.host, "IPv4 address to listen on").default_shown();
  verb.option("--port", options.port, "Port to listen on; 0 takes a free one").default_shown().check(in_range(0, 65535));
  if (drains) verb.option("--drain", options.drain_s, "Seconds that running jobs have to end after SIGTERM").default_shown().check(seconds_from_0());
  verb.flag("--tls", options.tls, "Speaks https with the certificate of hone tls init; implied by a --host that others can reach, once that was run");
  verb.option("--tls-cert", options.tls_certificate, "Speaks https with the certificate in this file (PEM, its chain behind it)").check(not_empty());
  verb.option("--tls-key", options.tls_key, "File of that certificate's key (PEM)").check(not_empty());
  verb.flag("--plain-http", options.plain_http, "Allows an address that others can reach, without encryption");
  verb.option("--public-url", options.public_url, "URL under which browsers reach it through a proxy, without a path").check(not_empty());
  verb.option("--trusted-proxy", options.trusted_proxies, "Addresses of proxies whose X-Forwarded-For is believed").one_word_each().separated_by(',');
}

}  // namespace hone::cli
