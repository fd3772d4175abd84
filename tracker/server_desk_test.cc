#include "tracker/server_desk.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/cat.h"
#include "base/net/client.h"
#include "base/net/server.h"
#include "schema/message.h"
#include "tracker/relay_desk.h"
#include "tracker/remote_access.h"
#include "tracker/remote_client.h"
#include "tracker/service.h"
#include "tracker/sql_store.h"

namespace hone::tracker {
namespace {

using namespace std::chrono_literals;
using protocol::Role;
constexpr auto kWithin = 10s;
constexpr const char* kSessionUrl = "ws://10.0.0.7:9191/ws/session";

// One end of a socket that says what a test wants, and keeps what it hears.
template <class Heard>
struct Peer {
  std::shared_ptr<net::Channel> channel;
  std::vector<Heard> heard;
  size_t payload_bytes = 0;  // of the last frame
  bool closed = false;
  template <class Message>
  const Message* last() const {
    for (auto it = heard.rbegin(); it != heard.rend(); ++it)
      if (const auto* message = std::get_if<Message>(&*it)) return message;
    return nullptr;
  }
  template <class Message>
  void say(const Message& message) {
    channel->send(protocol::encode(message));
  }
};

template <class Heard>
class PeerHandler : public net::Handler {
 public:
  explicit PeerHandler(std::shared_ptr<Peer<Heard>> peer) : peer_(std::move(peer)) {}
  void on_frame(const net::FrameView& frame, size_t bytes) override {
    auto message = protocol::decode_text<Heard>(frame.header, bytes);
    ASSERT_TRUE(message.ok()) << message.error().message;
    peer_->heard.push_back(std::move(*message));
    peer_->payload_bytes = frame.payload.size();
  }
  void on_closed(const net::Closed&) override { peer_->closed = true; }

