#include "tracker/farm_addresses.h"

#include <algorithm>
#include <charconv>

#include "base/cat.h"
#include "base/check.h"

namespace hone::tracker {

namespace {

bool same(const net::ConnectTo& a, const net::ConnectTo& b) { return a.host == b.host && a.port == b.port && a.tls == b.tls; }

// 0: none.
uint16_t port_of(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() ? port : uint16_t{0};
}

}  // namespace

Result<net::ConnectTo> address_of(const std::string& origin) {
  const Error wrong{ErrorCode::kInvalidArgument, cat("found '", origin, "', expected where a tracker is, as http://lab:9190 or https://lab.example")};
  const bool https = origin.starts_with("https://");
  if (!https && !origin.starts_with("http://")) return wrong;
  std::string host = origin.substr(https ? 8 : 7);
  if (host.ends_with('/')) host.pop_back();
  uint16_t port = https ? 443 : 80;
  if (const size_t colon = host.rfind(':'); colon != std::string::npos) {
    port = port_of(std::string_view(host).substr(colon + 1));
    host.resize(colon);
  }
  const bool is_name = !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; });
  if (!is_name || port == 0) return wrong;
  return net::ConnectTo{.host = host, .port = port, .tls = https};
}

FarmAddresses::FarmAddresses(std::vector<net::ConnectTo> given) : given_(given.size()), known_(std::move(given)) {
  CHECK(given_ > 0, "a farm without a tracker");
  current_ = known_[0];
}

void FarmAddresses::add(const std::string& origin) {
  const auto to = address_of(origin);
  if (!to.ok() || (known_[0].tls && !to->tls)) return;
  if (std::none_of(known_.begin(), known_.end(), [&](const auto& one) { return same(one, *to); })) known_.push_back(*to);
}

void FarmAddresses::know(const std::vector<std::string>& origins) {
  known_.resize(given_);
  for (const std::string& origin : origins) add(origin);
  const auto at = std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return same(one, current_); });
  at_ = static_cast<size_t>(at - known_.begin()) % known_.size();
}

void FarmAddresses::go_to(const std::string& origin) {
  const auto to = address_of(origin);
  if (!to.ok() || (known_[0].tls && !to->tls)) return;
  current_ = *to;
}

void FarmAddresses::failed() {
  at_ = (at_ + 1) % known_.size();
  current_ = known_[at_];
}

}  // namespace hone::tracker
