#include "tracker/service.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "base/cat.h"
#include "base/net/client.h"
#include "base/net/server.h"
#include "base/secret.h"
#include "schema/message.h"
#include "tracker/sql_store.h"

namespace hone::tracker {
namespace {

using namespace std::chrono_literals;
using protocol::Role;
constexpr auto kPatience = 10s;

// An agent that does what a test says, over a real socket.
struct AgentSide {
  std::shared_ptr<net::Channel> channel;
  std::vector<protocol::ControlFromTracker> received;
  std::optional<net::Closed> closed;

  template <class Message>
  const Message* last() const {
    for (auto it = received.rbegin(); it != received.rend(); ++it)
      if (const auto* message = std::get_if<Message>(&*it)) return message;
    return nullptr;
  }
};

using ScriptedAgent = std::shared_ptr<AgentSide>;  // also the handler's, which outlives the test's body

class AgentHandler : public net::Handler {
 public:
  explicit AgentHandler(ScriptedAgent agent) : agent_(std::move(agent)) {}
  void on_frame(const net::FrameView& frame, size_t bytes) override {
    auto message = protocol::decode_text<protocol::ControlFromTracker>(frame.header, bytes);
    ASSERT_TRUE(message.ok()) << message.error().message;
    agent_->received.push_back(std::move(*message));
  }
  void on_closed(const net::Closed& closed) override { agent_->closed = closed; }

 private:
  ScriptedAgent agent_;
};

// Keeps each commit waiting while it is shut, and refuses those of an agent named "bad".
class GatedStore : public Store {
 public:
  Result<StoredFleet> load() override { return StoredFleet{}; }
  Status commit(const std::vector<Write>& writes) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    for (const Write& write : writes)
      if (const auto* agent = std::get_if<StoredAgent>(&write); agent && agent->agent_name == "bad")
        return Error{ErrorCode::kIoError, "a row that cannot be written"};
    return ok_status();
  }
  Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>&, size_t) override { return std::vector<protocol::DeviceEvent>(); }
  void set_open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    waiting_ = 0;
    changed_.notify_all();
  }
  // Until a commit stands at the gate.
  void await_commit() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;  // guarded by mutex_
  int waiting_ = 0;   // guarded by mutex_
};

class ServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = cat(testing::TempDir(), "/service_", testing::UnitTest::GetInstance()->current_test_info()->name(), "_",
                getpid(), ".db");
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    start();
  }
  void TearDown() override {
    client_.reset();
    server_.reset();
    service_.reset();
  }
  void start() {
    client_.reset();
    server_.reset();
    service_.reset();  // it has the database
    auto store = open_store(path_);
    ASSERT_TRUE(store.ok());
    start_on(std::move(*store));
  }
  void start_on(std::unique_ptr<Store> store) {
    client_.reset();
    server_.reset();
    service_.reset();
    auto service = Service::start(
        loop_, std::move(store), steady_, wall_,
        {.token = "right", .limits = {.heartbeat = 50ms, .heartbeat_timeout = 600ms, .lease_ttl = 1'000ms}});
    ASSERT_TRUE(service.ok()) << service.error().message;
    service_ = std::move(*service);
    net::ServerConfig config;
    config.endpoints = {{.path = "/ws/agent", .accept = [this](std::shared_ptr<net::Channel> channel) {
                           return service_->accept(std::move(channel));
                         }}};
    auto server = net::Server::start(loop_, std::move(config));
    ASSERT_TRUE(server.ok());
    server_ = std::move(*server);
    client_ = std::make_unique<net::Client>(loop_);
  }
  void connect(const ScriptedAgent& agent) {
    client_->connect(
        {.port = server_->port(), .path = "/ws/agent"},
        [agent](std::shared_ptr<net::Channel> channel) {
          agent->channel = std::move(channel);
          return std::make_unique<AgentHandler>(agent);
        },
        [](const Error& error) { FAIL() << error.message; });
    ASSERT_TRUE(loop_.run_until([&] { return agent->channel != nullptr; }, kPatience));
  }
  protocol::Hello hello(const std::string& token = "right") {
    protocol::DeviceOffer offer{
        .local_id = "gpu", .target = "webgpu", .fingerprint = {.target = "webgpu", .browser = "chromium"}};
    return {.id = 7,
            .token = token,
            .version = protocol::kProtocolVersion,
            .agent_name = "lab",
            .launch_id = "L1",
            .devices = {offer}};
  }
  template <class Message>
  void say(const ScriptedAgent& agent, const Message& message) {
    agent->channel->send(protocol::encode(message));
  }
  bool until(const std::function<bool()>& done) { return loop_.run_until(done, kPatience); }
  bool join(const ScriptedAgent& agent) {
    connect(agent);
    say(agent, hello());
    return until([&] { return agent->last<protocol::Welcome>() != nullptr; });
  }

  std::vector<protocol::DeviceInfo> devices() {
    std::vector<protocol::DeviceInfo> list;
    service_->devices("", [&](Result<protocol::Devices> page) { list = std::move(page).value().devices; });
    return list;
  }
  bool lives(const Lease& lease) {
    const auto all = devices();
    return std::any_of(all.begin(), all.end(), [&](const protocol::DeviceInfo& device) {
      return device.lease && device.lease->lease_id == lease.lease_id && device.lease->fence == lease.fence;
    });
  }
  bool opens(const Lease& lease) {
    bool opened = false;
    service_->redeem(lease.session_token, lease.lease_id, lease.device.device_id, [&](const Result<Lease>& redeemed) { opened = redeemed.ok(); });
    return opened;
  }
  std::string make_token(Role role, std::string* token_id = nullptr) {
    std::optional<protocol::TokenCreated> made;
    service_->access().create({.role = role, .name = "ann"}, [&](Result<protocol::TokenCreated> result) { made = std::move(result).value(); });
    EXPECT_TRUE(until([&] { return made.has_value(); }));
    if (token_id) *token_id = made->info.token_id;
    return made->token;
  }
  // "code: what was wrong" of the refusal that closes such an agent; "welcome" where there is none.
  std::string closed_with(const protocol::Hello& message) {
    const auto agent = std::make_shared<AgentSide>();
    connect(agent);
    say(agent, message);
    EXPECT_TRUE(until([&] { return agent->closed || agent->last<protocol::Welcome>(); }));
    const auto* error = agent->last<protocol::ErrorReply>();
    return error ? cat(error_name(error->code), ": ", error->message.substr(0, error->message.find(';'))) : "welcome";
  }

  std::string path_;
  net::EventLoop loop_;
  SteadyClock steady_;
  SystemClock wall_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::Client> client_;
};

TEST_F(ServiceTest, AnAgentGetsInWithTheTokenOnly) {
  // Given agents with a wrong token, another version and no hello at first, when they connect, then each is told why and closed; the right one is welcomed.
  const auto refused = [&](const auto& message, ErrorCode code) {
    const auto agent = std::make_shared<AgentSide>();
    connect(agent);
    say(agent, message);
    EXPECT_TRUE(until([&] { return agent->closed.has_value(); }));
    const auto* error = agent->last<protocol::ErrorReply>();
    return error && error->code == code && !agent->last<protocol::Welcome>();
  };
  EXPECT_TRUE(refused(hello("wrong"), ErrorCode::kUnauthorized));
  EXPECT_TRUE(refused(hello(""), ErrorCode::kUnauthorized));
  auto old = hello();
  old.version = 99;
  EXPECT_TRUE(refused(old, ErrorCode::kVersionMismatch));
  EXPECT_TRUE(refused(protocol::Heartbeat{}, ErrorCode::kProtocolError));
  const auto control = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(control));
  EXPECT_EQ(control->last<protocol::Welcome>()->reply_to, 7u);
  EXPECT_EQ(devices().size(), 1u);
}

TEST_F(ServiceTest, LeasesRenewedByHeartbeatsAndLostWithoutThem) {
  // Given an agent that sends heartbeats, when a job acquires its device, then the agent is asked for a session, the lease outlives its time to live
  // while heartbeats come, and is lost soon after they stop.
  const auto agent = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(agent));
  std::optional<Lease> lease;
  std::optional<Error> lost;
  service_->acquire(
      {.target = "webgpu", .job = "j1"}, [&](Result<Lease> result) { lease = *result; },
      [&](Error error) { lost = error; });
  EXPECT_FALSE(lease.has_value());  // never from within acquire
  ASSERT_TRUE(until([&] { return lease && agent->last<protocol::OpenSession>(); }));
  EXPECT_EQ(agent->last<protocol::OpenSession>()->session_token, lease->session_token);
  EXPECT_TRUE(opens(*lease));
  uint64_t seq = 0;
  net::Timer beats(loop_);
  beats.start_repeating(50ms,
                        [&] { say(agent, protocol::Heartbeat{.seq = ++seq, .visible = true, .worker_alive = true}); });
  const auto acknowledged = [&] {
    return agent->last<protocol::HeartbeatAck>() ? agent->last<protocol::HeartbeatAck>()->seq : 0;
  };
  ASSERT_TRUE(
      until([&] { return lost || acknowledged() >= 30; }));  // 1.5 s of beats: longer than a lease lives without them
  EXPECT_FALSE(lost.has_value());
  EXPECT_TRUE(lives(*lease));
  beats.cancel();
  ASSERT_TRUE(until([&] { return lost.has_value(); }));
  EXPECT_EQ(lost->code, ErrorCode::kStaleFence);
  EXPECT_FALSE(lives(*lease));
  EXPECT_TRUE(until([&] { return agent->last<protocol::CloseSession>() != nullptr; }));
}

