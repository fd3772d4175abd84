// What a service with TLS answers to who comes in plain HTTP.
#pragma once
#include <string>

#include "base/net/server.h"

namespace hone::cli {

// Where a service hands out its authority's certificate, with TLS and without: its fingerprint (hone tls show) says whether it is the right one.
inline constexpr const char* kAuthorityPath = "/ca.crt";

// A page that leads there and to the service at `origin`.
net::HttpReply plain_http_page(const std::string& origin, bool has_authority);

}  // namespace hone::cli
