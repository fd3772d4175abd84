// Which of the REST routes a request means.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "schema/generated/rest_routes.h"

namespace hone::server {

struct RouteMatch {
  const protocol::RestRoute* route = nullptr;    // null: there is none
  std::map<std::string, std::string> variables;  // of its path
  std::string allow;  // without a route, the methods of others with this path: "GET, PUT"; "" = there are none
};

// `path` is percent-decoded and begins with protocol::kRestPrefix.
RouteMatch match_route(std::string_view method, std::string_view path);

}  // namespace hone::server
