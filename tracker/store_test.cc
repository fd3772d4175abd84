// What every Store does, whatever database it lies in.
#include "tracker/store.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "base/sql/scratch_database.h"
#include "tracker/limits.h"
#include "tracker/sql_store.h"

namespace hone::tracker {
namespace {

using protocol::DeviceEventKind;

class StoreTest : public testing::TestWithParam<sql::Kind> {
 protected:
  std::unique_ptr<Store> open() { return std::move(open_store(scratch_.where())).value(); }
  static StoredDevice device(const std::string& agent_id, const std::string& local_id = "gpu") {
    StoredDevice made{.device_id = cat("dev-", agent_id, "-", local_id), .agent_id = agent_id, .local_id = local_id, .device_key = "key"};
    made.fingerprint = std::make_shared<protocol::Fingerprint>(protocol::Fingerprint{.target = "webgpu", .vendor = "google"});
    return made;
  }
  // What the store tells of the device, oldest first.
  static std::vector<std::string> told(Store& store, const std::string& device_id, size_t count_max = 1000) {
    const auto events = store.history({device_id}, count_max);
    std::vector<std::string> lines;
    for (const auto& event : events.value()) lines.push_back(cat(protocol::to_name(event.kind), " ", event.text));
    return lines;
  }

  sql::ScratchDatabase scratch_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Both, StoreTest, testing::Values(sql::Kind::kSqlite, sql::Kind::kPostgres), [](const auto& one) { return sql::name_of(one.param); });

TEST_P(StoreTest, LoadsWhatWasCommitted) {
  // Given one of each thing that is kept, with figures at their largest and odd texts, when they are committed and the store is opened anew, then it loads them as they were.
  const StoredAgent agent{.agent_id = "a", .agent_name = "Ann's \"lab\" \xe2\x82\xac", .resume_hash = "r", .launch_hash = "l", .created_unix_ms = 1, .seen_unix_ms = 253'402'300'799'000};
  StoredDevice one = device("a");
  one.timer = {.method = "clock"};
  one.fence = (uint64_t{1} << 53) - 1;
  one.physical_id = "p";
  one.label = "'; DROP TABLE fleet_devices; --";
  one.hold = Hold::kQuarantined;
  one.hold_reason = "it lies";
  const StoredLease lease{.lease_id = "l", .device_id = one.device_id, .fence = 3, .job = "j", .user = "ann", .granted_unix_ms = 5};
  const StoredToken token{.token_id = "t", .token_hash = "h", .role = protocol::Role::kServer, .name = "lab", .created_unix_ms = 1, .expires_unix_ms = 2, .revoked_unix_ms = 3,
                          .used_unix_ms = 4, .idle_ms_max = 5, .quota = {6, 7, 8}};
  ASSERT_TRUE(open()->commit({agent, one, lease, StoredClass{"key", "said", 0.1, 1e9}, StoredMember{"p", "said", "key"}, token}).ok());

  const StoredFleet fleet = open()->load().value();
  ASSERT_EQ(fleet.agents.size(), 1u);
  EXPECT_EQ(fleet.agents[0].agent_name, agent.agent_name);
  EXPECT_EQ(fleet.agents[0].seen_unix_ms, agent.seen_unix_ms);
  ASSERT_EQ(fleet.devices.size(), 1u);
  EXPECT_EQ(fleet.devices[0].fence, one.fence);
  EXPECT_EQ(fleet.devices[0].label, one.label);
  EXPECT_EQ(fleet.devices[0].hold, Hold::kQuarantined);
  EXPECT_EQ(fleet.devices[0].fingerprint->vendor, "google");
  EXPECT_EQ(fleet.devices[0].timer.method, "clock");
  ASSERT_EQ(fleet.open_leases.size(), 1u);
  EXPECT_EQ(fleet.open_leases[0].user, "ann");
  ASSERT_EQ(fleet.classes.size(), 1u);
  EXPECT_EQ(fleet.classes[0].arithmetic_gflops, 0.1);
  ASSERT_EQ(fleet.members.size(), 1u);
  ASSERT_EQ(fleet.tokens.size(), 1u);
  EXPECT_EQ(fleet.tokens[0].role, protocol::Role::kServer);
  EXPECT_EQ(fleet.tokens[0].quota.bytes_max, 8u);
}

TEST_P(StoreTest, WritesAgainInThePlaceOfBefore) {
  // Given a device and a token, when they are written again, changed, then there is one of each, as written last; but a device's fence never falls, whoever writes it.
  const auto store = open();
  StoredDevice one = device("a");
  one.fence = 7;
  ASSERT_TRUE(store->commit({StoredAgent{.agent_id = "a"}, one, StoredToken{.token_id = "t", .token_hash = "h"}}).ok());
  one.fence = 3;
  one.label = "pixel";
  ASSERT_TRUE(store->commit({one, DeviceUse{one.device_id, 5, 9}, StoredToken{.token_id = "t", .token_hash = "other", .role = protocol::Role::kAgent, .revoked_unix_ms = 1}}).ok());
  const StoredFleet fleet = store->load().value();
  ASSERT_EQ(fleet.devices.size(), 1u);
  EXPECT_EQ(fleet.devices[0].fence, 7u);
  EXPECT_EQ(fleet.devices[0].label, "pixel");
  EXPECT_EQ(fleet.devices[0].seen_unix_ms, 9);
  ASSERT_EQ(fleet.tokens.size(), 1u);
  EXPECT_EQ(fleet.tokens[0].token_hash, "other");
}

TEST_P(StoreTest, ACommitIsAllOrNothing) {
  // Given a use of a device that nobody stored, an event of one, and two leases with one fence, when each is committed beside a new agent, then it fails, the first with the device's name, and
  // the agent is not there.
  const auto store = open();
  ASSERT_TRUE(store->commit({StoredAgent{.agent_id = "a"}, device("a")}).ok());
  const StoredAgent other{.agent_id = "b"};
  const Status unknown = store->commit({other, DeviceUse{"dev-none", 1, 1}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("dev-none"), std::string::npos);
  EXPECT_FALSE(store->commit({other, protocol::DeviceEvent{.device_id = "dev-none"}}).ok());
  EXPECT_FALSE(store->commit({other, StoredLease{.lease_id = "x", .device_id = "dev-a-gpu", .fence = 1}, StoredLease{.lease_id = "y", .device_id = "dev-a-gpu", .fence = 1}}).ok());
  EXPECT_EQ(store->load()->agents.size(), 1u);
  EXPECT_TRUE(store->load()->open_leases.empty());
}

TEST_P(StoreTest, TellsWhatHappenedToADevice) {
  // Given events and leases of two devices, when the history of one is asked for, then it has its own in the order of their time, those of the same time in that of their coming, and of too many
  // the latest; of events that are too old none.
  const auto store = open();
  const auto event = [](const std::string& device_id, uint64_t unix_ms, DeviceEventKind kind, const std::string& text) {
    return protocol::DeviceEvent{.unix_ms = unix_ms, .device_id = device_id, .kind = kind, .text = text};
  };
  ASSERT_TRUE(store->commit({StoredAgent{.agent_id = "a"}, device("a"), device("a", "cpu"), event("dev-a-gpu", 10, DeviceEventKind::kConnected, "first"),
                             event("dev-a-gpu", 30, DeviceEventKind::kGone, "second"), event("dev-a-gpu", 30, DeviceEventKind::kConnected, "third"),
                             event("dev-a-cpu", 20, DeviceEventKind::kConnected, "another's"),
                             StoredLease{.lease_id = "l", .device_id = "dev-a-gpu", .fence = 1, .job = "job", .granted_unix_ms = 15, .ended_unix_ms = 25, .end_reason = "done"}}).ok());
  const std::vector<std::string> all{"connected first", "leased job", "lease_ended job: done", "gone second", "connected third"};
  EXPECT_EQ(told(*store, "dev-a-gpu"), all);
  EXPECT_EQ(told(*store, "dev-a-gpu", 2), (std::vector<std::string>{all[3], all[4]}));
  ASSERT_TRUE(store->commit({ForgottenEvents{20}}).ok());
  EXPECT_EQ(told(*store, "dev-a-gpu").size(), 4u);
}

TEST_P(StoreTest, ForgetsWhatItIsToldTo) {
  // Given two devices, each with an open lease and more ended ones, and more events of a kind, than are kept, when they are stored, then the older ones are gone; when one and its agent are
  // forgotten, then nothing of them is left, and the other's is.
  const auto store = open();
  std::vector<Write> writes;
  for (const char* id : {"a", "b"}) {
    writes.push_back(StoredAgent{.agent_id = id});
    writes.push_back(device(id));
    for (uint64_t fence = 1; fence <= 150; ++fence)
      writes.push_back(StoredLease{.lease_id = cat(id, fence), .device_id = cat("dev-", id, "-gpu"), .fence = fence, .ended_unix_ms = fence == 1 ? 0 : 5});
    for (int i = 0; i < kEventsKept + 20; ++i) writes.push_back(protocol::DeviceEvent{.unix_ms = 100, .device_id = cat("dev-", id, "-gpu"), .kind = DeviceEventKind::kGone});
  }
  ASSERT_TRUE(store->commit(writes).ok());
  // Of an ended lease its beginning and its end, of the open one its beginning.
  const size_t kept = 2 * static_cast<size_t>(kEndedLeasesKept) + 1 + static_cast<size_t>(kEventsKept);
  EXPECT_EQ(told(*store, "dev-a-gpu").size(), kept);
  ASSERT_TRUE(store->commit({ForgottenDevice{"dev-a-gpu"}, ForgottenAgent{"a"}}).ok());
  EXPECT_TRUE(told(*store, "dev-a-gpu").empty());
  EXPECT_EQ(told(*store, "dev-b-gpu").size(), kept);
  const StoredFleet fleet = store->load().value();
  EXPECT_EQ(fleet.agents.size(), 1u);
  EXPECT_EQ(fleet.devices.size(), 1u);
  EXPECT_EQ(fleet.open_leases.size(), 1u);
}

}  // namespace
}  // namespace hone::tracker
