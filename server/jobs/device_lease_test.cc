#include "server/jobs/device_lease.h"

#include <gtest/gtest.h>

#include "server/agents/agent_runner.h"
#include "server/agents/loop_reactor.h"
#include "server/jobs/limits.h"

namespace hone::server {
namespace {

// Grants and ends leases on demand.
class ScriptedTracker : public tracker::Client {
 public:
  RequestId reserve(tracker::LeaseRequest request, std::function<void(Result<std::vector<tracker::Lease>>)> on_leases,
                    std::function<void(const std::string&, Error)> on_lost) override {
    requests.push_back(std::move(request));
    grant = [this, on_leases](Result<tracker::Lease> lease) {
      if (!lease.ok()) return on_leases(lease.error());
      granted = lease->lease_id;
      on_leases(std::vector{std::move(*lease)});
    };
    grant_all = on_leases;
    lose = [this, on_lost](Error why) { on_lost(granted, std::move(why)); };
    return requests.size();
  }
  void cancel(RequestId) override { ++cancelled; }
  void release(const std::string& lease_id) override { released.push_back(lease_id); }
  void progress(const std::string&, std::chrono::milliseconds) override {}
  void redeem(const std::string&, const std::string&, const std::string&, std::function<void(Result<tracker::Lease>)> done) override {
    done(Error{ErrorCode::kUnauthorized, "no"});
  }
  void reopen(const std::string&) override {}
  void label(const std::string&, const std::string&, const std::string&, std::function<void(Result<std::string>)>) override {}
  void manage(const protocol::ManageDevice&, const std::string&, std::function<void(Result<protocol::DeviceManaged>)>) override {}
  void show(const std::string&, std::function<void(Result<protocol::DeviceShown>)>) override {}
  void why_none(const tracker::LeaseRequest&, std::function<void(tracker::Missing)> done) override { done(missing); }
  void why_not_ready(const std::string&, std::function<void(std::string)> done) override { done(""); }
  void devices(const std::string&, std::function<void(Result<protocol::Devices>)> done) override { done(protocol::Devices()); }

