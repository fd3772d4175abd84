#include "cli/bench_places.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

protocol::DeviceInfo device(const std::string& id, const std::string& key, protocol::ServiceState state = protocol::ServiceState::kIdle, const std::string& target = "wasm") {
  protocol::DeviceInfo out{.device_id = id, .device_key = key, .state = protocol::DeviceStateKind::kReady, .service_state = state};
  out.fingerprint.target = target;
  out.fingerprint.browser = "chromium";
  return out;
}

const std::vector<protocol::DeviceInfo> kFleet{device("a1", "a"), device("a2", "a", protocol::ServiceState::kLeased), device("b1", "b"), device("c1", "c", protocol::ServiceState::kMaintenance), device("d1", "d", protocol::ServiceState::kIdle, "webgpu")};

std::vector<std::string> ids(Spread spread, const std::string& selector = "") {
  const auto places = places_of({.target = "wasm", .device = selector, .spread = spread}, kFleet);
  std::vector<std::string> out;
  for (const BenchPlace& place : *places) out.push_back(place.device_id);
  return out;
}

TEST(BenchPlaces, AreThoseThatCanWork) {
  // Given a fleet with two devices of one class, one that rests and one of another target, when a case wants one, each, or one of each class, then it gets those that can work.
  EXPECT_EQ(ids(Spread::kOne), std::vector<std::string>{""});
  EXPECT_EQ(ids(Spread::kEach), (std::vector<std::string>{"a1", "a2", "b1"}));
  EXPECT_EQ(ids(Spread::kClasses), (std::vector<std::string>{"a1", "b1"}));
  EXPECT_EQ(ids(Spread::kEach, "key=b"), std::vector<std::string>{"b1"});
  EXPECT_TRUE(ids(Spread::kEach, "browser=firefox").empty());
  EXPECT_EQ(*device_count({.target = "wasm"}, kFleet), 3u);
}

TEST(BenchPlaces, ASelectorThatIsNoneIsRefused) {
  // Given a selector with a term that means nothing, when places are looked for, then it fails with invalid_argument.
  EXPECT_EQ(places_of({.target = "wasm", .device = "colour=red"}, kFleet).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace hone::cli
