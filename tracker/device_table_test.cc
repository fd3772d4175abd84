#include "tracker/device_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cat.h"
#include "base/rng.h"

namespace hone::tracker {
namespace {

using protocol::DeviceStateKind;

StoredDevice stored(const std::string& id, const std::string& target) {
  protocol::Fingerprint fingerprint{.target = target};
  return {.device_id = id, .local_id = id, .fingerprint = std::make_shared<protocol::Fingerprint>(fingerprint)};
}

// What the orders must say, by looking at every device.
std::vector<std::string> idle_by_looking(const DeviceTable& table, const std::string& target) {
  std::vector<const Device*> idle;
  for (const auto& [id, device] : table.all())
    if (device.lease_id.empty() && device.is_available() &&
        (target.empty() || device.stored.fingerprint->target == target))
      idle.push_back(&device);
  std::stable_sort(idle.begin(), idle.end(), [](const Device* a, const Device* b) {
    return std::tuple(!a->agent->visible, a->last_granted) < std::tuple(!b->agent->visible, b->last_granted);
  });
  std::vector<std::string> ids;
  for (const Device* device : idle) ids.push_back(device->stored.device_id);
  return ids;
}

std::vector<std::string> idle_by_asking(DeviceTable& table, const std::string& target) {
  std::vector<std::string> ids;
  const auto is_new = [&](const Device& device) {
    return std::find(ids.begin(), ids.end(), device.stored.device_id) == ids.end();
  };
  while (const Device* device = table.best_idle(target, is_new)) ids.push_back(device->stored.device_id);
  return ids;
}

std::string longest_gone_by_looking(const DeviceTable& table) {
  const Device* oldest = nullptr;
  for (const auto& [id, device] : table.all())
    if (device.lease_id.empty() && !device.is_here() &&
        (!oldest || device.stored.seen_unix_ms < oldest->stored.seen_unix_ms))
      oldest = &device;
  return oldest ? oldest->stored.device_id : "";
}

TEST(DeviceTable, SaysWhatLookingAtEveryDeviceSays) {
  // Given agents with devices of three targets, when they change at random in every way that there is, then after each change the orders are those
  // that looking at every device gives, and who became idle was told.
  Rng rng(11);
  const std::vector<std::string> targets{"webgpu", "wasm", "native"};
  std::map<std::string, Agent> agents;
  DeviceTable table;
  for (int i = 0; i < 6; ++i) agents[cat("agent-", i)].link = 1;
  for (int i = 0; i < 24; ++i)
    table.add(stored(cat("dev-", 10 + i), targets[rng.below(3)]), agents[cat("agent-", rng.below(6))]);
  std::set<std::string> idle_before;
  for (uint64_t step = 0; step < 3'000; ++step) {
    const std::string id = std::next(table.all().begin(), static_cast<long>(rng.below(table.all().size())))->first;
    Device& device = *table.find(id);
    Agent& agent = *device.agent;
    switch (rng.below(7)) {
      case 0:
        device.state = static_cast<DeviceStateKind>(rng.below(4));
        break;
      case 1:
        agent.link = rng.below(4) ? step : 0;
        break;
      case 2:
        agent.stuck = rng.below(3) == 0;
        break;
      case 3:
        agent.visible = rng.below(2) == 0;
        break;
      case 4:
        device.lease_id = rng.below(3) ? "" : "lease";
        break;
      case 5:
        device.last_granted = step;
        break;
      default:
        device.stored.seen_unix_ms = static_cast<int64_t>(rng.below(50));
        break;
    }
    for (Device* one : table.of(agent)) table.settle(*one);
    if (rng.below(20) == 0) {
      table.identify(
          device,
          {.local_id = "gpu", .target = targets[rng.below(3)], .fingerprint = {.target = targets[rng.below(3)]}});
      table.show(device);
    }
    for (const std::string target : {"", "webgpu", "wasm"})
      ASSERT_EQ(idle_by_asking(table, target), idle_by_looking(table, target)) << "step " << step;
    ASSERT_EQ(table.gone() > 0 ? table.longest_gone().stored.device_id : "", longest_gone_by_looking(table));
    std::set<std::string> told;
    for (const Device* one : table.take_newly_idle()) told.insert(one->stored.device_id);
    std::set<std::string> idle;
    for (const std::string& one : idle_by_looking(table, "")) idle.insert(one);
    for (const std::string& one : idle) ASSERT_TRUE(idle_before.count(one) || told.count(one)) << one;
    ASSERT_TRUE(std::includes(idle.begin(), idle.end(), told.begin(), told.end()));
    idle_before = idle;
  }
}

TEST(DeviceTable, KnowsTwinsAndForgets) {
  // Given three devices of which two say the same physical_id, when one of them says another one, and the other is forgotten, then each change is seen
  // at once, and nothing is left of the forgotten one.
  std::map<std::string, Agent> agents;
  DeviceTable table;
  for (const char* id : {"a", "b", "c"}) table.add(stored(id, "webgpu"), agents["agent"]);
  const std::string one(32, '1'), two(32, '2');
  const auto say = [&](const char* id, const std::string& physical_id) {
    table.identify(
        *table.find(id),
        {.local_id = id, .target = "webgpu", .fingerprint = {.target = "webgpu"}, .physical_id = physical_id});
  };
  say("a", one);
  say("b", one);
  EXPECT_EQ(table.twins(one).size(), 2u);
  EXPECT_TRUE(table.twins("").empty()) << "c says none";
  say("a", two);
  EXPECT_EQ(table.twins(one), std::vector{table.find("b")});
  EXPECT_EQ(table.twins(two), std::vector{table.find("a")});
  table.forget("b");
  EXPECT_TRUE(table.twins(one).empty());
  EXPECT_EQ(table.find("b"), nullptr);
  EXPECT_EQ(agents["agent"].device_ids, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(table.gone(), 2u);
}

TEST(Fingerprints, AreKeptOnceAndCountedWhileTheyLive) {
  // Given a table, when the same is said a hundred times, then one is kept; when nobody holds it any more, then nothing is counted, and what is
  // said again is kept anew.
  Fingerprints table;
  FingerprintPtr first = table.shared({.target = "webgpu", .vendor = "google"});
  const size_t bytes = table.bytes();
  EXPECT_GT(bytes, 0u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(table.shared({.target = "webgpu", .vendor = "google"}), first);
  EXPECT_EQ(table.bytes(), bytes);
  for (int i = 0; i < 1'000; ++i) (void)table.shared({.target = "webgpu", .vendor = cat(i)});
  EXPECT_EQ(table.bytes(), bytes);
  first.reset();
  EXPECT_EQ(table.bytes(), 0u);
  EXPECT_EQ(table.shared({.target = "webgpu", .vendor = "google"})->vendor, "google");
}

}  // namespace
}  // namespace hone::tracker