 private:
  std::shared_ptr<Peer<Heard>> peer_;
};

using AgentPeer = Peer<protocol::ControlFromTracker>;

// What a compile server has of its tracker.
struct Remote {
  Remote(net::EventLoop& loop, const Clock& steady, uint16_t port, const std::string& token)
      : link(loop, steady,
             {.to = {{.port = port}},
              .token = token,
              .backoff = {.first = 10ms, .max = 100ms},
              .on_refused = [this](const Error& error) { refused = error; }}),
        client(loop, steady, link),
        access(link) {
    link.add(client);
    link.add(access);
    link.start(kSessionUrl);
  }
  std::optional<Error> refused;
  TrackerLink link;
  RemoteClient client;
  RemoteAccess access;
};

class ServerDeskTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = cat(testing::TempDir(), "/server_desk_", testing::UnitTest::GetInstance()->current_test_info()->name(), "_", getpid(), ".db");
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    start();
    token_ = make_token(Role::kServer, "lab");
    client_ = std::make_unique<net::Client>(loop_);
  }
  void TearDown() override {
    client_.reset();
    stop();
  }
  void stop() {
    net_.reset();
    relays_.reset();
    desk_.reset();
    service_.reset();
  }
  // On the port of the start before.
  void start() {
    const Limits limits{.heartbeat = 50ms, .heartbeat_timeout = 5'000ms, .lease_ttl = kLeaseTtl};
    auto store = open_store(path_);
    ASSERT_TRUE(store.ok());
    auto service = Service::start(loop_, std::move(*store), steady_, wall_, {.token = "right", .limits = limits});
    ASSERT_TRUE(service.ok());
    service_ = std::move(*service);
    desk_ = std::make_unique<ServerDesk>(loop_, *service_, service_->access(), ServerDesk::Config{.limits = limits});
    relays_ = std::make_unique<RelayDesk>(loop_, *desk_);
    net::ServerConfig config{.port = port_};
    config.endpoints = {{.path = kRelayPath, .accept = [this](auto channel) { return relays_->accept(std::move(channel)); }},
                        {.path = "/ws/agent", .accept = [this](auto channel) { return service_->accept(std::move(channel)); }},
                        {.path = "/ws/server", .accept = [this](auto channel) { return desk_->accept(std::move(channel)); }}};
    auto net = net::Server::start(loop_, std::move(config));
    ASSERT_TRUE(net.ok()) << net.error().message;
    net_ = std::move(*net);
    port_ = net_->port();
  }
  template <class Heard>
  std::shared_ptr<Peer<Heard>> dial(const std::string& path) {
    auto peer = std::make_shared<Peer<Heard>>();
    client_->connect(
        {.port = port_, .path = path},
        [peer](std::shared_ptr<net::Channel> channel) {
          peer->channel = std::move(channel);
          return std::make_unique<PeerHandler<Heard>>(peer);
        },
        [](const Error& error) { FAIL() << error.message; });
    EXPECT_TRUE(until([&] { return peer->channel != nullptr; }));
    return peer;
  }
  std::shared_ptr<AgentPeer> join() {
    auto agent = dial<protocol::ControlFromTracker>("/ws/agent");
    agent->say(protocol::Hello{.id = 7,
                               .token = "right",
                               .version = protocol::kProtocolVersion,
                               .launch_id = "L1",
                               .devices = {{.local_id = "gpu", .target = "webgpu", .fingerprint = {.target = "webgpu", .browser = "chromium"}}}});
    EXPECT_TRUE(until([&] { return agent->last<protocol::Welcome>() != nullptr; }));
    return agent;
  }
  std::unique_ptr<Remote> connect() {
    auto remote = std::make_unique<Remote>(loop_, steady_, port_, token_);
    EXPECT_TRUE(until([&] { return remote->link.is_up(); }));
    return remote;
  }
  std::string make_token(Role role, const std::string& name, std::string* token_id = nullptr) {
    std::optional<protocol::TokenCreated> made;
    service_->access().create({.role = role, .name = name}, [&](Result<protocol::TokenCreated> result) { made = std::move(result).value(); });
    EXPECT_TRUE(until([&] { return made.has_value(); }));
    if (token_id) *token_id = made->info.token_id;
    return made->token;
  }
  bool until(const std::function<bool()>& done) { return loop_.run_until(done, kWithin); }

  static constexpr auto kLeaseTtl = 1'000ms;
  std::string path_, token_;
  uint16_t port_ = 0;
  net::EventLoop loop_;
  SteadyClock steady_;
  SystemClock wall_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<ServerDesk> desk_;
  std::unique_ptr<RelayDesk> relays_;
  std::unique_ptr<net::Server> net_;
  std::unique_ptr<net::Client> client_;
};

TEST_F(ServerDeskTest, AServerElsewhereLeasesADevice) {
  // Given an agent and a compile server that is connected, when the server asks for a device, then it gets a lease, the agent is sent to the server's
  // URL with a token that opens once, and what is asked of the device is answered; when it is released, it is free again.
  const auto agent = join();
  const auto remote = connect();
  std::optional<Lease> lease;
  remote->client.acquire({.target = "webgpu", .job = "j1", .user = "ann"}, [&](Result<Lease> result) { lease = std::move(result).value(); }, [](const Error&) { FAIL(); });
  ASSERT_TRUE(until([&] { return lease && agent->last<protocol::OpenSession>(); }));
  const protocol::OpenSession open = *agent->last<protocol::OpenSession>();
  EXPECT_EQ(open.session_path, kSessionUrl);
  EXPECT_EQ(open.fence, lease->fence);
  std::vector<std::string> opened;
  for (int i = 0; i < 2; ++i)
    remote->client.redeem(open.session_token, open.lease_id, open.device_id, [&](const Result<Lease>& result) {
      opened.push_back(result.ok() ? result->lease_id : std::string(error_name(result.error().code)));
    });
  std::optional<protocol::Devices> devices;
  remote->client.devices("", [&](Result<protocol::Devices> page) { devices = std::move(page).value(); });
  std::optional<Missing> missing;
  remote->client.why_none({.target = "webgpu"}, [&](Missing why) { missing = std::move(why); });
  ASSERT_TRUE(until([&] { return opened.size() == 2 && devices && missing; }));
  EXPECT_EQ(opened, (std::vector<std::string>{lease->lease_id, "unauthorized"}));
  EXPECT_EQ(devices->devices.at(0).lease.value().user, "ann");
  EXPECT_NE(missing->why.find("in use"), std::string::npos) << missing->why;
  EXPECT_TRUE(missing->one_fits);
  remote->client.release(lease->lease_id);
  EXPECT_TRUE(until([&] { return agent->last<protocol::CloseSession>() != nullptr; }));
}

TEST_F(ServerDeskTest, DevicesAreManagedThroughAServer) {
  // Given an agent and a compile server, when a device is named, shown and drained through the server, and an unknown one is named, then the tracker
  // has done it in the user's name, and says what it does not know.
  const auto agent = join();
  const auto remote = connect();
  const std::string id = agent->last<protocol::Welcome>()->devices[0].device_id;
  std::optional<Result<std::string>> labelled, unknown;
  std::optional<Result<protocol::DeviceManaged>> managed;
  std::optional<Result<protocol::DeviceShown>> shown;
  remote->client.label(id, "kitchen phone", "ann", [&](Result<std::string> result) { labelled = std::move(result); });
  remote->client.label("dev-none", "x", "ann", [&](Result<std::string> result) { unknown = std::move(result); });
  remote->client.manage({.device_id = id, .action = protocol::DeviceAction::kDrain}, "bob", [&](Result<protocol::DeviceManaged> result) { managed = std::move(result); });
  ASSERT_TRUE(until([&] { return labelled && unknown && managed; }));
  EXPECT_EQ(labelled->value(), "");
  EXPECT_EQ(unknown->error().code, ErrorCode::kNotFound);
  EXPECT_EQ(managed->value().service_state, protocol::ServiceState::kMaintenance);
  remote->client.show(id, [&](Result<protocol::DeviceShown> result) { shown = std::move(result); });
  ASSERT_TRUE(until([&] { return shown.has_value(); }));
  EXPECT_EQ(shown->value().device.label, "kitchen phone");
  std::map<protocol::DeviceEventKind, std::string> users;
  for (const protocol::DeviceEvent& event : shown->value().events) users[event.kind] = event.user;
  EXPECT_EQ(users[protocol::DeviceEventKind::kLabelled], "ann");
  EXPECT_EQ(users[protocol::DeviceEventKind::kDrained], "bob");
}

TEST_F(ServerDeskTest, ARestartedTrackerEndsLeasesAndServesThoseWhoWait) {
  // Given a server that holds the only device and waits for another one, when the tracker ends and starts anew, then the lease is lost, the server
  // comes back by itself, and the request that waited gets the device once its agent is back, with a greater fence.
  join();
  const auto remote = connect();
  std::optional<Lease> first, second;
  std::optional<Error> lost;
  remote->client.acquire({.job = "j1"}, [&](Result<Lease> result) { first = std::move(result).value(); }, [&](const Error& error) { lost = error; });
  remote->client.acquire({.job = "j2"}, [&](Result<Lease> result) { second = std::move(result).value(); }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return first.has_value(); }));
  stop();
  ASSERT_TRUE(until([&] { return lost.has_value(); }));
  EXPECT_EQ(lost->code, ErrorCode::kStaleFence);
  EXPECT_FALSE(remote->link.is_up());
  std::optional<Error> away;
  remote->client.devices("", [&](const Result<protocol::Devices>& page) { away = page.error(); });
  ASSERT_TRUE(away.has_value()) << "who asks hears at once that nobody can be asked";
  EXPECT_EQ(away->code, ErrorCode::kIoError);
  start();
  ASSERT_TRUE(until([&] { return remote->link.is_up(); }));
  EXPECT_FALSE(second.has_value());
  join();
  ASSERT_TRUE(until([&] { return second.has_value(); }));
  EXPECT_EQ(second->device.device_id, first->device.device_id);
  EXPECT_GT(second->fence, first->fence);
}

