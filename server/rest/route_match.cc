#include "server/rest/route_match.h"

#include <optional>
#include <vector>

#include "base/cat.h"

namespace hone::server {

namespace {

using Variables = std::map<std::string, std::string>;

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    segments.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

// Nothing where they differ. A variable stands for one segment that is not empty.
std::optional<Variables> match_path(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path) {
  if (pattern.size() != path.size()) return std::nullopt;
  Variables variables;
  for (size_t i = 0; i < path.size(); ++i) {
    const bool is_variable = pattern[i].starts_with('{');
    if (is_variable ? path[i].empty() : pattern[i] != path[i]) return std::nullopt;
    if (is_variable) variables[std::string(pattern[i].substr(1, pattern[i].size() - 2))] = path[i];
  }
  return variables;
}

}  // namespace

RouteMatch match_route(std::string_view method, std::string_view path) {
  RouteMatch match;
  const auto segments = segments_of(path.substr(protocol::kRestPrefix.size()));
  for (const protocol::RestRoute& route : protocol::rest_routes()) {
    auto variables = match_path(segments_of(route.path), segments);
    if (!variables) continue;
    if (route.method == method) return {&route, std::move(*variables), ""};
    match.allow += cat(match.allow.empty() ? "" : ", ", route.method);
  }
  return match;
}

}  // namespace hone::server
