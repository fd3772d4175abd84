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

// Numbers alone: a foreign name that resolves to one of them stays foreign.
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

}  // namespace

bool is_loopback(std::string_view address) { return address.substr(0, 4) == "127."; }

std::vector<std::string> allowed_hosts(const std::string& address, uint16_t port, const std::vector<std::string>& extra) {
  std::vector<std::string> names{"127.0.0.1", "localhost", "[::1]", lower(address)};
  if (address == "0.0.0.0")
    for (std::string& own : own_addresses()) names.push_back(std::move(own));
  std::vector<std::string> hosts;
  for (const std::string& name : names) {
    hosts.push_back(cat(name, ":", port));
    if (port == 80) hosts.push_back(name);
  }
  for (const auto& host : extra) hosts.push_back(lower(host));
  return hosts;
}

Status check_host_and_origin(std::string_view host, std::string_view origin, const std::vector<std::string>& allowed) {
  if (!contains(allowed, lower(host)))
    return Error{ErrorCode::kUnauthorized, cat("the header Host says ", quoted(host), "; this service is ", allowed.front(), ", open it under that name")};
  if (origin.empty()) return ok_status();
  const std::string text = lower(origin);
  for (const std::string_view scheme : {"http://", "https://"})
    if (text.substr(0, scheme.size()) == scheme && contains(allowed, text.substr(scheme.size()))) return ok_status();
  return Error{ErrorCode::kUnauthorized, cat("the header Origin says ", quoted(origin), "; only pages of http://", allowed.front(), " may connect")};
}

}  // namespace hone::net
