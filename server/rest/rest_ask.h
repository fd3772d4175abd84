// A request as the message of the protocol that it stands for.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/net/http_message.h"
#include "base/result.h"
#include "server/rest/route_match.h"

namespace hone::server {

struct RestAsk {
  nlohmann::json message;    // as its sender on a WebSocket would have written it; nothing in it is checked yet
  std::string_view payload;  // a view of the body
  bool streams = false;      // events follow the reply
};

// The longest body that this request may have.
size_t body_bytes_max(const protocol::RestRoute& route, const net::HttpRequest& request, size_t job_bytes_max);

// `match` has a route. Fails: kInvalidArgument, kParseError.
Result<RestAsk> read_ask(const RouteMatch& match, const net::HttpRequest& request, std::string_view body, uint64_t id);

}  // namespace hone::server
