#include "server/rest/rest_desk.h"

#include "base/cat.h"
#include "base/printable_text.h"
#include "schema/generated/rest_routes.h"
#include "server/rest/rest_ask.h"
#include "server/rest/rest_call.h"
#include "server/rest/route_match.h"

namespace hone::server {

namespace {

net::HttpReply no_route(const net::HttpRequest& request, const RouteMatch& match) {
  const std::string what = cat(request.method, " ", shortened(printable(request.path)));
  if (match.allow.empty()) return problem_reply({ErrorCode::kNotFound, cat("there is no ", what, "; GET ", protocol::kRestPrefix, "/openapi.json tells what there is")}, 404);
  net::HttpReply reply = problem_reply({ErrorCode::kInvalidArgument, cat("found ", what, ", expected one of ", match.allow)}, 405);
  reply.allow = match.allow;
  return reply;
}

net::HttpReply document() {
  static const auto text = std::make_shared<const std::string>(protocol::openapi_text());
  return {.content_type = "application/json", .body = text};
}

}  // namespace

std::unique_ptr<net::HttpCall> RestDesk::accept(const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (reads && request.path == cat(protocol::kRestPrefix, "/openapi.json")) return response->reply(document()), nullptr;
  RouteMatch match = match_route(request.method, request.path);
  if (!match.route) return response->reply(no_route(request, match)), nullptr;
  if (const size_t most = body_bytes_max(*match.route, request, config_.job_bytes_max); request.body_bytes > most)
    return response->reply(problem_reply({ErrorCode::kLimitExceeded, cat("the body has ", request.body_bytes, " bytes, and may have ", most)}, 413)), nullptr;
  return std::make_unique<RestCall>(loop_, request, std::move(match), config_.accept, std::move(response));
}

}  // namespace hone::server
