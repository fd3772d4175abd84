// Whom a proxy asks for.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hone::net {

// The address of whom a request is, which came from `peer` with this header X-Forwarded-For ("" = none): each proxy adds at the end whom it heard.
// Only what trusted proxies have added is believed, from the end on; else it is `peer`.
std::string client_address(const std::string& peer, std::string_view forwarded_for, const std::vector<std::string>& trusted_proxies);

}  // namespace hone::net