TEST_F(ServiceTest, WatchTellsEachChange) {
  // Given a watch on a launch id, when the agent connects, falls silent and closes, then the states are gone, connected, stuck, gone.
  std::vector<protocol::AgentStateKind> states;
  const auto stop = service_->watch("L1", [&](const protocol::AgentState& state) { states.push_back(state.state); });
  const auto agent = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(agent));
  ASSERT_TRUE(until([&] { return states.size() == 3; }));
  agent->channel->close(net::CloseCode::kNormal, "bye");
  ASSERT_TRUE(until([&] { return states.size() == 4; }));
  using enum protocol::AgentStateKind;
  EXPECT_EQ(states, (std::vector{kGone, kConnected, kStuck, kGone}));
  stop();
  const auto again = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(again));
  EXPECT_EQ(states.size(), 4u);
}

TEST_F(ServiceTest, ARestartKeepsIdsAndFences) {
  // Given a leased device, when the service ends with the lease open and starts anew on the same database, then the agent that resumes has its ids and the next fence is greater.
  const auto before = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(before));
  std::optional<Lease> first, second;
  service_->acquire(
      {.job = "j1"}, [&](Result<Lease> lease) { first = *lease; }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return first.has_value(); }));
  start();
  EXPECT_FALSE(lives(*first));
  const auto after = std::make_shared<AgentSide>();
  connect(after);
  auto resumed = hello();
  resumed.launch_id.reset();
  resumed.resume_agent_id = before->last<protocol::Welcome>()->agent_id;
  resumed.resume_secret = before->last<protocol::Welcome>()->resume_secret;
  say(after, resumed);
  service_->acquire(
      {.job = "j2"}, [&](Result<Lease> lease) { second = *lease; }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return second.has_value(); }));
  EXPECT_EQ(second->device.device_id, first->device.device_id);
  EXPECT_EQ(second->fence, first->fence + 1);
}

TEST_F(ServiceTest, CancelledAndReleasedLeasesFreeTheDevice) {
  // Given a job that cancels its request and one that releases its lease, when another job asks, then it gets the device each time.
  const auto agent = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(agent));
  bool called = false;
  const auto request = service_->acquire(
      {.job = "a"}, [&](const Result<Lease>&) { called = true; }, [](const Error&) {});
  service_->cancel(request);
  for (int round = 0; round < 3; ++round) {
    std::optional<Lease> lease;
    service_->acquire(
        {.job = "b"}, [&](Result<Lease> result) { lease = *result; }, [](const Error&) { FAIL(); });
    ASSERT_TRUE(until([&] { return lease.has_value(); }));
    service_->release(lease->lease_id);
    EXPECT_FALSE(lives(*lease));
  }
  EXPECT_FALSE(called);
}

