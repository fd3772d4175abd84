#include "server/agents/session_desk.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "schema/message.h"
#include "server/agents/agent_link.h"
#include "server/agents/limits.h"

namespace hone::server {
namespace {

// One socket, and what was told it.
class FakeChannel : public net::Channel {
 public:
  explicit FakeChannel(bool local) : local_(local) {}
  bool send(std::string_view header, SharedBytes bytes) override {
    headers.emplace_back(header);
    payload = std::move(bytes);
    return true;
  }
  void close(net::CloseCode, std::string_view) override { closed = true; }
  void set_greeted() override {}
  void set_frame_bytes_max(size_t bytes) override { frame_bytes_max = bytes; }
  size_t outbox_bytes() const override { return 0; }
  const std::string& peer() const override { return peer_; }
  bool is_local() const override { return local_; }
  bool is_open() const override { return true; }

  size_t frame_bytes_max = 0;
  bool closed = false;
  std::vector<std::string> headers;
  SharedBytes payload;  // of the last frame

 private:
  const std::string peer_ = "127.0.0.1";
  const bool local_;
};

// Whose device each token opens.
class OneLease : public tracker::Client {
 public:
  explicit OneLease(std::string os) { lease.device.fingerprint.os = std::move(os); }
  RequestId reserve(tracker::LeaseRequest, std::function<void(Result<std::vector<tracker::Lease>>)>,
                    std::function<void(const std::string&, Error)>) override {
    return 1;
  }
  void cancel(RequestId) override {}
  void release(const std::string&) override {}
  void progress(const std::string& lease_id, std::chrono::milliseconds work) override {
    progressed.push_back(cat(lease_id, " ", work.count()));
  }
  void redeem(const std::string&, const std::string&, const std::string&, std::function<void(Result<tracker::Lease>)> done) override {
    redeems.push_back(std::move(done));
  }
  void reopen(const std::string&) override {}
  void label(const std::string&, const std::string&, const std::string&, std::function<void(Result<std::string>)>) override {}
  void manage(const protocol::ManageDevice&, const std::string&, std::function<void(Result<protocol::DeviceManaged>)>) override {}
  void show(const std::string&, std::function<void(Result<protocol::DeviceShown>)>) override {}
  void why_none(const tracker::LeaseRequest&, std::function<void(tracker::Missing)> done) override { done(tracker::Missing()); }
  void why_not_ready(const std::string&, std::function<void(std::string)> done) override { done(""); }
  void devices(const std::string&, std::function<void(Result<protocol::Devices>)> done) override { done(protocol::Devices()); }

  tracker::Lease lease{.lease_id = "lease-1", .fence = 7};
  std::vector<std::function<void(Result<tracker::Lease>)>> redeems;  // not answered yet
  std::vector<std::string> progressed;  // "LEASE MS"
};

struct User : SessionUser {
  void leased(const protocol::DeviceInfo&) override {}
  void attach(AgentLink& to, uint64_t) override { link = &to; }
  void receive(const protocol::SessionFromAgent&, const SharedBytes&) override { ++received; }
  void detach() override { link = nullptr; }
  void await_turn(bool) override {}
  void give_up(const std::string&) override {}
  AgentLink* link = nullptr;
  int received = 0;
};

// A session that has said hello.
struct Session {
  explicit Session(bool local = true, std::string os = "linux", bool answered = true)
      : tracker(std::move(os)), channel(std::make_shared<FakeChannel>(local)) {
    desk.expect(tracker.lease, user);
    handler = desk.accept(channel);
    say(hello);
    if (!answered) return;
    tracker.redeems.front()(tracker.lease);
  }
  ~Session() {
    if (handler) handler->on_closed({});
  }
  template <class Message>
  void say(const Message& message, const std::string& payload = "") {
    const std::string header = protocol::encode(message);
    handler->on_frame({header, payload}, header.size() + payload.size());
  }

