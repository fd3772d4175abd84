// Who an agent is, and for how long it is remembered.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/sha256.h"
#include "schema/message.h"
#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

class RegistryTest : public testing::Test, protected FleetWorld {
 protected:
  RegistryTest()
      : FleetWorld(cat(testing::TempDir(), "/fleet_", testing::UnitTest::GetInstance()->current_test_info()->name(),
                       "_", getpid(), ".db")) {}
};

TEST_F(RegistryTest, AnIdWithoutItsSecretIsNobody) {
  // Given an agent with a lease, whose id a list shows, when others say hello with that id and no secret, a wrong one, or its hash, with a
  // device or with none, then each is a new agent, and the first keeps its link, its devices and its lease.
  const auto before = join(1, {offer("gpu")});
  acquire({.job = "j1"});
  const Lease lease = taken<Granted>()[0].lease;
  Link link = 1;
  for (const auto& secret :
       {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>("wrong"),
        std::optional<std::string>(sha256_hex(*before.resume_secret))})
    for (const auto& brought : {std::vector{offer("gpu")}, std::vector<protocol::DeviceOffer>()}) {
      auto hello = hello_message(brought, before.agent_id);
      hello.resume_secret = secret;
      auto outcome = fleet_->hello(++link, hello);
      ASSERT_TRUE(outcome.ok());
      run(std::move(*outcome));
      const auto welcome = sent<protocol::Welcome>(link).at(0);
      EXPECT_NE(welcome.agent_id, before.agent_id);
      EXPECT_TRUE(sent<protocol::OpenSession>(link).empty());
    }
  EXPECT_TRUE(taken<CloseLink>().empty());
  EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
  const auto list = devices();
  const auto own =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.device_id == lease.device.device_id; });
  ASSERT_NE(own, list.end());
  EXPECT_EQ(own->state, protocol::DeviceStateKind::kReady);
  const auto after = join(++link, {offer("gpu")}, before.agent_id);  // the control case: with the secret
  EXPECT_EQ(after.agent_id, before.agent_id);
  EXPECT_FALSE(after.resume_secret.has_value());
}

TEST_F(RegistryTest, SecretsAreOnlyInTheWelcome) {
  // Given an agent with a secret and a launch id, when it is stored and listed, then neither text stands anywhere; both still let it come back
  // after a restart.
  const auto before = join(1, {offer("gpu")}, {}, "launch-secret");
  const std::string secret = before.resume_secret.value();
  for (const auto& info : devices()) {
    EXPECT_EQ(protocol::encode(info).find(secret), std::string::npos);
    EXPECT_EQ(protocol::encode(info).find("launch-secret"), std::string::npos);
  }
  const StoredAgent stored = store_->load().value().agents.at(0);
  EXPECT_EQ(stored.resume_hash, sha256_hex(secret));
  EXPECT_EQ(stored.launch_hash, sha256_hex("launch-secret"));
  start();
  EXPECT_EQ(fleet_->agent_state("launch-secret").message, "it has not connected since the service started");
  EXPECT_EQ(join(1, {offer("gpu")}, {}, "launch-secret").agent_id, before.agent_id);
  start();
  EXPECT_EQ(join(1, {offer("gpu")}, before.agent_id).agent_id, before.agent_id);
}

TEST_F(RegistryTest, AnAgentWithoutASecretCannotBeResumed) {
  // Given an agent of a database from before there were secrets, when somebody says hello with its id and any secret, then it is a new agent.
  const StoredAgent old{.agent_id = "old"};
  StoredDevice device{
      .device_id = "dev-old", .agent_id = "old", .local_id = "gpu", .seen_unix_ms = wall_.now().count()};
  ASSERT_TRUE(store_->commit({old, device}).ok());
  start();
  ASSERT_EQ(devices().size(), 1u);
  kept_["old"] = "";
  EXPECT_NE(join(1, {offer("gpu")}, "old").agent_id, "old");
  kept_["old"] = "guess";
  EXPECT_NE(join(2, {offer("gpu")}, "old").agent_id, "old");
}

TEST_F(RegistryTest, DevicesThatAreGoneAreForgotten) {
  // Given a database with 10,000 devices, when a service starts that keeps a thousand, then it knows those seen last, and so does the database; a device that
  // is connected or leased stays, however old; those that are gone go when their time is over, and with them their agents and leases.
  std::vector<Write> writes;
  const int64_t now = wall_.now().count();
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = cat(100'000 + i);
    writes.push_back(StoredAgent{.agent_id = id});
    writes.push_back(
        StoredDevice{.device_id = "dev-" + id, .agent_id = id, .local_id = "gpu", .seen_unix_ms = now - 10'000 + i});
    writes.push_back(StoredLease{.lease_id = "lease-" + id, .device_id = "dev-" + id, .fence = 1, .ended_unix_ms = 1});
  }
  ASSERT_TRUE(store_->commit(writes).ok());
  constexpr size_t kKept = 1'000;
  limits_.gone_devices_max = kKept;
  start();
  ASSERT_EQ(devices().size(), kKept);
  EXPECT_EQ(devices().front().device_id, "dev-109000");
  EXPECT_EQ(store_->load().value().devices.size(), kKept);
  EXPECT_EQ(store_->load().value().agents.size(), kKept);

  const auto used = join(1, {offer("gpu")}), idle = join(2, {offer("gpu")});
  run(fleet_->unlinked(2));
  EXPECT_EQ(devices().size(), kKept + 1) << "the oldest made room for the one that left";
  acquire({.job = "j1"});
  wall_.advance(kGoneDeviceAgeMax + 1h);
  for (int hour = 0; hour < 2; ++hour) {
    for (int i = 0; i < 360; ++i) {
      steady_.advance(10s);
      beat(1);
      run(fleet_->tick());
    }
  }
  ASSERT_EQ(devices().size(), 1u);
  EXPECT_EQ(devices()[0].device_id, used.devices[0].device_id);
  EXPECT_EQ(store_->load().value().agents.size(), 1u);
}

TEST_F(RegistryTest, FingerprintsThatDifferAreBounded) {
  // Given a bound of 200 KB and devices that each say something else of 4 KB, when 100 of them have come and gone, then those seen last are known,
  // within the bound; a hundred that say the same are all known.
  limits_.fingerprint_bytes_max = 200'000;
  start();
  const auto come_and_go = [&](Link link, const std::string& said) {
    auto device = offer("gpu");
    device.fingerprint.device = said;
    join(link, {device});
    advance(1s);
    run(fleet_->unlinked(link));
  };
  for (Link link = 1; link <= 100; ++link) come_and_go(link, cat(100 + link, std::string(4'000, 'x')));
  ASSERT_GT(devices().size(), 40u);
  EXPECT_LT(devices().size(), 50u);
  for (const auto& device : devices()) EXPECT_GT(device.fingerprint.device.substr(0, 3), "150");
  for (Link link = 101; link <= 200; ++link) come_and_go(link, std::string(4'000, 'y'));
  EXPECT_GT(devices().size(), 100u);
}

TEST_F(RegistryTest, ListsDevicesPageByPage) {
  // Given five devices, when they are listed two at a time, each page from behind the last id of the one before, then each comes once, in order.
  for (Link link = 1; link <= 5; ++link) join(link, {offer("gpu")});
  std::vector<std::string> ids;
  for (auto page = fleet_->devices("", 2); !page.empty(); page = fleet_->devices(ids.back(), 2)) {
    EXPECT_LE(page.size(), 2u);
    for (const auto& device : page) ids.push_back(device.device_id);
  }
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

}  // namespace
}  // namespace hone::tracker
