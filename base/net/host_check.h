// Any website can send requests to 127.0.0.1, and DNS can point any name at it. So Host must name this service and Origin, if there, too.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::net {

// Under what a service is known, in lower case.
struct ServiceNames {
  std::string address;             // the bound one; for 0.0.0.0 each of this machine's counts
  uint16_t port = 0;
  bool tls = false;
  std::vector<std::string> more;   // those of its certificate
  std::string public_origin;       // "https://lab.example", where a proxy stands before it; "" = none
  std::vector<std::string> page_origins;  // of pages that other services show
};

// What Host may say: the loopback names, the bound address and `more`, with the port, and the host of public_origin. What Origin may say: the same
// with the service's scheme, public_origin and page_origins.
struct AllowedNames {
  std::vector<std::string> hosts, origins;
};
AllowedNames allowed_names(const ServiceNames& names);

// The IPv4 addresses of this machine, in the order of its interfaces. Numbers alone: a foreign name that resolves to one of them stays foreign.
std::vector<std::string> own_addresses();

// Of an IPv4 address.
bool is_loopback(std::string_view address);

// kUnauthorized with one sentence. `origin` empty = the header is absent, as with native clients and plain navigation.
Status check_host_and_origin(std::string_view host, std::string_view origin, const AllowedNames& allowed);

}  // namespace hone::net