  const protocol::SessionHello hello{.id = 1, .session_token = "t", .device_id = "d", .lease_id = "lease-1"};
  OneLease tracker;
  BlobStore blobs;
  SessionDesk desk{tracker, &blobs};
  std::shared_ptr<User> user = std::make_shared<User>();
  std::shared_ptr<FakeChannel> channel;
  std::unique_ptr<net::Handler> handler;
};

TEST(SessionDesk, AFrameMayBeAsLongAsWhatWasAskedFor) {
  // Given a session, when nothing was asked for, when a model with 5 MB of outputs is, when it is answered, and when one says that its outputs are
  // endless, then the agent's frames may have a result's length, that of the outputs and a header, a result's again, and never more than the
  // protocol permits.
  Session session;
  ASSERT_NE(session.user->link, nullptr);
  EXPECT_EQ(session.channel->frame_bytes_max, protocol::CandidateResult::kBytesMax);
  protocol::Execute execute{.id = 4};
  execute.outputs = {{.buffer = 0, .bytes = 2'000'000}, {.buffer = 1, .bytes = 3'000'000}};
  session.user->link->send(execute);
  EXPECT_EQ(session.channel->frame_bytes_max, net::kHeaderBytesMax + 5'000'000);
  session.say(
      protocol::Executed{.reply_to = 4, .error = protocol::Failure{.code = ErrorCode::kDeviceLost, .message = "gone"}});
  EXPECT_EQ(session.user->received, 1);
  EXPECT_EQ(session.channel->frame_bytes_max, protocol::CandidateResult::kBytesMax);
  execute.outputs.assign(256, {.buffer = 0, .bytes = (uint64_t{1} << 53) - 1});
  session.user->link->send(execute);
  EXPECT_EQ(session.channel->frame_bytes_max, protocol::Executed::kBytesMax);
}

TEST(SessionDesk, ASessionIsOpenOnceItsTokenIsRedeemed) {
  // Given sessions whose tokens the tracker looks up, when the answer comes to one that waits, to one that said more before it, and to one that is
  // gone, then the first is led to its user, and the others are not.
  Session waits(true, "linux", false), talks(true, "linux", false), gone(true, "linux", false);
  EXPECT_EQ(waits.user->link, nullptr);
  waits.tracker.redeems.front()(waits.tracker.lease);
  EXPECT_NE(waits.user->link, nullptr);
  talks.say(talks.hello);
  EXPECT_TRUE(talks.channel->closed);
  talks.tracker.redeems.front()(talks.tracker.lease);
  EXPECT_EQ(talks.user->link, nullptr);
  gone.handler->on_closed({});
  gone.handler.reset();
  gone.tracker.redeems.front()(gone.tracker.lease);
  EXPECT_EQ(gone.user->link, nullptr);
}

TEST(SessionDesk, ASessionCarriesBlobsInPieces) {
  // Given a desk whose sessions carry blobs, when an agent asks for a blob of more than a piece, then each piece is the blob's from there on; for a blob
  // that nobody holds, or a place behind its end, the answer says that there is none; nothing of it reaches the session's user.
  Session session;
  EXPECT_NE(session.channel->headers.front().find("\"blobs\":true"), std::string::npos);
  const BlobPtr blob = session.blobs.put(std::string(kBlobPieceBytes, 'a') + "tail");
  const auto piece = [&](const std::string& sha256, uint64_t offset) {
    session.say(protocol::FetchBlob{.id = 9, .sha256 = sha256, .offset = offset});
    return session.channel->payload ? std::string(*session.channel->payload) : session.channel->headers.back();
  };
  EXPECT_EQ(piece(blob->sha256, 0), std::string(kBlobPieceBytes, 'a'));
  EXPECT_EQ(piece(blob->sha256, kBlobPieceBytes), "tail");
  EXPECT_NE(piece(blob->sha256, blob->bytes.size() + 1).find("not_found"), std::string::npos);
  EXPECT_NE(piece("none", 0).find("not_found"), std::string::npos);
  EXPECT_EQ(session.user->received, 0);
}

TEST(SessionDesk, WhoSeemsToBeHereIsOfThisSystem) {
  // Given sessions from this machine's address, when the device runs another system, as a phone behind adb reverse does, or a proxy is in between,
  // then it is not of this host; one of this system is.
  EXPECT_TRUE(Session().user->link->same_host());
  EXPECT_FALSE(Session(true, "android").user->link->same_host());
  EXPECT_FALSE(Session(true, "windows").user->link->same_host());
  EXPECT_FALSE(Session(false, "linux").user->link->same_host());
}

TEST(SessionDesk, OnlyAnswersAreProgress) {
  // Given a session, when its agent says hello, that it times, and that something is wrong, then the tracker hears of no progress; it does of each
  // answer, and of an execution with the time that this one may take.
  Session session;
  session.say(protocol::Timing{.active = true});
  session.say(protocol::ErrorReply{.code = ErrorCode::kInternal, .message = "odd"});
  EXPECT_TRUE(session.tracker.progressed.empty());
  session.say(protocol::TaskReady{.reply_to = 1});
  session.user->link->send(protocol::Execute{.id = 4, .cap_ms = 600'000});
  ASSERT_EQ(session.tracker.progressed.size(), 2u);
  EXPECT_EQ(session.tracker.progressed[0], "lease-1 0");
  EXPECT_EQ(session.tracker.progressed[1], cat("lease-1 ", 600'000 + static_cast<int64_t>(kAnswerMaxMs)));
}

}  // namespace
}  // namespace hone::server
