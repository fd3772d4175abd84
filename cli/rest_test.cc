// The REST interface of the whole service, over real sockets, as whoever writes a script against it sees it.
#include <gtest/gtest.h>

#include "base/net/http_client.h"
#include "base/net/raw_peer.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

using nlohmann::json;

struct Answer {
  int status = 0;
  std::string text;
  json body;
};

struct Event {
  std::string name;
  json data;
};

std::vector<Event> events_of(const std::string& text) {
  std::vector<Event> events;
  for (size_t at = text.find("event: "); at != std::string::npos; at = text.find("event: ", at)) {
    const size_t line = text.find('\n', at), end = text.find("\n\n", at);
    if (end == std::string::npos) break;
    const std::string data = text.substr(line + 1, end - line - 1);
    events.push_back({text.substr(at + 7, line - at - 7), json::parse(data.substr(std::string("data: ").size()))});
    at = end;
  }
  return events;
}

struct RestWorld : World {
  Answer ask(const std::string& method, const std::string& path, const json& body = nullptr, std::optional<std::string> token = std::nullopt, std::string type = "application/json") {
    std::vector<std::pair<std::string, std::string>> headers{{"Authorization", "Bearer " + token.value_or(url.token)}};
    if (!body.is_null()) headers.emplace_back("Content-Type", type);
    std::optional<net::HttpAnswer> answer;
    net::http_ask(loop,
                  {.host = "127.0.0.1",
                   .port = service->port(),
                   .method = method,
                   .path = "/api/v1" + path,
                   .body = body.is_null() ? "" : body.is_string() ? body.get<std::string>() : body.dump(),
                   .headers = headers,
                   .limit = std::chrono::milliseconds(60'000)},
                  [&](net::HttpAnswer got) { answer = std::move(got); });
    CHECK(run_until([&] { return answer.has_value(); }), "no answer");
    return {answer->status, answer->body, json::parse(answer->body, nullptr, false)};
  }
  json job(const std::string& op, int trials) const {
    return {{"kind", "tune"}, {"source", {{"op", op}}}, {"dims", json::object()}, {"target", "webgpu"}, {"selector", ""}, {"trials", trials}, {"time_s", 0}, {"seed", "0000000000000001"}, {"device_wait_s", 20}};
  }
  std::string new_token(const std::string& role, const std::string& name) {
    return ask("POST", "/tokens", {{"role", role}, {"name", name}, {"lifetime_s", 0}}).body.value("token", "");
  }
};

TEST(Rest, DevicesAreListedShownNamedAndTakenOutOfService) {
  // Given a connected agent, when its device is listed, shown, named and drained by requests, then each reply is what the client socket says, and the next one shows what was done.
  RestWorld w;
  w.add_agent({.measure = always_good()});
  ASSERT_TRUE(w.run_until([&] { return w.ask("GET", "/devices").body.value("devices", json::array()).size() == 1; }));
  const std::string id = w.ask("GET", "/devices").body["devices"][0]["device_id"];
  EXPECT_EQ(w.ask("PUT", "/devices/" + id + "/label", {{"label", "desk"}}).status, 200);
  EXPECT_EQ(w.ask("POST", "/devices/" + id + "/actions", {{"action", "drain"}, {"reason", "new driver"}}).body["service_state"], "maintenance");
  const Answer shown = w.ask("GET", "/devices/" + id);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body["device"]["label"], "desk") << shown.text;
  EXPECT_EQ(shown.body["events"].back()["kind"], "drained");
  EXPECT_EQ(w.ask("GET", "/devices?after=" + id).body["devices"], json::array());
}

TEST(Rest, AJobIsFollowedToItsEnd) {
  // Given a device, when a search is posted, then its stream tells that it was accepted, how far it is and its result, and the records have what it measured.
  RestWorld w;
  w.add_agent({.measure = always_good()});
  const Answer answer = w.ask("POST", "/jobs", {{"job", w.job("matmul:32x32x32", 3)}});
  EXPECT_EQ(answer.status, 200);
  const auto events = events_of(answer.text);
  ASSERT_GE(events.size(), 3u) << answer.text;
  EXPECT_EQ(events.front().name, "job_accepted");
  EXPECT_EQ(events[1].name, "job_progress");
  EXPECT_EQ(events.back().name, "job_done");
  EXPECT_EQ(events.back().data["result"]["tasks"][0]["trials"], 3) << events.back().data;
  const Answer records = w.ask("GET", "/records?part=attempts");
  EXPECT_EQ(records.status, 200);
  EXPECT_EQ(records.body["lines"].size(), w.records().size()) << records.text;
  const Answer shown = w.ask("GET", "/jobs/" + events.front().data["job"].get<std::string>());
  EXPECT_EQ(shown.body["job"]["state"], "done") << shown.text;
}

TEST(Rest, ADetachedJobGoesOnWithoutItsRequest) {
  // Given no device, when a detached search is posted with a model's parts, and one of an operator, then each reply is plain and the jobs wait; a follower hears the cancel of one, and its end.
  RestWorld w;
  const Answer posted = w.ask("POST", "/jobs", {{"job", w.job("matmul:32x32x32", 3)}, {"detached", true}});
  ASSERT_EQ(posted.status, 200) << posted.text;
  const std::string id = posted.body["job"];
  const std::string path = "/jobs/" + id;
  EXPECT_NE(w.ask("GET", path).body["job"]["state"], "done");
  EXPECT_EQ(w.ask("GET", "/jobs").body["jobs"].size(), 1u);
  EXPECT_EQ(w.ask("POST", path + "/cancel").status, 200);
  const auto events = events_of(w.ask("GET", path + "/events").text);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().name, "job_failed");
  EXPECT_EQ(events.back().data["code"], "cancelled");
  EXPECT_EQ(w.ask("POST", path + "/cancel").status, 404);
  EXPECT_EQ(w.ask("GET", path + "x").status, 404);
  EXPECT_EQ(w.ask("GET", path + "x/events").status, 404);
}

