#include "base/net/forwarded.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace hone::net {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

}  // namespace

std::string client_address(const std::string& peer, std::string_view forwarded_for, const std::vector<std::string>& trusted_proxies) {
  std::string address = peer;
  while (!forwarded_for.empty() && std::find(trusted_proxies.begin(), trusted_proxies.end(), address) != trusted_proxies.end()) {
    const size_t comma = forwarded_for.rfind(',');
    const std::string named(trimmed(comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1)));
    if (!is_ip_address(named)) break;
    address = named;
    forwarded_for = comma == std::string_view::npos ? "" : forwarded_for.substr(0, comma);
  }
  return address;
}

}  // namespace hone::net