TEST_F(ServiceTest, AFloodingAgentIsClosed) {
  // Given an agent, when it sends 1000 frames at once, then it is closed for that; one that sends 100 stays.
  const auto polite = std::make_shared<AgentSide>(), flood = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(polite));
  for (uint64_t i = 1; i <= 100; ++i) say(polite, protocol::Heartbeat{.seq = i, .worker_alive = true});
  ASSERT_TRUE(until(
      [&] { return polite->last<protocol::HeartbeatAck>() && polite->last<protocol::HeartbeatAck>()->seq == 100; }));
  EXPECT_FALSE(polite->closed);
  connect(flood);
  auto other = hello();
  other.launch_id = "L2";
  say(flood, other);
  for (uint64_t i = 1; i <= 1000; ++i) say(flood, protocol::Heartbeat{.seq = i, .worker_alive = true});
  ASSERT_TRUE(until([&] { return flood->closed.has_value(); }));
  EXPECT_EQ(flood->last<protocol::ErrorReply>()->code, ErrorCode::kLimitExceeded);
}

TEST_F(ServiceTest, HeartbeatsAreAnsweredWhileTheDiskIsBusy) {
  // Given a disk that takes nothing for now, and a lease that waits for it, when a connected agent beats, then each beat is answered all the same;
  // the lease comes when the disk is done.
  auto store = std::make_unique<GatedStore>();
  GatedStore* const gate = store.get();
  start_on(std::move(store));
  const auto agent = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(agent));
  gate->set_open(false);
  std::optional<Lease> lease;
  service_->acquire(
      {.job = "j1"}, [&](Result<Lease> result) { lease = *result; }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return devices().at(0).lease.has_value(); }));
  gate->await_commit();
  for (uint64_t seq = 1; seq <= 30; ++seq) say(agent, protocol::Heartbeat{.seq = seq, .worker_alive = true});
  EXPECT_TRUE(until([&] {
    const auto* ack = agent->last<protocol::HeartbeatAck>();
    return ack && ack->seq == 30;
  }));
  EXPECT_FALSE(lease.has_value());
  EXPECT_EQ(agent->last<protocol::OpenSession>(), nullptr) << "what is not on disk is not acted on";
  gate->set_open(true);
  EXPECT_TRUE(until([&] { return lease && agent->last<protocol::OpenSession>(); }));
}

TEST_F(ServiceTest, AWriteThatFailsFailsNoOther) {
  // Given a busy disk at which the hellos of five agents wait together, one of which cannot be written, when it goes on, then that agent alone is
  // sent away, and the others are welcomed.
  auto store = std::make_unique<GatedStore>();
  GatedStore* const gate = store.get();
  start_on(std::move(store));
  gate->set_open(false);
  std::vector<ScriptedAgent> agents;
  for (int i = 0; i < 6; ++i) {
    agents.push_back(std::make_shared<AgentSide>());
    connect(agents.back());
    auto message = hello();
    message.launch_id = cat("L", i);
    message.agent_name = i == 3 ? "bad" : "good";
    say(agents.back(), message);
    ASSERT_TRUE(until([&] { return devices().size() == static_cast<size_t>(i + 1); }));
    if (i == 0) gate->await_commit();  // the first is under way, the others pile up behind it
  }
  gate->set_open(true);
  for (size_t i = 0; i < agents.size(); ++i)
    ASSERT_TRUE(until([&] { return agents[i]->closed || agents[i]->last<protocol::Welcome>(); })) << i;
  for (size_t i = 0; i < agents.size(); ++i) EXPECT_EQ(agents[i]->closed.has_value(), i == 3) << i;
}

TEST_F(ServiceTest, AgentsComeBackWithTheirTokensAfterARestart) {
  // Given an agent with a token of its own, when the service is killed and started anew, then the token lets it in, and it is the same agent with the same
  // device; a token that was never made does not.
  const std::string token = make_token(Role::kAgent);
  const auto before = std::make_shared<AgentSide>();
  connect(before);
  say(before, hello(token));
  ASSERT_TRUE(until([&] { return before->last<protocol::Welcome>() != nullptr; }));
  const protocol::Welcome welcome = *before->last<protocol::Welcome>();
  EXPECT_EQ(welcome.role, Role::kAgent);
  EXPECT_FALSE(welcome.token);
  start();
  const auto after = std::make_shared<AgentSide>();
  connect(after);
  auto again = hello(token);
  again.resume_agent_id = welcome.agent_id;
  again.resume_secret = welcome.resume_secret;
  say(after, again);
  ASSERT_TRUE(until([&] { return after->last<protocol::Welcome>() != nullptr; }));
  EXPECT_EQ(after->last<protocol::Welcome>()->agent_id, welcome.agent_id);
  EXPECT_EQ(after->last<protocol::Welcome>()->devices.at(0).device_id, welcome.devices.at(0).device_id);
  EXPECT_EQ(closed_with(hello(random_secret())), "unauthorized: the token is wrong");
}

