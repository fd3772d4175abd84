#include "tracker/fleet.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/cat.h"
#include "base/rng.h"
#include "schema/device_key.h"
#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

using namespace std::chrono_literals;

class FleetTest : public testing::Test, protected FleetWorld {
 protected:
  FleetTest()
      : FleetWorld(cat(testing::TempDir(), "/fleet_", testing::UnitTest::GetInstance()->current_test_info()->name(),
                       "_", getpid(), ".db")) {}
};

TEST_F(FleetTest, GrantsALeaseAndOpensASession) {
  // Given a connected device, when a job asks for its kind, then it gets a lease with fence 1, is told before the agent, and the token opens once.
  const auto welcome = join(1, {offer("gpu")});
  effects_.clear();
  acquire({.selector = "chromium-webgpu", .target = "webgpu", .job = "j1", .user = "ann"});
  ASSERT_EQ(effects_.size(), 2u);
  const Lease lease = std::get<Granted>(effects_[0]).lease;
  const auto open = sent<protocol::OpenSession>(1).at(0);
  EXPECT_EQ(lease.fence, 1u);
  EXPECT_EQ(lease.device.device_id, welcome.devices[0].device_id);
  EXPECT_EQ(open.lease_id, lease.lease_id);
  EXPECT_EQ(open.session_token, lease.session_token);
  EXPECT_TRUE(fleet_->holds(lease.lease_id, 1));
  EXPECT_EQ(fleet_->redeem("wrong", lease.lease_id, open.device_id).error().code, ErrorCode::kUnauthorized);
  EXPECT_TRUE(fleet_->redeem(open.session_token, lease.lease_id, open.device_id).ok());
  EXPECT_EQ(fleet_->redeem(open.session_token, lease.lease_id, open.device_id).error().code, ErrorCode::kUnauthorized);
  const auto info = devices().at(0);
  EXPECT_EQ(info.lease->job, "j1");
  EXPECT_EQ(info.kind, "chromium-webgpu");
}