TEST_F(ServerDeskTest, ARequestsTimeRunsOutWithoutTheTracker) {
  // Given a server whose tracker is gone, when it asks for a device for 100 ms, then it hears that there is none, and why.
  const auto remote = connect();
  stop();
  ASSERT_TRUE(until([&] { return !remote->link.is_up(); }));
  std::optional<Error> refused;
  remote->client.acquire({.wait = 100ms}, [&](const Result<Lease>& result) { refused = result.error(); }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return refused.has_value(); }));
  EXPECT_EQ(refused->code, ErrorCode::kNoDevice);
  EXPECT_NE(refused->message.find(cat("the tracker at 127.0.0.1:", port_)), std::string::npos) << refused->message;
}

TEST_F(ServerDeskTest, ADeadServersLeaseEndsWhenItsTimeIsOverAndNoEarlier) {
  // Given a server that got a lease and says no more, its socket being closed, when another one waits for the device, then that gets it, and not
  // before the first one's lease has lived its time: until then the first may count on it.
  join();
  const auto dead = dial<protocol::ServerFromTracker>("/ws/server");
  const auto greeted = steady_.now();
  dead->say(protocol::ServerHello{.id = 1, .token = token_, .version = protocol::kProtocolVersion, .server_id = "one", .session_url = kSessionUrl});
  ASSERT_TRUE(until([&] { return dead->last<protocol::ServerWelcome>() != nullptr; }));
  dead->say(protocol::Reserve{.id = 2, .wish = {.job = "j1", .count = 1, .wait_ms = 1'000}});
  ASSERT_TRUE(until([&] { return dead->last<protocol::LeasesGranted>() != nullptr; }));
  const auto remote = connect();
  std::optional<Lease> lease;
  remote->client.acquire({.job = "j2"}, [&](Result<Lease> result) { lease = std::move(result).value(); }, [](const Error&) {});
  dead->channel->close(net::CloseCode::kNormal, "");
  ASSERT_TRUE(until([&] { return lease.has_value(); }));
  EXPECT_GE(steady_.now() - greeted, kLeaseTtl);
  EXPECT_GT(lease->fence, dead->last<protocol::LeasesGranted>()->leases.at(0).fence);
}

TEST_F(ServerDeskTest, AServerThatGreetsAgainHasGivenUpItsLeases) {
  // Given a server with a lease whose connection broke, when it comes back as the same start, then its lease ends at once: the device is there for
  // its next request.
  const auto agent = join();
  for (const char* job : {"j1", "j2"}) {
    const auto server = dial<protocol::ServerFromTracker>("/ws/server");
    server->say(protocol::ServerHello{.id = 1, .token = token_, .version = protocol::kProtocolVersion, .server_id = "one", .session_url = kSessionUrl});
    ASSERT_TRUE(until([&] { return server->last<protocol::ServerWelcome>() != nullptr; }));
    server->say(protocol::Reserve{.id = 2, .wish = {.job = job, .count = 1, .wait_ms = 200}});
    ASSERT_TRUE(until([&] { return server->last<protocol::LeasesGranted>() || server->last<protocol::ErrorReply>(); }));
    ASSERT_EQ(server->last<protocol::ErrorReply>(), nullptr) << server->last<protocol::ErrorReply>()->message;
    server->channel->close(net::CloseCode::kNormal, "");
    ASSERT_TRUE(until([&] { return server->closed; }));
  }
}

TEST_F(ServerDeskTest, WhatAServerHoldsThatLeavesIsFreeAtOnce) {
  // Given a server with a lease, when it leaves in order, then the device is free long before the lease's time is over, and the server is not heard of again.
  const auto agent = join();
  auto leaving = connect();
  std::optional<Lease> held;
  leaving->client.acquire({.target = "webgpu"}, [&](Result<Lease> lease) { held = std::move(lease).value(); }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return held.has_value(); }));
  const auto began = steady_.now();
  leaving->link.leave();
  ASSERT_TRUE(until([&] { return leaving->link.has_left() && service_->counts().leases == 0; }));
  EXPECT_LT(steady_.now() - began, kLeaseTtl / 2);
  EXPECT_EQ(desk_->connected(), 0u);
  EXPECT_FALSE(leaving->link.is_up());
}

TEST_F(ServerDeskTest, OnlyWhatAServerHoldsIsItsOwn) {
  // Given a server that holds a lease, and another one that knows its id, when the other releases it and redeems a token of it, then nothing of the
  // lease changes.
  const auto agent = join();
  const auto one = connect(), other = connect();
  std::optional<Lease> lease;
  one->client.acquire({.job = "j1"}, [&](Result<Lease> result) { lease = std::move(result).value(); }, [](const Error&) { FAIL(); });
  ASSERT_TRUE(until([&] { return lease.has_value(); }));
  other->link.send(protocol::ReleaseLease{lease->lease_id});
  std::optional<Error> refused;
  other->client.redeem(lease->session_token, lease->lease_id, lease->device.device_id, [&](const Result<Lease>& result) { refused = result.error(); });
  ASSERT_TRUE(until([&] { return refused.has_value(); }));
  EXPECT_EQ(refused->code, ErrorCode::kStaleFence);
  std::optional<bool> opened;
  one->client.redeem(lease->session_token, lease->lease_id, lease->device.device_id, [&](const Result<Lease>& result) { opened = result.ok(); });
  ASSERT_TRUE(until([&] { return opened.has_value(); }));
  EXPECT_TRUE(*opened);
}

TEST_F(ServerDeskTest, TokensAreTheTrackers) {
  // Given tokens of the tracker, when a server asks who shows them, then it hears role and name, and of a wrong one that it is wrong; when one ends
  // whose holder is connected, then the server is told, also when it ended while the tracker could not be reached.
  std::string ann_id, bob_id;
  const std::string ann = make_token(Role::kSubmitter, "ann", &ann_id), bob = make_token(Role::kSubmitter, "bob", &bob_id);
  const auto remote = connect();
  std::vector<std::string> heard;
  std::vector<std::function<void()>> stops;
  for (const std::string& token : {ann, bob, std::string("wrong"), std::string(200, 'x')})
    remote->access.admit(token, [&](const Result<Identity>& who) {
      heard.push_back(who.ok() ? cat(protocol::to_name(who->role), " ", who->name) : std::string(error_name(who.error().code)));
      if (who.ok()) stops.push_back(remote->access.attend(who->token_id, [&heard, name = who->name](const Error& why) { heard.push_back(cat(name, ": ", error_name(why.code))); }));
    });
  ASSERT_TRUE(until([&] { return heard.size() == 4; }));
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ(heard, (std::vector<std::string>{"submitter ann", "submitter bob", "unauthorized", "unauthorized"}));
  service_->access().revoke(ann_id, [](const Status&) {});
  ASSERT_TRUE(until([&] { return heard.size() == 5; }));
  EXPECT_EQ(heard.back(), "ann: unauthorized");
  stop();
  ASSERT_TRUE(until([&] { return !remote->link.is_up(); }));
  start();
  service_->access().revoke(bob_id, [](const Status&) {});
  ASSERT_TRUE(until([&] { return heard.size() == 6; }));
  EXPECT_EQ(heard.back(), "bob: unauthorized");
  Status made = ok_status();
  remote->access.create({.role = Role::kSubmitter, .name = "eve"}, [&](const Result<protocol::TokenCreated>& result) { made = result.error(); });
  EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
}

TEST_F(ServerDeskTest, OnlyServersGetIn) {
  // Given tokens of submitters, agents and nobody, and a server of another version, when they greet, then they are refused for good; an admin's token
  // gets in.
  for (const std::string& token : {make_token(Role::kSubmitter, "ann"), make_token(Role::kAgent, ""), std::string("wrong")}) {
    Remote remote(loop_, steady_, port_, token);
    ASSERT_TRUE(until([&] { return remote.refused.has_value(); }));
    EXPECT_EQ(remote.refused->code, ErrorCode::kUnauthorized);
  }
  Remote admin(loop_, steady_, port_, "right");
  EXPECT_TRUE(until([&] { return admin.link.is_up(); }));
  const auto refusal = [&](protocol::ServerHello hello) {
    const auto server = dial<protocol::ServerFromTracker>("/ws/server");
    server->say(hello);
    EXPECT_TRUE(until([&] { return server->closed; }));
    return server->last<protocol::ErrorReply>() ? server->last<protocol::ErrorReply>()->code : ErrorCode::kOk;
  };
  const protocol::ServerHello good{.id = 1, .token = token_, .version = protocol::kProtocolVersion, .server_id = "one", .session_url = kSessionUrl};
  auto old = good, nowhere = good, nameless = good;
  old.version = 99;
  nowhere.session_url = "http://example.org/";
  nameless.server_id = "";
  EXPECT_EQ(refusal(old), ErrorCode::kVersionMismatch);
  EXPECT_EQ(refusal(nowhere), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refusal(nameless), ErrorCode::kInvalidArgument);
}

TEST_F(ServerDeskTest, ASessionIsHandedOnToAServerThatCannotBeDialled) {
  // Given a lease of a server, when its agent opens the session at the tracker, then the server gets it as if it had been dialled: frames and
  // payloads go both ways, and one end closes with the other; who names a lease that is not there, or a relay that nobody waits for, is refused.
  const auto agent = join();
  const auto remote = connect();
  auto session = std::make_shared<Peer<protocol::SessionFromAgent>>();
  remote->link.relay_to([&](std::shared_ptr<net::Channel> channel) {
    session->channel = std::move(channel);
    return std::make_unique<PeerHandler<protocol::SessionFromAgent>>(session);
  });
  std::optional<Lease> lease;
  remote->client.acquire({.job = "j1"}, [&](Result<Lease> result) { lease = std::move(result).value(); }, [](const Error&) {});
  ASSERT_TRUE(until([&] { return lease && agent->last<protocol::OpenSession>(); }));
  const protocol::OpenSession open = *agent->last<protocol::OpenSession>();
  ASSERT_EQ(open.relay_path, kRelayPath);
  const auto dialled = dial<protocol::SessionFromServer>(*open.relay_path);
  dialled->say(protocol::SessionHello{.id = 1, .session_token = open.session_token, .device_id = open.device_id, .lease_id = open.lease_id});
  ASSERT_TRUE(until([&] { return session->last<protocol::SessionHello>() != nullptr; }));
  EXPECT_EQ(session->last<protocol::SessionHello>()->session_token, open.session_token);
  session->say(protocol::SessionWelcome{.reply_to = 1, .session_id = open.lease_id, .credits = 3});
  ASSERT_TRUE(until([&] { return dialled->last<protocol::SessionWelcome>() != nullptr; }));
  dialled->channel->send(protocol::encode(protocol::Executed{.reply_to = 2}), std::string(1 << 20, 'x'));
  ASSERT_TRUE(until([&] { return session->last<protocol::Executed>() != nullptr; }));
  EXPECT_EQ(session->payload_bytes, size_t{1} << 20);
  session->channel->close(net::CloseCode::kNormal, "done");
  EXPECT_TRUE(until([&] { return dialled->closed; }));
  const auto stranger = dial<protocol::SessionFromServer>(kRelayPath), impostor = dial<protocol::SessionFromServer>(kRelayPath);
  stranger->say(protocol::SessionHello{.id = 1, .session_token = "t", .device_id = "d", .lease_id = "lease-none"});
  impostor->say(protocol::RelayHello{.relay_id = "guess"});
  EXPECT_TRUE(until([&] { return stranger->closed && impostor->closed; }));
  EXPECT_EQ(stranger->last<protocol::ErrorReply>()->code, ErrorCode::kStaleFence);
  EXPECT_EQ(impostor->last<protocol::ErrorReply>()->code, ErrorCode::kUnauthorized);
}

// Greets, grants whatever is reserved, and acknowledges no beat.
class SilentTracker : public net::Handler {
 public:
  explicit SilentTracker(std::shared_ptr<net::Channel> channel) : channel_(std::move(channel)) {}
  void on_frame(const net::FrameView& frame, size_t bytes) override {
    const auto message = protocol::decode_text<protocol::ServerFromServer>(frame.header, bytes);
    if (const auto* hello = std::get_if<protocol::ServerHello>(&*message))
      channel_->send(protocol::encode(protocol::ServerWelcome{.reply_to = hello->id, .version = protocol::kProtocolVersion, .beat_ms = 50, .lease_ms = 500}));
    if (const auto* ask = std::get_if<protocol::Reserve>(&*message))
      channel_->send(protocol::encode(protocol::LeasesGranted{.reply_to = ask->id, .leases = {{.lease_id = "lease-1", .fence = 1}}}));
  }
  void on_closed(const net::Closed&) override {}

 private:
  const std::shared_ptr<net::Channel> channel_;
};

TEST_F(ServerDeskTest, AServerCountsOnNoLeaseThatIsNotAcknowledged) {
  // Given a tracker that has granted a lease and acknowledges nothing more, its socket being open, when the time of a lease is over, then the lease is
  // lost to the server, and it connects anew.
  stop();
  int accepted = 0;
  net::ServerConfig config{.port = port_};
  config.endpoints = {{.path = "/ws/server", .accept = [&](auto channel) {
                         ++accepted;
                         return std::make_unique<SilentTracker>(std::move(channel));
                       }}};
  auto net = net::Server::start(loop_, std::move(config));
  ASSERT_TRUE(net.ok());
  {
    Remote remote(loop_, steady_, port_, token_);
    std::optional<Error> lost;
    bool leased = false;
    remote.client.acquire({.job = "j1"}, [&](const Result<Lease>& result) { leased = result.ok(); }, [&](const Error& error) { lost = error; });
    ASSERT_TRUE(until([&] { return lost.has_value(); }));
    EXPECT_TRUE(leased);
    EXPECT_EQ(lost->code, ErrorCode::kStaleFence);
    EXPECT_TRUE(until([&] { return accepted >= 2; }));
  }
  net->reset();
}

}  // namespace
}  // namespace hone::tracker
