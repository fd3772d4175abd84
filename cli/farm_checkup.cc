#include "cli/farm_checkup.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>

#include "base/cat.h"
#include "base/net/http_client.h"
#include "base/number_text.h"
#include "cli/ask_devices.h"
#include "cli/tls_files.h"

namespace hone::cli {

namespace {

// The header tells whole seconds, and the answer was on its way for a while.
constexpr double kClockSecondsMax = 5;

net::HttpAnswer get(const ServiceUrl& url, const std::string& path) {
  net::EventLoop loop;
  std::optional<net::HttpAnswer> answer;
  const auto tls = url.https ? client_tls(url.ca_file) : Result<net::TlsContext>(net::TlsContext());
  if (!tls.ok()) return {.step = net::HttpStep::kSecure, .problem = tls.error().message, .address = url.host};
  net::http_ask(loop, {.host = url.host, .port = url.port, .path = path, .tls = *tls},
                [&](net::HttpAnswer got) { answer = std::move(got); });
  if (loop.run_until([&] { return answer.has_value(); }, std::chrono::seconds(20))) return *answer;
  return {.problem = "it took longer than 20 s"};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding check_name(const ServiceUrl& url, const net::HttpAnswer& health) {
  if (!health.address.empty()) return {.name = "name", .ok = true, .found = cat(url.host, " is ", health.address)};
  return {.name = "name",
          .found = cat(url.host, " has no address: ", health.problem),
          .remedy = "check the spelling of the host in --tracker, or give its address"};
}

Finding check_connect(const ServiceUrl& url, const net::HttpAnswer& health) {
  if (health.step > net::HttpStep::kConnect)
    return {.name = "connection", .ok = true, .found = cat("port ", url.port, " answers")};
  return {.name = "connection",
          .found = cat("port ", url.port, " of ", health.address, ": ", health.problem),
          .remedy =
              "start hone up there, with that --port; for other machines it needs --host ADDRESS with hone tls init, and a "
              "firewall that lets them in"};
}

// Of an https service alone.
Finding check_certificate(const net::HttpAnswer& health) {
  if (health.step > net::HttpStep::kSecure) return {.name = "certificate", .ok = true, .found = "it has shown who it is"};
  return {.name = "certificate",
          .found = health.problem,
          .remedy = "use the name for which its certificate was made, and give with --ca the ca.crt of that machine (hone tls show); does it speak https?"};
}

Finding check_health(const net::HttpAnswer& health) {
  if (health.step != net::HttpStep::kDone)
    return {.name = "health",
            .found = cat("no answer: ", health.problem),
            .remedy = "its loop hangs, or something else has the port: look at its log, then restart it"};
  if (health.status == 200 && health.body == "ok\n") return {.name = "health", .ok = true, .found = "its loop turns"};
  if (health.status == 403)
    return {.name = "health", .found = first_line(health.body), .remedy = "use the host and port that hone up printed"};
  if (health.status == 400 && health.body.find("https") != std::string::npos)
    return {.name = "health", .found = "it speaks https", .remedy = "begin the URL in --tracker with https://"};
  return {.name = "health",
          .found = cat("HTTP ", health.status, " for /healthz"),
          .remedy = "this is no service of hone, or an older one: check the port, and use the same hone for both"};
}

Finding check_ready(const net::HttpAnswer& ready) {
  if (ready.status == 200) return {.name = "ready", .ok = true, .found = "it takes jobs and stores what they measure"};
  return {.name = "ready",
          .found = ready.step == net::HttpStep::kDone ? first_line(ready.body) : ready.problem,
          .remedy = ready.body.find("the service stops") != std::string::npos
                        ? "wait until it is back"
                        : "make room on its disk, or allow it to write its database; it recovers by itself"};
}

}  // namespace

Finding check_clock(const std::string& date_header, std::chrono::milliseconds here) {
  std::tm utc{};
  if (!strptime(date_header.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc))
    return {.name = "clock",
            .required = false,
            .found = "it does not tell its time",
            .remedy = "use the same hone for both"};
  const double ahead = static_cast<double>(timegm(&utc)) + 0.5 - static_cast<double>(here.count()) / 1000;
  const std::string difference = duration_text(std::abs(ahead));
  if (std::abs(ahead) <= kClockSecondsMax)
    return {.name = "clock", .ok = true, .required = false, .found = "as this machine's, to some seconds"};
  return {
      .name = "clock",
      .required = false,
      .found = cat("it is ", difference, ahead > 0 ? " ahead of" : " behind", " this machine's"),
      .remedy = "set both by the network: timedatectl set-ntp true. Leases do not mind; times in records and logs do"};
}

Finding check_devices(const std::vector<protocol::DeviceInfo>& devices) {
  std::map<std::string, int64_t> states;
  for (const protocol::DeviceInfo& device : devices) {
    const bool serves = device.service_state == protocol::ServiceState::kIdle || device.state == protocol::DeviceStateKind::kGone;
    ++states[std::string(serves ? protocol::to_name(device.state) : protocol::to_name(device.service_state))];
  }
  std::string found;
  for (const auto& [state, count] : states) found += cat(found.empty() ? "" : ", ", count, " ", state);
  if (states["ready"] + states["leased"] > 0) return {.name = "devices", .ok = true, .found = found};
  return {.name = "devices",
          .found = found.empty() ? "none was ever here" : found,
          .remedy =
              "open the URL that hone up printed in a browser, or start hone agent --tracker URL; hone devices says "
              "what is wrong with each"};
}

Finding check_refusal(const Error& error) {
  if (error.code == ErrorCode::kUnauthorized)
    return {.name = "token",
            .found = error.message,
            .remedy = "take the URL that hone up printed, with all behind #, or ask an admin for a token: hone tokens create"};
  if (error.code == ErrorCode::kVersionMismatch)
    return {.name = "version", .found = error.message, .remedy = "install the same hone on both machines"};
  return {.name = "greeting", .found = error.message, .remedy = "look at the log of the service"};
}

std::vector<Finding> check_farm(const ServiceUrl& url, const Clock& wall) {
  const net::HttpAnswer health = get(url, "/healthz");
  std::vector<Finding> findings{check_name(url, health)};
  if (!findings.back().ok) return findings;
  findings.push_back(check_connect(url, health));
  if (!findings.back().ok) return findings;
  if (url.https) findings.push_back(check_certificate(health));
  if (!findings.back().ok) return findings;
  findings.push_back(check_health(health));
  if (!findings.back().ok) return findings;
  findings.push_back(check_ready(get(url, "/readyz")));
  findings.push_back(check_clock(health.date, wall.now()));
  const auto devices = ask_devices(url);
  if (!devices.ok()) {
    findings.push_back(check_refusal(devices.error()));
    return findings;
  }
  findings.push_back({.name = "version",
                      .ok = true,
                      .found = cat("both speak version ", protocol::kProtocolVersion, " of the protocol")});
  findings.push_back(
      {.name = "token", .ok = true, .found = "right: it submits jobs, and reads devices, records and metrics"});
  findings.push_back(check_devices(*devices));
  return findings;
}

}  // namespace hone::cli
