#include "base/net/host_check.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/cat.h"

namespace hone::net {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// For an error message: what a stranger sent, shortened and without control characters.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 80)) out += c >= ' ' && c < 127 ? c : '?';
  return out + "'";
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

uint16_t default_port(std::string_view scheme) { return scheme == "https://" ? 443 : 80; }

// A browser leaves the default port out of Host and Origin, a program may not.
void add_public(const std::string& origin, AllowedNames& allowed) {
  const std::string text = lower(origin);
  const size_t begin = text.find("://") + 3;
  const std::string scheme = text.substr(0, begin), host = text.substr(begin);
  allowed.origins.push_back(text);
  allowed.hosts.push_back(host);
  if (host.find(':') == std::string::npos) allowed.hosts.push_back(cat(host, ":", default_port(scheme)));
}

}  // namespace

std::vector<std::string> own_addresses() {
  std::vector<std::string> list;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return list;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text.data(), text.size());
    list.emplace_back(text.data());
  }
  freeifaddrs(all);
  return list;
}

bool is_loopback(std::string_view address) { return address.substr(0, 4) == "127."; }

AllowedNames allowed_names(const ServiceNames& service) {
  std::vector<std::string> names{"127.0.0.1", "localhost", "[::1]", lower(service.address)};
  if (service.address == "0.0.0.0")
    for (std::string& own : own_addresses()) names.push_back(std::move(own));
  for (const std::string& name : service.more) names.push_back(lower(name));
  AllowedNames allowed;
  const std::string scheme = service.tls ? "https://" : "http://";
  for (const std::string& name : names) {
    allowed.hosts.push_back(cat(name, ":", service.port));
    if (service.port == default_port(scheme)) allowed.hosts.push_back(name);
  }
  for (const std::string& host : allowed.hosts) allowed.origins.push_back(scheme + host);
  if (!service.public_origin.empty()) add_public(service.public_origin, allowed);
  for (const std::string& origin : service.page_origins) allowed.origins.push_back(lower(origin));
  return allowed;
}

Status check_host_and_origin(std::string_view host, std::string_view origin, const AllowedNames& allowed) {
  if (!contains(allowed.hosts, lower(host)))
    return Error{ErrorCode::kUnauthorized, cat("the header Host says ", quoted(host), "; this service is ", allowed.hosts.front(), ", open it under that name")};
  if (origin.empty() || contains(allowed.origins, lower(origin))) return ok_status();
  return Error{ErrorCode::kUnauthorized, cat("the header Origin says ", quoted(origin), "; only pages of ", allowed.origins.front(), " may connect")};
}

}  // namespace hone::net
