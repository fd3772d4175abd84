#include "cli/farm_checkup.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <future>
#include <map>

#include "base/net/listener.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

// The findings by their names, while the world's loop turns.
std::map<std::string, Finding> check(World& w, const ServiceUrl& url) {
  std::atomic<bool> done = false;
  auto asked = std::async(std::launch::async, [&] {
    auto findings = check_farm(url, SystemClock());
    done = true;
    w.loop.post([] {});
    return findings;
  });
  CHECK(w.run_until([&] { return done.load(); }), "the check-up does not end");
  std::map<std::string, Finding> all;
  for (Finding& finding : asked.get()) all[finding.name] = std::move(finding);
  return all;
}

TEST(FarmCheckup, AFarmThatWorksIsFoundSo) {
  // Given a service with a device, when it is checked with its URL, then each step is well, in their order.
  World w;
  w.add_agent({.measure = always_good()});
  ASSERT_TRUE(w.run_until([&] { return w.service && check(w, w.url)["devices"].ok; }));
  const auto found = check(w, w.url);
  for (const char* name : {"name", "connection", "health", "ready", "clock", "version", "token", "devices"}) {
    ASSERT_TRUE(found.count(name)) << name;
    EXPECT_TRUE(found.at(name).ok) << name << ": " << found.at(name).found;
    EXPECT_EQ(found.at(name).remedy, "") << name;
  }
  EXPECT_EQ(found.at("devices").found, "1 ready");
}

TEST(FarmCheckup, AFarmWhoseDevicesAreHeldBackIsFoundSo) {
  // Given a service whose only device is drained, when it is checked, then the devices are what is wrong; resumed they are not.
  World w;
  w.add_agent({.measure = always_good()});
  w.connect(w.url.token);
  ASSERT_TRUE(w.run_until([&] { return w.ready && check(w, w.url)["devices"].ok; }));
  w.client->send(protocol::ListDevices{.id = w.client->next_id()});
  ASSERT_TRUE(w.run_until([&] { return w.pages == 1; }));
  protocol::ManageDevice ask{.id = w.client->next_id(), .device_id = w.devices.at(0).device_id, .action = protocol::DeviceAction::kDrain};
  w.client->send(ask);
  ASSERT_TRUE(w.run_until([&] { return !check(w, w.url)["devices"].ok; }));
  EXPECT_EQ(check(w, w.url)["devices"].found, "1 maintenance");
  ask.action = protocol::DeviceAction::kResume;
  w.client->send(ask);
  EXPECT_TRUE(w.run_until([&] { return check(w, w.url)["devices"].ok; }));
}

TEST(FarmCheckup, WhatIsWrongIsNamedWithItsRemedy) {
  // Given a service without devices, when it is checked with a wrong token, a name that it does not have, while it stops, and at a port where nothing
  // listens, then the step that fails is the one that is wrong, it says what to do, and nothing behind it is claimed.
  World w;
  EXPECT_FALSE(check(w, w.url)["devices"].ok);
  ServiceUrl wrong = w.url;
  wrong.token = "0123";
  auto found = check(w, wrong);
  EXPECT_FALSE(found["token"].ok);
  EXPECT_NE(found["token"].remedy, "");
  EXPECT_FALSE(found.count("devices"));
  wrong = w.url;
  wrong.host = "no-such-host.invalid";
  found = check(w, wrong);
  EXPECT_FALSE(found["name"].ok);
  EXPECT_EQ(found.size(), 1u);
  w.service->drain();
  found = check(w, w.url);
  EXPECT_FALSE(found["ready"].ok);
  EXPECT_TRUE(found["token"].ok) << "it can be asked while it drains";
  const uint16_t port = w.service->port();
  w.stop();
  wrong = w.url;
  wrong.port = port;
  found = check(w, wrong);
  EXPECT_TRUE(found["name"].ok);
  EXPECT_FALSE(found["connection"].ok);
  EXPECT_EQ(found.size(), 2u);
}

TEST(FarmCheckup, APeerThatIsNoServiceIsNotBelieved) {
  // Given ports behind which something closes at once, or answers nonsense, when they are checked, then health is what is wrong.
  World w;
  for (const char* answer : {"", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "\xff\xfe nonsense\r\n\r\n"}) {
    auto listening = net::Listener::open(w.loop, "127.0.0.1", 0, [&](int fd, const std::string&) {
      (void)!write(fd, answer, strlen(answer));
      shutdown(fd, SHUT_WR);
      close(fd);
    });
    ASSERT_TRUE(listening.ok());
    auto found = check(w, {.host = "127.0.0.1", .port = (*listening)->port(), .token = "x"});
    EXPECT_TRUE(found["connection"].ok) << answer;
    EXPECT_FALSE(found["health"].ok) << answer;
    EXPECT_EQ(found.size(), 3u) << answer;
  }
}

TEST(FarmCheckup, ClocksThatDifferAreANote) {
  // Given the time of a service, when it is held against this machine's, then a difference of seconds is none, a larger one is told with its
  // direction, and a header that is no time is no time.
  const std::chrono::milliseconds here{1'700'000'000'000};  // Tue, 14 Nov 2023 22:13:20 GMT
  EXPECT_TRUE(check_clock("Tue, 14 Nov 2023 22:13:23 GMT", here).ok);
  const Finding ahead = check_clock("Tue, 14 Nov 2023 22:15:00 GMT", here),
                behind = check_clock("Tue, 14 Nov 2023 21:13:20 GMT", here);
  EXPECT_NE(ahead.found.find(" ahead of"), std::string::npos) << ahead.found;
  EXPECT_NE(behind.found.find(" behind"), std::string::npos) << behind.found;
  for (const Finding& finding : {ahead, behind, check_clock("yesterday", here), check_clock("", here)}) {
    EXPECT_FALSE(finding.ok);
    EXPECT_FALSE(finding.required);
    EXPECT_NE(finding.remedy, "");
  }
}

TEST(FarmCheckup, AnotherVersionIsToldApartFromAWrongToken) {
  // Given what a service may say to a greeting, when it is judged, then a version and a token are findings of their own.
  EXPECT_EQ(check_refusal({ErrorCode::kVersionMismatch, "the client speaks version 3"}).name, "version");
  EXPECT_EQ(check_refusal({ErrorCode::kUnauthorized, "the token is wrong"}).name, "token");
  EXPECT_EQ(check_refusal({ErrorCode::kTimeout, "it does not answer"}).name, "greeting");
}

}  // namespace
}  // namespace hone::cli