TEST(Rest, AModelIsAPart) {
  // Given a model's bytes as the second part of a body, when it is no model, then the job's end says so, as of any client's.
  RestWorld w;
  json job = w.job("", 1);
  job["source"] = {{"model_name", "m.onnx"}};
  const std::string body = "--b\r\nContent-Disposition: form-data; name=\"ask\"\r\n\r\n" + json{{"job", job}}.dump() +
                           "\r\n--b\r\nContent-Disposition: form-data; name=\"payload\"; filename=\"m.onnx\"\r\n\r\nno model\r\n--b--\r\n";
  const Answer answer = w.ask("POST", "/jobs", body, std::nullopt, "multipart/form-data; boundary=b");
  const auto events = events_of(answer.text);
  ASSERT_FALSE(events.empty()) << answer.text;
  EXPECT_EQ(events.back().name, "job_failed");
  EXPECT_EQ(events.back().data["code"], "bad_model") << answer.text;
}

TEST(Rest, ATokensRoleDecides) {
  // Given tokens of each role, a revoked one and none, when each asks for what its role may and may not, then it is answered, or refused with 403; without a token that lets in it is 401, and says how to show one.
  RestWorld w;
  const std::string agent = w.new_token("agent", "a"), submitter = w.new_token("submitter", "bob");
  EXPECT_EQ(w.ask("GET", "/devices", nullptr, submitter).status, 200);
  EXPECT_EQ(w.ask("GET", "/devices", nullptr, agent).status, 403);
  EXPECT_EQ(w.ask("GET", "/tokens", nullptr, submitter).status, 403);
  EXPECT_EQ(w.ask("POST", "/tokens", {{"role", "admin"}, {"name", "x"}, {"lifetime_s", 0}}, submitter).body["code"], "unauthorized");
  EXPECT_EQ(w.ask("GET", "/devices", nullptr, "").status, 401);
  EXPECT_EQ(w.ask("GET", "/devices", nullptr, std::string(32, '0')).status, 401);
  const json tokens = w.ask("GET", "/tokens").body["tokens"];
  for (const json& token : tokens)
    if (token["name"] == "bob") {
      EXPECT_EQ(w.ask("DELETE", "/tokens/" + token["token_id"].get<std::string>()).status, 200);
    }
  EXPECT_EQ(w.ask("GET", "/devices", nullptr, submitter).status, 401);
  EXPECT_EQ(w.ask("GET", "/openapi.json", nullptr, "").body["openapi"], "3.1.0");
}

