#include "server/rest/rest_ask.h"

#include <algorithm>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/printable_text.h"
#include "server/rest/limits.h"
#include "server/rest/multipart.h"

namespace hone::server {

namespace {

using nlohmann::json;
using protocol::ReadAs;

Error bad_argument(std::string_view name, const std::string& expected) {
  return {ErrorCode::kInvalidArgument, cat("the query's ", shortened(printable(std::string(name))), ": ", expected)};
}

Result<json> read_json(std::string_view name, const std::string& text, bool is_right(const json&), const char* expected) {
  const auto value = parse_json(text, {.bytes_max = kRestAskBytesMax});
  if (!value.ok() || !is_right(*value)) return bad_argument(name, cat("expected ", expected));
  return *value;
}

Result<json> read_value(const protocol::QueryField& field, const std::string& text) {
  switch (field.read_as) {
    case ReadAs::kNumber: return read_json(field.name, text, [](const json& j) { return j.is_number(); }, "a number");
    case ReadAs::kBool: return read_json(field.name, text, [](const json& j) { return j.is_boolean(); }, "true or false");
    case ReadAs::kJson: return read_json(field.name, text, [](const json&) { return true; }, "JSON");
    case ReadAs::kString:
    case ReadAs::kStrings: return json(text);
  }
  return json();
}

Status add_argument(const protocol::RestRoute& route, const std::string& name, const std::string& text, json& message) {
  const auto field = std::find_if(route.query.begin(), route.query.end(), [&](const auto& f) { return f.name == name; });
  if (field == route.query.end()) return bad_argument(name, cat("there is no such argument of ", route.method, " ", protocol::kRestPrefix, route.path));
  HONE_ASSIGN(value, read_value(*field, text));
  if (field->read_as == ReadAs::kStrings) message[name].push_back(std::move(value));
  else if (message.contains(name)) return bad_argument(name, "found twice, expected once");
  else message[name] = std::move(value);
  return ok_status();
}

Result<json> read_body(std::string_view text) {
  if (text.empty()) return json::object();
  auto body = parse_json(text, {.bytes_max = kRestAskBytesMax});
  if (!body.ok()) return Error{body.error().code, cat("the body: ", body.error().message)};
  if (!body->is_object()) return Error{ErrorCode::kInvalidArgument, cat("the body: found ", json_excerpt(*body), ", expected an object")};
  return body;
}

bool is_true(const json& message, std::string_view field) {
  const auto found = message.find(std::string(field));
  return found != message.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

size_t body_bytes_max(const protocol::RestRoute& route, const net::HttpRequest& request, size_t job_bytes_max) {
  if (!route.has_body) return 0;
  if (route.has_payload && is_multipart(request.content_type)) return std::min(route.bytes_max, job_bytes_max);
  return std::min(route.bytes_max, kRestAskBytesMax);
}

Result<RestAsk> read_ask(const RouteMatch& match, const net::HttpRequest& request, std::string_view body, uint64_t id) {
  const protocol::RestRoute& route = *match.route;
  Parts parts{.ask = body};
  if (route.has_payload && is_multipart(request.content_type)) {
    HONE_ASSIGN(split, split_parts(request.content_type, body));
    parts = split;
  }
  RestAsk ask{.payload = parts.payload};
  HONE_ASSIGN(message, read_body(parts.ask));
  ask.message = std::move(message);
  for (const auto& [name, text] : request.query) HONE_TRY(add_argument(route, name, text, ask.message));
  for (const auto& [name, text] : match.variables) ask.message[name] = text;
  ask.message["kind"] = route.kind;
  ask.message["id"] = id;
  ask.streams = !route.events.empty() && !(!route.plain_if.empty() && is_true(ask.message, route.plain_if));
  return ask;
}

}  // namespace hone::server
