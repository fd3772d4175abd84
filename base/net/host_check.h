// Any website can send requests to 127.0.0.1, and DNS can point any name at it. So Host must name this service and Origin, if there, too.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::net {

// What Host may say, in lower case with port: the loopback names and the bound address (for 0.0.0.0: each of this machine's), and `extra`.
std::vector<std::string> allowed_hosts(const std::string& address, uint16_t port, const std::vector<std::string>& extra);

// Of an IPv4 address.
bool is_loopback(std::string_view address);

// kUnauthorized with one sentence. `origin` empty = the header is absent, as with native clients and plain navigation.
Status check_host_and_origin(std::string_view host, std::string_view origin, const std::vector<std::string>& allowed);

}  // namespace hone::net