TEST(Rest, WhatIsNoRequestIsRefusedInASentence) {
  // Given paths, methods, bodies and fields that there are not, when asked, then each hears a status, a code and a sentence, and the service goes on.
  RestWorld w;
  const auto refused = [&](const Answer& answer, int status) {
    EXPECT_EQ(answer.status, status) << answer.text;
    EXPECT_TRUE(answer.body.is_object() && !answer.body.value("message", "").empty() && !answer.body.value("code", "").empty()) << answer.text;
  };
  refused(w.ask("GET", "/none"), 404);
  refused(w.ask("DELETE", "/devices"), 405);
  refused(w.ask("GET", "/devices?none=1"), 400);
  refused(w.ask("POST", "/tokens", "{"), 400);
  refused(w.ask("POST", "/tokens", {{"role", "king"}, {"name", "x"}, {"lifetime_s", 0}}), 400);
  refused(w.ask("POST", "/tokens", {{"role", "agent"}}), 400);
  refused(w.ask("POST", "/tokens", std::string(5000, ' ')), 413);
  refused(w.ask("GET", "/devices/none'; DROP TABLE fleet_devices; --"), 400 + 4);
  refused(w.ask("POST", "/jobs", "--b", std::nullopt, "multipart/form-data; boundary=b"), 400);
  EXPECT_EQ(w.ask("GET", "/devices").status, 200);
}

TEST(Rest, TheFleetTellsWhatHappens) {
  // Given somebody who listens to the fleet, when an agent comes and a job begins and ends, then each is told once, after it is stored.
  RestWorld w;
  net::RawPeer listener(w.service->port());
  listener.say(cat("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:", w.service->port(), "\r\nX-Hone-Token: ", w.url.token, "\r\n\r\n"));
  ASSERT_TRUE(w.run_until([&] { return listener.hear().find("fleet_watched") != std::string::npos; })) << listener.heard;
  w.add_agent({.measure = always_good()});
  EXPECT_EQ(w.ask("POST", "/jobs", {{"job", w.job("matmul:32x32x32", 2)}}).status, 200);
  const auto told = [&] {
    std::map<std::string, int> counts;
    for (const Event& event : events_of(listener.hear())) {
      if (event.name == "device_changed") ++counts[event.data["event"]["kind"]];
      if (event.name == "job_changed") ++counts[event.data["job"]["state"]];
    }
    return counts;
  };
  const std::map<std::string, int> all{{"connected", 1}, {"leased", 1}, {"lease_ended", 1}, {"running", 1}, {"done", 1}};
  EXPECT_TRUE(w.run_until([&] { return told() == all; })) << json(told()).dump();
}

TEST(Rest, AJobEndsWithWhoWaitedForIt) {
  // Given a search that somebody waits for by a request, when the connection ends, then so does the job.
  RestWorld w;
  {
    net::RawPeer asker(w.service->port());
    const std::string body = json{{"job", w.job("matmul:32x32x32", 5)}}.dump();
    asker.say(cat("POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:", w.service->port(), "\r\nX-Hone-Token: ", w.url.token, "\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
    ASSERT_TRUE(w.run_until([&] { return asker.hear().find("job_progress") != std::string::npos; })) << asker.heard;
  }
  EXPECT_TRUE(w.run_until([&] { return w.ask("GET", "/jobs").body["jobs"][0]["state"] == "cancelled"; }));
}

}  // namespace
}  // namespace hone::cli