  tracker::Missing missing;
  std::vector<tracker::LeaseRequest> requests;
  std::function<void(Result<tracker::Lease>)> grant;
  std::function<void(Result<std::vector<tracker::Lease>>)> grant_all;
  std::function<void(Error)> lose;  // the lease that was granted last
  std::string granted;
  std::vector<std::string> released;
  int cancelled = 0;
};

tracker::Lease lease_of(const std::string& id, uint64_t fence) {
  tracker::Lease lease{.lease_id = id, .fence = fence};
  lease.device.device_key = "abc";
  return lease;
}

struct World {
  explicit World(bool keeps_asking = false) : keeps_asking(keeps_asking) { lease->start(); }
  const bool keeps_asking;
  net::EventLoop loop;
  LoopReactor reactor{loop};
  ScriptedTracker tracker;
  SessionDesk desk{tracker};
  WorkerPool workers{{.threads = 1}};
  BlobStore blobs;
  ExpectedOutputs expected{
      {"", [](const te::Task&, const auto&) { return emit::Reference{}; }}, workers, blobs};
  std::shared_ptr<Fences> fences = std::make_shared<Fences>();
  std::vector<Result<protocol::DeviceInfo>> answers;
  int users = 0;
  DeviceLease::Config config() {
    return {.request = {.selector = "vendor=x", .target = "webgpu"},
            .reacquire_ms = 30000,
            .make_user =
                [this](const protocol::DeviceInfo& d) {
                  ++users;
                  return AgentRunner::make({d.device_key, 30000, nullptr}, reactor, expected, workers);
                },
            .on_first = [this](Result<protocol::DeviceInfo> d) { answers.push_back(std::move(d)); },
            .keeps_asking = keeps_asking};
  }
  std::shared_ptr<DeviceLease> lease = std::make_shared<DeviceLease>(config(), tracker, desk, fences);
};

TEST(DeviceLease, ALostLeaseIsAskedForAgainOnTheSameClassOfDevices) {
  // Given a granted lease, when it is lost, then results may no longer be stored and a lease of the same device key is asked for; when that
  // is granted, then its fence counts and the job hears nothing of it.
  World w;
  w.tracker.grant(lease_of("one", 5));
  EXPECT_TRUE(w.fences->holds("one", 5));
  w.tracker.lose({ErrorCode::kStaleFence, "silent"});
  EXPECT_FALSE(w.fences->holds("one", 5));
  ASSERT_EQ(w.tracker.requests.size(), 2u);
  EXPECT_EQ(w.tracker.requests[1].selector, "key=abc");
  w.tracker.grant(lease_of("two", 9));
  EXPECT_TRUE(w.fences->holds("two", 9));
  EXPECT_EQ(w.answers.size(), 1u);
  w.lease->stop();
  EXPECT_EQ(w.tracker.released, std::vector<std::string>{"two"});
}

struct Failing : SessionUser {
  void leased(const protocol::DeviceInfo& device) override { devices.push_back(device.device_id); }
  void attach(AgentLink&, uint64_t) override {}
  void receive(const protocol::SessionFromAgent&, const SharedBytes&) override {}
  void detach() override {}
  void await_turn(bool) override {}
  void give_up(const std::string&) override {}
  bool fail() { return tell_failing(); }
  std::vector<std::string> devices;
};

TEST(DeviceLease, AFailingDeviceIsExchangedForAnEqualOne) {
  // Given a lease on a device that fails its user, when another one of the class is free, then the lease is given back and another one than that is asked for; where none is free, any of the class, which may be the same. The
  // user hears on which device it is.
  for (const bool free : {true, false}) {
    World w;
    auto user = std::make_shared<Failing>();
    DeviceLease::Config config = w.config();
    config.make_user = [user](const protocol::DeviceInfo&) { return user; };
    auto lease = std::make_shared<DeviceLease>(config, w.tracker, w.desk, w.fences);
    lease->start();
    tracker::Lease first = lease_of("one", 5), second = lease_of("two", 6);
    first.device.device_id = "dev-1";
    second.device.device_id = "dev-2";
    w.tracker.grant(first);
    if (!free) w.tracker.missing.why = "all are in use";
    EXPECT_TRUE(user->fail());
    EXPECT_FALSE(w.fences->holds("one", 5));
    EXPECT_EQ(w.tracker.released, std::vector<std::string>{"one"});
    EXPECT_EQ(w.tracker.requests.back().selector, free ? "key=abc&id!=dev-1" : "key=abc");
    EXPECT_EQ(w.tracker.requests.back().wait, std::chrono::milliseconds(30000));
    w.tracker.grant(second);
    EXPECT_TRUE(w.fences->holds("two", 6));
    EXPECT_EQ(user->devices, (std::vector<std::string>{"dev-1", "dev-2"}));
    lease->stop();
    w.lease->stop();
  }
}

TEST(DeviceLease, SeveralStartWithOneReservation) {
  // Given two leases that start together, when both devices are granted, then each has its own user and fence; when one is lost, then that one alone
  // is asked for again. When none comes, or the job is stopped before, then both are answered, and nothing is held.
  World first, second;
  const auto together = [](World& a, World& b) {
    auto one = std::make_shared<DeviceLease>(a.config(), a.tracker, a.desk, a.fences);
    auto two = std::make_shared<DeviceLease>(b.config(), b.tracker, b.desk, b.fences);
    DeviceLease::start_together({one, two});
    return std::pair(one, two);
  };
  const auto [one, two] = together(first, second);
  EXPECT_EQ(first.tracker.requests.back().count, 2u);
  first.tracker.grant_all(std::vector{lease_of("a", 5), lease_of("b", 6)});
  EXPECT_TRUE(first.fences->holds("a", 5) && second.fences->holds("b", 6));
  EXPECT_EQ(first.users + second.users, 2);
  first.tracker.granted = "b";
  const size_t asked = second.tracker.requests.size();
  first.tracker.lose({ErrorCode::kStaleFence, "silent"});
  EXPECT_FALSE(second.fences->holds("b", 6));
  EXPECT_TRUE(first.fences->holds("a", 5));
  EXPECT_EQ(second.tracker.requests.size(), asked + 1);
  EXPECT_EQ(second.tracker.requests.back().count, 1u);
  one->stop(), two->stop();
  EXPECT_EQ(first.tracker.released, std::vector<std::string>{"a"});

  World none, other;
  const auto [third, fourth] = together(none, other);
  none.tracker.grant_all(Error{ErrorCode::kNoDevice, "none"});
  ASSERT_EQ(none.answers.size(), 1u);
  ASSERT_EQ(other.answers.size(), 1u);
  EXPECT_EQ(other.answers[0].error().code, ErrorCode::kNoDevice);
  const auto [fifth, sixth] = together(none, other);
  fifth->stop_waiting(), sixth->stop_waiting();
  EXPECT_EQ(other.answers.back().error().code, ErrorCode::kCancelled);
  EXPECT_GT(none.tracker.cancelled, 0);
}

TEST(DeviceLease, AJobWhoseTermIsOverWaitsForItsTurn) {
  // Given a job's lease, when it ends because another job waits, then the job asks for a device of the class again and waits for hours, not for
  // its agent; when it has one again, then its agent is to come in the usual time; where none comes, the job is given up.
  World w;
  w.tracker.grant(lease_of("one", 5));
  w.tracker.lose({ErrorCode::kBusy, "another job waits"});
  EXPECT_EQ(w.tracker.requests.at(1).selector, "key=abc");
  EXPECT_EQ(w.tracker.requests[1].wait, std::chrono::milliseconds(kTurnWait));
  EXPECT_FALSE(w.fences->holds("one", 5));
  w.tracker.grant(lease_of("two", 7));
  EXPECT_TRUE(w.fences->holds("two", 7));
  w.tracker.lose({ErrorCode::kTimeout, "it answered nothing"});
  EXPECT_EQ(w.tracker.requests.at(2).wait, std::chrono::seconds(30));
  w.lease->stop();
}

TEST(DeviceLease, ARefusalIsAnsweredOnce) {
  // Given a request that found no device, when the lease is stopped afterwards, then the job got one answer, no_device.
  World w;
  w.tracker.grant(Error{ErrorCode::kNoDevice, "none"});
  w.lease->stop();
  ASSERT_EQ(w.answers.size(), 1u);
  EXPECT_EQ(w.answers[0].error().code, ErrorCode::kNoDevice);
}

TEST(DeviceLease, AGrantThatComesAfterTheStopIsGivenBack) {
  // Given a request that waits, when the job is stopped and the grant comes all the same, then it is released and nothing may be stored.
  World w;
  w.lease->stop_waiting();
  ASSERT_EQ(w.answers.size(), 1u);
  EXPECT_EQ(w.answers[0].error().code, ErrorCode::kCancelled);
  EXPECT_EQ(w.tracker.cancelled, 1);
  w.tracker.grant(lease_of("late", 5));
  EXPECT_EQ(w.tracker.released, std::vector<std::string>{"late"});
  EXPECT_FALSE(w.fences->holds("late", 5));
}

TEST(DeviceLease, AnAdditionalDeviceIsAskedForAgain) {
  // Given a lease that keeps asking, when no device comes in time, then it asks with the same words; when one comes, is lost and does not come
  // back, then it asks so again, and the next device has a user of its own. A refusal that waiting cannot change is not repeated.
  World w(true);
  const Error none{ErrorCode::kNoDevice, "none"};
  w.tracker.grant(none);
  ASSERT_EQ(w.tracker.requests.size(), 2u);
  EXPECT_EQ(w.tracker.requests[1].selector, "vendor=x");
  w.tracker.grant(lease_of("one", 5));
  w.tracker.lose({ErrorCode::kStaleFence, "silent"});
  EXPECT_EQ(w.tracker.requests.back().selector, "key=abc");
  w.tracker.grant(none);
  ASSERT_EQ(w.tracker.requests.size(), 4u);
  EXPECT_EQ(w.tracker.requests[3].selector, "vendor=x");
  w.tracker.grant(lease_of("two", 6));
  EXPECT_EQ(w.users, 2);
  w.tracker.lose({ErrorCode::kStaleFence, "silent"});
  w.tracker.grant(Error{ErrorCode::kLimitExceeded, "too many wait"});
  EXPECT_EQ(w.tracker.requests.size(), 5u);
  w.lease->stop();
}

}  // namespace
}  // namespace hone::server