TEST_F(FleetTest, ALeaseLivesAsLongAsHeartbeatsCome) {
  // Given a lease, when heartbeats and answers come for an hour, then it lives; when they stop, it ends at its time to live and not before, and the holder is told once.
  join(1, {offer("gpu")});
  acquire({.job = "j1"});
  const Lease lease = taken<Granted>().at(0).lease;
  for (int second = 0; second < 3600; ++second) {
    advance(1s);
    beat(1);
    fleet_->progress(lease.lease_id, 0ms);
  }
  EXPECT_TRUE(taken<LeaseLost>().empty());
  EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
  advance(14'900ms);
  EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
  advance(200ms);
  EXPECT_FALSE(fleet_->holds(lease.lease_id, lease.fence));
  advance(60s);
  ASSERT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_EQ(taken<LeaseLost>()[0].error.code, ErrorCode::kStaleFence);
  EXPECT_EQ(sent<protocol::CloseSession>(1).size(), 1u);
}

TEST_F(FleetTest, JumpsOfTheWallClockEndNoLeaseAndKeepNoneAlive) {
  // Given a lease, when the wall clock jumps ten years ahead and twenty back while heartbeats come, then the lease lives and nobody is stuck or
  // seen in the future; when they stop, it ends at its time to live, whatever the wall clock says; the next fence is greater.
  join(1, {offer("gpu")}, {}, "launch");
  acquire({});
  const auto lease = taken<Granted>().at(0).lease;
  constexpr std::chrono::milliseconds kYear = 8760h;
  for (const auto jump : {10 * kYear, -20 * kYear}) {
    wall_.advance(jump);
    for (int i = 0; i < 20; ++i) {
      advance(1s);
      beat(1);
    }
    EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
    EXPECT_EQ(fleet_->agent_state("launch").state, protocol::AgentStateKind::kConnected);
    EXPECT_GE(devices().at(0).seen_ago_ms, 0);
  }
  wall_.advance(10 * kYear);
  advance(14s);
  EXPECT_TRUE(taken<LeaseLost>().empty());
  wall_.advance(-10 * kYear);
  advance(2s);
  ASSERT_EQ(taken<LeaseLost>().size(), 1u);
  beat(1);
  acquire({});
  EXPECT_GT(taken<Granted>().back().lease.fence, lease.fence);
  run(fleet_->unlinked(1));
  wall_.advance(-10 * kYear);
  EXPECT_EQ(devices().at(0).seen_ago_ms, 0);
}

TEST_F(FleetTest, APauseOfThisProcessIsNobodysSilence) {
  // Given a lease, when the tracker itself did not run for a minute, then neither agent nor lease pay for it; without the excuse they do.
  join(1, {offer("gpu")}, {}, "launch");
  acquire({});
  steady_.advance(60s);
  fleet_->excuse(60s);
  run(fleet_->tick());
  EXPECT_EQ(fleet_->agent_state("launch").state, protocol::AgentStateKind::kConnected);
  EXPECT_TRUE(taken<LeaseLost>().empty());
  advance(60s);
  EXPECT_EQ(fleet_->agent_state("launch").state, protocol::AgentStateKind::kStuck);
  EXPECT_EQ(taken<LeaseLost>().size(), 1u);
}

TEST_F(FleetTest, ADeviceIsGoneSinceItsAgentLeft) {
  // Given a device that was there for an hour, when its agent leaves, then a minute later, also after a restart, it is gone for a minute.
  join(1, {offer("gpu")});
  for (int i = 0; i < 3600; ++i) {
    advance(1s);
    beat(1);
  }
  run(fleet_->unlinked(1));
  advance(60s);
  for (int restarts = 0; restarts < 2; ++restarts) {
    ASSERT_EQ(devices().size(), 1u);
    EXPECT_EQ(devices()[0].state, protocol::DeviceStateKind::kGone);
    EXPECT_EQ(devices()[0].seen_ago_ms, 60'000);
    start();
  }
}

TEST_F(FleetTest, AWorkerThatDoesNotAnswerRenewsNothing) {
  // Given a lease, when heartbeats say that the worker is dead, then the lease runs out; with a living worker it does not.
  join(1, {offer("gpu")});
  acquire({.job = "j1"});
  for (int i = 0; i < 20; ++i) {
    advance(1s);
    beat(1, false);
  }
  EXPECT_EQ(taken<LeaseLost>().size(), 1u);
  beat(1, true);
  acquire({.job = "j2"});
  for (int i = 0; i < 20; ++i) {
    advance(1s);
    beat(1, true);
  }
  EXPECT_EQ(taken<LeaseLost>().size(), 1u);
}

TEST_F(FleetTest, FencesGrowByOneAlsoOverRestarts) {
  // Given a device, when it is leased again and again with restarts in between, then fences are 1, 2, 3, …, and an older fence is refused.
  auto welcome = join(1, {offer("gpu")});
  const std::string device_id = welcome.devices[0].device_id;
  std::optional<Lease> before;
  for (uint64_t round = 1; round <= 6; ++round) {
    acquire({.job = cat("j", round)});
    const Lease lease = taken<Granted>().back().lease;
    EXPECT_EQ(lease.fence, round);
    if (before) {
      EXPECT_FALSE(fleet_->holds(before->lease_id, before->fence));
      EXPECT_FALSE(fleet_->holds(lease.lease_id, before->fence));
      EXPECT_EQ(fleet_->redeem(before->session_token, before->lease_id, device_id).error().code,
                ErrorCode::kStaleFence);
    }
    EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
    before = lease;
    if (round % 2 == 0) {
      run(fleet_->release(lease.lease_id, "done"));
    } else {
      start();  // the service is killed with the lease open
      EXPECT_EQ(fleet_->leases(), 0u);
      welcome = join(1, {offer("gpu")}, welcome.agent_id);
      EXPECT_EQ(welcome.devices[0].device_id, device_id);
    }
  }
}

TEST_F(FleetTest, TwoJobsTakeTurns) {
  // Given one device and two jobs, when both ask, then one waits until the other is done; priority goes first, then who came first.
  join(1, {offer("gpu")});
  const auto first = acquire({.job = "a", .user = "ann"});
  const auto second = acquire({.job = "b", .user = "bob"});
  const auto urgent = acquire({.job = "c", .user = "cyd", .priority = 5});
  ASSERT_EQ(taken<Granted>().size(), 1u);
  EXPECT_EQ(taken<Granted>()[0].request, first);
  run(fleet_->release(taken<Granted>()[0].lease.lease_id, "done"));
  EXPECT_EQ(taken<Granted>().at(1).request, urgent);
  run(fleet_->release(taken<Granted>()[1].lease.lease_id, "done"));
  EXPECT_EQ(taken<Granted>().at(2).request, second);
  EXPECT_EQ(fleet_->waiting(), 0u);
}

TEST_F(FleetTest, WaitingRaisesPriority) {
  // Given a waiting request of priority 0, when newer ones of priority 2 keep coming, then it is served once it waited for two steps more.
  join(1, {offer("gpu")});
  acquire({.job = "now"});
  const auto old = acquire({.job = "old", .wait = 24h});
  for (int minute = 0; minute < 3; ++minute)
    for (int second = 0; second < 60; ++second) {
      advance(1s);
      beat(1);
    }
  acquire({.job = "new", .priority = 2, .wait = 24h});
  run(fleet_->release(taken<Granted>()[0].lease.lease_id, "done"));
  EXPECT_EQ(taken<Granted>().at(1).request, old);
}

TEST_F(FleetTest, TheUserWithFewerLeasesGoesFirst) {
  // Given two devices, one leased by ann, when ann and then bob wait for the other, then bob is served first.
  join(1, {offer("a"), offer("b", "wasm")});
  acquire({.target = "webgpu", .job = "1", .user = "ann"});
  acquire({.target = "wasm", .job = "2", .user = "cyd"});
  acquire({.target = "wasm", .job = "3", .user = "ann"});
  const auto bob = acquire({.target = "wasm", .job = "4", .user = "bob"});
  run(fleet_->release(taken<Granted>()[1].lease.lease_id, "done"));
  EXPECT_EQ(taken<Granted>().at(2).request, bob);
}

TEST_F(FleetTest, AFurtherDeviceIsOfTheClassAndComesAfterWhoHasNone) {
  // Given a device of one class and a job that wants a further one of another class, when the first class's is free, then it is not lent to it;
  // when both a further device of its own class and a newer request of somebody without any device wait for the same one, then the latter
  // has it, and the former gets the next.
  auto welcome = join(1, {offer("gpu")});
  const std::string key = welcome.devices[0].device_key;
  acquire({.device_key = "another class", .job = "a", .user = "ann", .priority = -1});
  EXPECT_TRUE(taken<Granted>().empty());
  const auto first = acquire({.job = "a", .user = "ann"});
  const auto further = acquire({.device_key = key, .job = "a", .user = "ann", .priority = -1});
  const auto other = acquire({.job = "b", .user = "bob"});
  ASSERT_EQ(taken<Granted>().size(), 1u);
  EXPECT_EQ(taken<Granted>()[0].request, first);
  run(fleet_->release(taken<Granted>()[0].lease.lease_id, "done"));
  ASSERT_EQ(taken<Granted>().size(), 2u);
  EXPECT_EQ(taken<Granted>()[1].request, other);
  run(fleet_->release(taken<Granted>()[1].lease.lease_id, "done"));
  ASSERT_EQ(taken<Granted>().size(), 3u);
  EXPECT_EQ(taken<Granted>()[2].request, further);
}

TEST_F(FleetTest, NoDeviceSaysWhy) {
  // Given no device, a device of another kind, or a device in use, when a request's time is over, then the error is no_device and says which of these it was.
  const auto why = [&](LeaseRequest request) {
    request.wait = 2s;
    acquire(std::move(request));
    for (int i = 0; i < 3; ++i) {
      advance(1s);
      beat(1);
    }
    const auto refused = taken<NotGranted>();
    return refused.empty()
               ? std::string("granted")
               : cat(std::string(error_name(refused.back().error.code)), ": ", refused.back().error.message);
  };
  EXPECT_NE(why({.target = "webgpu"}).find("none is connected"), std::string::npos);
  join(1, {offer("gpu")});
  EXPECT_NE(why({.target = "wasm"}).find("but none matches wasm: chromium-webgpu (id "), std::string::npos);
  effects_.clear();
  EXPECT_EQ(why({.target = "webgpu"}), "granted");
  EXPECT_NE(why({.target = "webgpu"})
                .find("no_device: no device for webgpu was free within 2 s: 1 matching device in use: dev-"),
            std::string::npos);
  acquire({.selector = "speed=fast"});
  EXPECT_EQ(taken<NotGranted>().back().error.code, ErrorCode::kInvalidArgument);
}

TEST_F(FleetTest, AnAgentKeepsItsIdsWhenItComesBack) {
  // Given an agent with a lease, when its socket breaks and it comes back in time, then ids are the same, the older link is dropped, and it is asked to open the session again.
  const auto before = join(1, {offer("gpu")});
  acquire({.job = "j1"});
  const Lease lease = taken<Granted>()[0].lease;
  advance(3s);
  const auto after = join(2, {offer("gpu")}, before.agent_id);
  EXPECT_EQ(after.agent_id, before.agent_id);
  EXPECT_EQ(after.devices[0].device_id, before.devices[0].device_id);
  EXPECT_EQ(taken<CloseLink>().at(0).link, 1u);
  EXPECT_EQ(taken<CloseLink>()[0].code, net::CloseCode::kReplaced);
  const auto again = sent<protocol::OpenSession>(2).at(0);
  EXPECT_EQ(again.lease_id, lease.lease_id);
  EXPECT_EQ(again.fence, lease.fence);
  EXPECT_NE(again.session_token, lease.session_token);
  run(fleet_->unlinked(1));  // the old socket's end changes nothing
  beat(2);
  EXPECT_TRUE(fleet_->holds(lease.lease_id, lease.fence));
  const auto stranger = join(3, {offer("gpu")}, "not-an-agent-id");
  EXPECT_NE(stranger.agent_id, before.agent_id);
  EXPECT_NE(stranger.devices[0].device_id, before.devices[0].device_id);
  EXPECT_EQ(stranger.devices[0].device_key, before.devices[0].device_key);
}

TEST_F(FleetTest, ALeaseEndsWhenItsDeviceCameBackAsAnother) {
  // Given a lease, when the agent comes back with another adapter, then the lease ends and the key is another; with the same one it lives, whatever its browser's version.
  const auto before = join(1, {offer("gpu")});
  acquire({.job = "j1"});
  auto newer = offer("gpu");
  newer.fingerprint.browser_major = 157;
  join(2, {newer}, before.agent_id);
  EXPECT_TRUE(taken<LeaseLost>().empty());
  auto other = offer("gpu");
  other.fingerprint.architecture = "another";
  const auto after = join(3, {other}, before.agent_id);
  EXPECT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_NE(after.devices[0].device_key, before.devices[0].device_key);
}

TEST_F(FleetTest, WatchersLearnOfStuckAndGoneAgents) {
  // Given an agent with a launch id, when its heartbeats stop, come back, and its socket ends, then it is stuck, connected and gone; a restart by the same launcher resumes it.
  EXPECT_EQ(fleet_->agent_state("L1").state, protocol::AgentStateKind::kGone);
  const auto before = join(1, {offer("gpu")}, {}, "L1");
  advance(8'200ms);
  beat(1);
  run(fleet_->unlinked(1));
  std::vector<std::string> states;
  for (const auto& changed : taken<AgentChanged>()) states.emplace_back(to_name(changed.state.state));
  EXPECT_EQ(states, (std::vector<std::string>{"connected", "stuck", "connected", "gone"}));
  EXPECT_EQ(join(2, {offer("gpu")}, {}, "L1").devices[0].device_id, before.devices[0].device_id);
}

TEST_F(FleetTest, AStuckOrLostDeviceIsNotLeased) {
  // Given a device that is lost, recovering or whose agent is stuck, when a job asks, then it waits; it is served when the device is ready again.
  const auto welcome = join(1, {offer("gpu")});
  run(*fleet_->device_state(1, {welcome.devices[0].device_id, protocol::DeviceStateKind::kLost, "GPU reset"}));
  acquire({.job = "j1", .wait = 1h});
  EXPECT_TRUE(taken<Granted>().empty());
  EXPECT_EQ(fleet_->why_not_ready(welcome.devices[0].device_id), "GPU reset, for 0 s");
  EXPECT_EQ(fleet_->why_not_ready("dev-of-nobody"), "");
  EXPECT_EQ(devices()[0].message, "GPU reset, for 0 s");
  advance(10s);
  EXPECT_EQ(fleet_->why_none({.target = "webgpu"}).why,
            cat(welcome.devices[0].device_id, " is not ready: no heartbeat came for 10 s, for 10 s"));
  run(*fleet_->device_state(1, {welcome.devices[0].device_id, protocol::DeviceStateKind::kReady, ""}));
  EXPECT_TRUE(taken<Granted>().empty());  // no heartbeat for 10 s
  beat(1);
  EXPECT_EQ(taken<Granted>().size(), 1u);
  EXPECT_EQ(fleet_->why_not_ready(welcome.devices[0].device_id), "");
  EXPECT_EQ(fleet_->device_state(1, {"dev-of-nobody", protocol::DeviceStateKind::kReady, ""}).error().code,
            ErrorCode::kNotFound);
}

TEST_F(FleetTest, ABadHelloIsRefused) {
  // Given offers with a repeated local_id or a target that its fingerprint denies, when they come, then hello fails and nothing is known; a good one is taken.
  EXPECT_FALSE(fleet_->hello(1, hello_message({offer("gpu"), offer("gpu")})).ok());
  auto lie = offer("gpu");
  lie.target = "wasm";
  EXPECT_FALSE(fleet_->hello(1, hello_message({lie})).ok());
  EXPECT_TRUE(devices().empty());
  EXPECT_TRUE(fleet_->hello(1, hello_message({offer("gpu")})).ok());
}

TEST_F(FleetTest, RandomDeathsLeaveNoStuckLease) {
  // Given 12 agents that connect, fall silent, die and come back at random while up to 16 jobs ask, when 2,500 random steps and some restarts of
  // the service have passed, then no device ever has two live leases, fences only grow, nobody waits for what is free, and after a quiet time to
  // live nothing is leased.
  Rng rng(7);
  struct ScriptedAgent {
    Link link = 0;
    std::string id;
    bool silent = false;
  };
  std::vector<ScriptedAgent> agents(12);
  std::map<std::string, uint64_t> fences;
  std::set<std::string> live;
  Link next_link = 0;
  uint64_t grants = 0, losses = 0;
  std::map<Client::RequestId, LeaseRequest> waiting;
  const auto absorb = [&] {
    for (const auto& effect : effects_) {
      if (const auto* granted = std::get_if<Granted>(&effect)) {
        const Lease& lease = granted->lease;
        ASSERT_GT(lease.fence, fences[lease.device.device_id]);
        fences[lease.device.device_id] = lease.fence;
        live.insert(lease.lease_id);
        waiting.erase(granted->request);
        ++grants;
      } else if (const auto* refused = std::get_if<NotGranted>(&effect)) {
        waiting.erase(refused->request);
      } else if (std::get_if<LeaseLost>(&effect)) {
        ++losses;
      }
    }
    effects_.clear();
    std::set<std::string> leases;
    for (const auto& device : devices()) {
      if (!device.lease) continue;
      ASSERT_TRUE(leases.insert(device.lease->lease_id).second);
    }
    ASSERT_EQ(leases.size(), fleet_->leases());
    std::erase_if(live, [&](const std::string& id) { return leases.count(id) == 0; });
    ASSERT_EQ(waiting.size(), fleet_->waiting());
    for (const auto& [id, request] : waiting) ASSERT_NE(fleet_->why_none(request).why, "") << "request " << id;
  };
  const std::vector<std::string> selectors{"", "", "", "browser_major>=100", "browser=chromium", "bench"};
  const auto request = [&](LeaseRequest what) {
    waiting[requests_ + 1] = what;
    acquire(std::move(what));
  };
  const auto name = [&](const std::string& device_id, const std::string& label) {
    std::string physical_id;
    run(fleet_->label(device_id, label, "anna", &physical_id).value());
  };
  for (int step = 0; step < 2'500; ++step) {
    ScriptedAgent& agent = agents[rng.below(agents.size())];
    switch (rng.below(10)) {
      case 0:
        agent.link = ++next_link;
        agent.silent = false;
        agent.id = join(agent.link, {offer("gpu"), offer("cpu", "wasm")},
                        agent.id.empty() ? std::nullopt : std::optional(agent.id))
                       .agent_id;
        break;
      case 1:
        agent.silent = true;
        break;
      case 2:
        if (agent.link) run(fleet_->unlinked(std::exchange(agent.link, 0)));
        break;
      case 3:
        if (fleet_->waiting() < 16)
          request({.selector = selectors[rng.below(selectors.size())],
                   .target = rng.below(2) ? "wasm" : "",
                   .job = cat("j", step),
                   .wait = std::chrono::seconds(1 + rng.below(30))});
        break;
      case 4:
        if (!live.empty())
          run(fleet_->release(*std::next(live.begin(), static_cast<long>(rng.below(live.size()))), "done"));
        break;
      case 5:
        if (!devices().empty()) name(devices()[rng.below(devices().size())].device_id, rng.below(2) ? "bench" : "");
        if (rng.below(50) == 0) {
          start();
          waiting.clear();
          for (auto& other : agents) other.link = 0;
        }
        break;
      default:
        advance(std::chrono::milliseconds(rng.below(1'500)));
        for (const auto& other : agents)
          if (other.link && !other.silent) run(fleet_->heartbeat(other.link, {.worker_alive = true}));
    }
    absorb();
    if (HasFatalFailure()) return;
  }
  for (int i = 0; i < 31; ++i) advance(1s);  // everybody is silent
  absorb();
  EXPECT_EQ(fleet_->leases(), 0u);
  EXPECT_EQ(fleet_->waiting(), 0u);
  EXPECT_GT(grants, 100u);
  EXPECT_GT(losses, 25u);
}

TEST(Selector, MatchesWhatItSays) {
  // Given a device, when selectors of each form are applied, then those that hold match, their negations do not, and malformed ones are refused.
  const auto fingerprint = offer("gpu", "webgpu", {"shader-f16"}).fingerprint;
  const std::string id = "dev-1", key = "k1", agent = "lab-1", label = "kitchen phone";
  const DeviceFace face{id, key, agent, label, fingerprint};
  const auto matches = [&](std::string_view text) { return Selector::parse(text)->matches(face); };
  for (const char* yes : {"",
                          "dev-1",
                          "k1",
                          "lab-1",
                          "kitchen phone",
                          "chromium-webgpu",
                          "target=webgpu",
                          "vendor=Google",
                          "target=webgpu&vendor=google&feature=shader-f16",
                          "browser_major>=120",
                          "browser_major<=156",
                          "browser_major=156",
                          "limit.maxBufferSize>=1000000",
                          "vendor!=apple",
                          "feature!=subgroups",
                          "key=k1",
                          "id=dev-1",
                          "kind=chromium-webgpu",
                          "agent=lab-1",
                          "limit.unknown!=3"})
    EXPECT_TRUE(matches(yes)) << yes;
  for (const char* no :
       {"dev-2", "firefox-webgpu", "target=wasm", "target=webgpu&vendor=apple", "feature=subgroups",
        "feature!=shader-f16", "browser_major>=157", "limit.maxBufferSize<=1", "limit.unknown>=1", "vendor!=google"})
    EXPECT_FALSE(matches(no)) << no;
  for (const char* bad :
       {"speed=1", "=x", "target>=webgpu", "browser_major=new", "target!webgpu=1", "a=1&b", "browser_major>"})
    EXPECT_EQ(
        Selector::parse(std::string(bad).find('=') == std::string::npos ? cat("target=x&", bad) : bad).error().code,
        ErrorCode::kInvalidArgument)
        << bad;
}

}  // namespace
}  // namespace hone::tracker