TEST_F(ServiceTest, ATokenOfAnotherRoleBringsNoDevice) {
  // Given a submitter's token, when an agent shows it, then it is refused with what it needs, and there is no device; an admin's lets it in.
  EXPECT_EQ(closed_with(hello(make_token(Role::kSubmitter))),
            "unauthorized: this token has the role submitter, and an agent needs one of the role agent");
  EXPECT_TRUE(devices().empty());
  const auto agent = std::make_shared<AgentSide>();
  connect(agent);
  say(agent, hello(make_token(Role::kAdmin)));
  EXPECT_TRUE(until([&] { return agent->last<protocol::Welcome>() != nullptr; }));
}

TEST_F(ServiceTest, OfTwoAgentsWithOneCodeOneIsLetIn) {
  // Given an enrolment code, when two agents show it at once, then exactly one is welcomed, with a token of its own, which lets it in after a restart; the
  // other, and whoever shows the code later, is told that it was used. An agent whose token is good keeps its code.
  const auto enrolling = [this](const std::string& token, const std::string& code) {
    auto message = hello(token);
    message.launch_id = std::nullopt;
    message.enroll_code = code;
    return message;
  };
  const std::string code = service_->access().make_code("phone").value().code;
  const auto one = std::make_shared<AgentSide>(), two = std::make_shared<AgentSide>();
  connect(one);
  connect(two);
  say(one, enrolling("", code));
  say(two, enrolling("", code));
  const auto is_answered = [](const ScriptedAgent& agent) { return agent->last<protocol::Welcome>() || agent->closed; };
  ASSERT_TRUE(until([&] { return is_answered(one) && is_answered(two); }));
  ASSERT_NE(one->closed.has_value(), two->closed.has_value());
  const auto& winner = one->closed ? two : one;
  const auto& loser = one->closed ? one : two;
  EXPECT_NE(loser->closed->reason.find("was used before"), std::string::npos) << loser->closed->reason;
  EXPECT_EQ(loser->closed->code, static_cast<uint16_t>(net::CloseCode::kUnauthorized));
  const std::string token = winner->last<protocol::Welcome>()->token.value();
  EXPECT_EQ(winner->last<protocol::Welcome>()->role, Role::kAgent);
  EXPECT_EQ(closed_with(enrolling("", code)), "unauthorized: the enrolment code was used before, and it lets in once");
  start();
  const std::string fresh = service_->access().make_code("").value().code;
  const auto back = std::make_shared<AgentSide>();
  connect(back);
  say(back, enrolling(token, fresh));
  ASSERT_TRUE(until([&] { return is_answered(back); }));
  EXPECT_FALSE(back->last<protocol::Welcome>()->token);
  EXPECT_EQ(closed_with(enrolling("", code)), "unauthorized: the enrolment code is unknown, or the service was restarted since");
  const auto other = std::make_shared<AgentSide>();
  connect(other);
  say(other, enrolling("", fresh));
  ASSERT_TRUE(until([&] { return is_answered(other); }));
  EXPECT_TRUE(other->last<protocol::Welcome>()->token) << "it was not used up";
}

TEST_F(ServiceTest, WhatComesBeforeTheAnswerOfAnEnrolmentClosesTheSocket) {
  // Given an agent that shows a code and does not wait for the answer, when its next frame comes, then it is closed; nothing of it stays.
  auto message = hello("");
  message.enroll_code = service_->access().make_code("").value().code;
  const auto agent = std::make_shared<AgentSide>();
  connect(agent);
  say(agent, message);
  say(agent, protocol::Heartbeat{.seq = 1});
  ASSERT_TRUE(until([&] { return agent->closed || agent->last<protocol::HeartbeatAck>(); }));
  if (agent->closed) {
    EXPECT_EQ(agent->last<protocol::Welcome>(), nullptr);
  }
}

