#include "server/rest/rest_ask.h"

#include <gtest/gtest.h>

#include "schema/message.h"

namespace hone::server {
namespace {

using nlohmann::json;

Result<RestAsk> read(const std::string& method, const std::string& path, const std::vector<std::pair<std::string, std::string>>& query = {}, const std::string& body = "", const std::string& type = "application/json") {
  const RouteMatch match = match_route(method, "/api/v1" + path);
  if (!match.route) return Error{ErrorCode::kNotFound, "no route"};
  static std::string kept;  // views of it live as long
  kept = body;
  return read_ask(match, {.method = method, .path = path, .query = query, .content_type = type, .body_bytes = body.size()}, kept, 7);
}

TEST(RouteMatch, KnowsItsPathsAndMethods) {
  // Given paths with and without variables, when matched, then the route and its variables are found; another method hears which there are; an empty or a further segment is no match.
  const RouteMatch shown = match_route("GET", "/api/v1/devices/dev-1");
  ASSERT_TRUE(shown.route);
  EXPECT_EQ(shown.route->kind, "show_device");
  EXPECT_EQ(shown.variables.at("device_id"), "dev-1");
  EXPECT_EQ(match_route("GET", "/api/v1/jobs/tune-1/events").route->kind, "attach_job");
  EXPECT_EQ(match_route("DELETE", "/api/v1/tokens").allow, "GET, POST");
  for (const char* path : {"/api/v1/", "/api/v1/devices/", "/api/v1/devices//label", "/api/v1/devices/a/label/b", "/api/v1/none", "/api/v1//devices"}) {
    const RouteMatch none = match_route("GET", path);
    EXPECT_FALSE(none.route) << path;
    EXPECT_EQ(none.allow, "") << path;
  }
}

TEST(RestAsk, EachRouteMakesAMessageThatTheProtocolKnows) {
  // Given every route, when it is asked without arguments, then the message has its kind, and the protocol refuses it for a missing field at most.
  for (const protocol::RestRoute& route : protocol::rest_routes()) {
    RouteMatch match{.route = &route};
    const auto ask = read_ask(match, {.method = std::string(route.method)}, "", 7);
    ASSERT_TRUE(ask.ok()) << route.path;
    const auto message = protocol::decode<protocol::ClientFromClient>(ask->message, 100);
    const std::string why = message.ok() ? "" : message.error().message;
    EXPECT_EQ(why.find("not expected here"), std::string::npos) << why;
    EXPECT_EQ(ask->message["kind"], route.kind);
    EXPECT_EQ(ask->message["id"], 7);
  }
}

TEST(RestAsk, AQueryHasTheTypesOfItsFields) {
  // Given arguments as a query has them, when read, then strings, lists of them and JSON are what the message wants; unknown ones, two of one and wrong types are refused by name.
  const auto ask = read("GET", "/records", {{"part", "attempts"}, {"tasks", "a"}, {"tasks", "b"}, {"device_key", "7"}, {"after", R"({"row":3})"}});
  ASSERT_TRUE(ask.ok()) << ask.error().message;
  EXPECT_EQ(ask->message, (json{{"kind", "fetch_records"}, {"id", 7}, {"part", "attempts"}, {"tasks", {"a", "b"}}, {"device_key", "7"}, {"after", {{"row", 3}}}}));
  EXPECT_EQ(read("GET", "/jobs", {{"before", "12"}})->message["before"], 12);
  for (const auto& query : std::vector<std::vector<std::pair<std::string, std::string>>>{{{"before", "x"}}, {{"before", "\"1\""}}, {{"none", "1"}}, {{"before", "1"}, {"before", "2"}}, {{"kind", "list_tokens"}}}) {
    const auto refused = read("GET", "/jobs", query);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find(query.front().first), std::string::npos) << refused.error().message;
  }
}

TEST(RestAsk, ABodyIsTheMessageAndCannotBeAnother) {
  // Given bodies that say another kind, another id or another device than the path, when read, then kind, id and path win; what is no object is refused.
  const auto ask = read("PUT", "/devices/dev-1/label", {}, R"({"label":"desk","kind":"revoke_token","id":1,"device_id":"dev-2"})");
  ASSERT_TRUE(ask.ok());
  EXPECT_EQ(ask->message, (json{{"kind", "label_device"}, {"id", 7}, {"device_id", "dev-1"}, {"label", "desk"}}));
  for (const char* body : {"[]", "1", "{", "{\"a\":}", "null"}) EXPECT_FALSE(read("PUT", "/devices/dev-1/label", {}, body).ok()) << body;
  EXPECT_FALSE(read("PUT", "/devices/dev-1/label", {}, std::string(100, '[')).ok());
}

TEST(RestAsk, OnlyAJobThatSomebodyWaitsForStreams) {
  // Given a job with and without `detached`, when read, then events follow the second alone; the model is the payload's bytes.
  const std::string body = "--b\r\nContent-Disposition: form-data; name=\"ask\"\r\n\r\n{\"job\":{},\"detached\":true}\r\n--b\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\nmodel\r\n--b--\r\n";
  const auto detached = read("POST", "/jobs", {}, body, "multipart/form-data; boundary=b");
  ASSERT_TRUE(detached.ok()) << detached.error().message;
  EXPECT_FALSE(detached->streams);
  EXPECT_EQ(detached->payload, "model");
  EXPECT_TRUE(read("POST", "/jobs", {}, R"({"job":{}})")->streams);
  EXPECT_TRUE(read("POST", "/jobs", {}, R"({"job":{},"detached":"true"})")->streams);
  EXPECT_TRUE(read("GET", "/events")->streams);
}

TEST(RestAsk, ABodyHasAMost) {
  // Given routes with and without a body, when asked how much may come, then it is nothing, JSON's limit or that of the message, or a job's, where its type says that there are parts.
  const auto most = [](const std::string& method, const std::string& path, const std::string& type = "") {
    return body_bytes_max(*match_route(method, "/api/v1" + path).route, {.content_type = type}, 1 << 30);
  };
  EXPECT_EQ(most("GET", "/devices"), 0u);
  EXPECT_EQ(most("DELETE", "/tokens/t"), 0u);
  EXPECT_EQ(most("POST", "/tokens"), protocol::CreateToken::kBytesMax);
  EXPECT_EQ(most("POST", "/jobs"), 1u << 20);
  EXPECT_EQ(most("POST", "/jobs", "multipart/form-data; boundary=b"), 1u << 30);
  EXPECT_EQ(most("POST", "/tokens", "multipart/form-data; boundary=b"), protocol::CreateToken::kBytesMax);
}

}  // namespace
}  // namespace hone::server