TEST_F(ServiceTest, ARevokedAgentIsPutOutWithItsLease) {
  // Given an agent whose device is leased, when its token is revoked, then it is closed with 4003, its lease is lost at once, and its device is gone; another
  // agent stays, and who was put out does not come in again.
  std::string token_id;
  const std::string token = make_token(Role::kAgent, &token_id);
  const auto agent = std::make_shared<AgentSide>(), other = std::make_shared<AgentSide>();
  ASSERT_TRUE(join(other));
  connect(agent);
  auto message = hello(token);
  message.launch_id = "L2";
  message.devices[0].fingerprint.browser = "firefox";
  say(agent, message);
  ASSERT_TRUE(until([&] { return agent->last<protocol::Welcome>() != nullptr; }));
  std::optional<Lease> lease;
  std::optional<Error> lost;
  service_->acquire(
      {.selector = agent->last<protocol::Welcome>()->devices[0].device_id, .job = "j1"}, [&](Result<Lease> result) { lease = *result; },
      [&](Error error) { lost = error; });
  ASSERT_TRUE(until([&] { return lease.has_value(); }));
  std::optional<Status> revoked;
  service_->access().revoke(token_id, [&](Status status) { revoked = std::move(status); });
  ASSERT_TRUE(until([&] { return revoked && lost && agent->closed; }));
  EXPECT_TRUE(revoked->ok());
  EXPECT_EQ(agent->closed->code, static_cast<uint16_t>(net::CloseCode::kUnauthorized));
  EXPECT_EQ(agent->last<protocol::ErrorReply>()->code, ErrorCode::kUnauthorized);
  EXPECT_FALSE(lives(*lease));
  EXPECT_FALSE(other->closed);
  EXPECT_EQ(closed_with(message), "unauthorized: the token was revoked");
}

class FailingStore : public Store {
 public:
  Result<StoredFleet> load() override { return StoredFleet{}; }
  Status commit(const std::vector<Write>&) override {
    return Error{ErrorCode::kDiskFull, "no space is left on the disk"};
  }
  Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>&, size_t) override {
    return Error{ErrorCode::kIoError, "the disk does not answer"};
  }
};

TEST_F(ServiceTest, AFullDiskGrantsNothing) {
  // Given a store that cannot write, when an agent says hello, then it is sent away instead of welcomed, and the service lives on.
  start_on(std::make_unique<FailingStore>());
  const auto agent = std::make_shared<AgentSide>();
  connect(agent);
  say(agent, hello());
  ASSERT_TRUE(until([&] { return agent->closed.has_value(); }));
  EXPECT_EQ(agent->last<protocol::Welcome>(), nullptr);
  EXPECT_NE(agent->closed->reason.find("no space"), std::string::npos);
}

TEST_F(ServiceTest, WhatIsNotOnDiskIsNotSaidToBeDone) {
  // Given a store that takes nothing, when its only device is quarantined, or its history is asked for, then the answer is the disk's error, and nobody gets the
  // device all the same; given a disk, both are answered.
  protocol::ManageDevice ask{.action = protocol::DeviceAction::kQuarantine};
  std::optional<Result<protocol::DeviceManaged>> managed;
  std::optional<Result<protocol::DeviceShown>> shown;
  const auto quarantine = [&] {
    const auto agent = std::make_shared<AgentSide>();
    connect(agent);
    say(agent, hello());
    ASSERT_TRUE(until([&] { return devices().size() == 1; }));
    ask.device_id = devices()[0].device_id;
    managed.reset(), shown.reset();
    service_->manage(ask, "anna", [&](Result<protocol::DeviceManaged> result) { managed = std::move(result); });
    service_->show(ask.device_id, [&](Result<protocol::DeviceShown> result) { shown = std::move(result); });
    ASSERT_TRUE(until([&] { return managed && shown; }));
    EXPECT_EQ(devices()[0].service_state, protocol::ServiceState::kQuarantined);
  };
  start_on(std::make_unique<FailingStore>());
  quarantine();
  EXPECT_EQ(managed->error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(shown->error().message, "the disk does not answer");
  start();
  quarantine();
  EXPECT_EQ((*managed)->service_state, protocol::ServiceState::kQuarantined);
  ASSERT_EQ((*shown)->events.size(), 2u);
  EXPECT_EQ((*shown)->events[1].user, "anna");
}

}  // namespace
}  // namespace hone::tracker
