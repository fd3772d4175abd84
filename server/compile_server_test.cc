#include "server/compile_server.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/cat.h"
#include "schema/message.h"
#include "tuner/records/sql_store.h"

namespace hone::server {
namespace {

// Has no device and never will.
class EmptyTracker : public tracker::Client {
 public:
  RequestId reserve(tracker::LeaseRequest, std::function<void(Result<std::vector<tracker::Lease>>)>,
                    std::function<void(const std::string&, Error)>) override {
    return 1;
  }
  void cancel(RequestId) override {}
  void release(const std::string&) override {}
  void progress(const std::string&, std::chrono::milliseconds) override {}
  void redeem(const std::string&, const std::string&, const std::string&, std::function<void(Result<tracker::Lease>)> done) override {
    done(Error{ErrorCode::kUnauthorized, "no"});
  }
  void reopen(const std::string&) override {}
  void label(const std::string&, const std::string&, const std::string&, std::function<void(Result<std::string>)>) override {}
  void manage(const protocol::ManageDevice&, const std::string&, std::function<void(Result<protocol::DeviceManaged>)>) override {}
  void show(const std::string&, std::function<void(Result<protocol::DeviceShown>)>) override {}
  void why_none(const tracker::LeaseRequest&, std::function<void(tracker::Missing)> done) override { done(tracker::Missing()); }
  void why_not_ready(const std::string&, std::function<void(std::string)> done) override { done(""); }
  void devices(const std::string&, std::function<void(Result<protocol::Devices>)> done) override { done(protocol::Devices()); }
};

// Tokens are the names of their roles.
class NamedRoles : public tracker::Access {
 public:
  static Result<tracker::Identity> who_shows(const std::string& token) {
    tracker::Identity who{.token_id = token};
    if (protocol::from_name(token, who.role)) return who;
    return Error{ErrorCode::kUnauthorized, "the token is wrong"};
  }
  void admit(const std::string& token, std::function<void(Result<tracker::Identity>)> done) override { done(who_shows(token)); }
  std::function<void()> attend(const std::string&, std::function<void(Error)>) override {
    return [] {};
  }
  void enrol(const std::string&, std::function<void(Result<protocol::TokenCreated>)>) override {}
  Result<protocol::Enrolment> make_code(const std::string&) override { return protocol::Enrolment(); }
  void create(const protocol::CreateToken&, std::function<void(Result<protocol::TokenCreated>)>) override {}
  void rotate(const std::string&, std::function<void(Result<protocol::TokenCreated>)>) override {}
  void revoke(const std::string&, std::function<void(Status)>) override {}
  Result<std::vector<protocol::TokenInfo>> tokens(const std::string&, size_t) const override { return std::vector<protocol::TokenInfo>(); }
};

TEST(CompileServer, BlobsAreForAgents) {
  // Given a server, when a blob is asked for with a wrong token or with a submitter's, then the answer is 403 and says why; with an agent's or an
  // admin's, 404 for one that is not there.
  std::string folder = testing::TempDir() + cat("/compile_server_", getpid());
  std::filesystem::create_directories(folder);
  net::EventLoop loop;
  EmptyTracker tracker;
  NamedRoles access;
  auto server = CompileServer::start(loop, tracker, access, {.db = folder + "/r.db"});
  ASSERT_TRUE(server.ok()) << server.error().message;
  const auto ask = [&](const std::string& token) { return (*server)->get_blob("abc", NamedRoles::who_shows(token)); };
  EXPECT_EQ(ask("another").status, 403);
  const net::HttpReply refused = ask("submitter");
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body->find("role submitter, and reading a blob needs one of the role agent; hone enroll"), std::string::npos)
      << *refused.body;
  EXPECT_EQ(ask("agent").status, 404);
  EXPECT_EQ(ask("admin").status, 404);
  server->reset();
  std::filesystem::remove_all(folder);
}

TEST(CompileServer, JobsThatAnEarlierRunLeftOpenAreFailed) {
  // Given records of a service that was killed while one job ran and after another was done, when a server starts on them, then the first is
  // failed with a remedy and a time, and the other is as it was.
  std::string folder = testing::TempDir() + cat("/compile_server_open_", getpid());
  std::filesystem::create_directories(folder);
  {
    auto store = tuner::open_record_store({.where = folder + "/r.db"});
    ASSERT_TRUE(store.ok());
    for (const char* state : {"running", "done"})
      ASSERT_TRUE((*store)->put_job({.id = state, .kind = "tune", .state = state, .request_json = "{}"}).ok());
  }
  net::EventLoop loop;
  EmptyTracker tracker;
  NamedRoles access;
  {
    auto server = CompileServer::start(loop, tracker, access, {.db = folder + "/r.db"});
    ASSERT_TRUE(server.ok()) << server.error().message;
  }
  auto store = tuner::open_record_store({.where = folder + "/r.db"});
  auto jobs = (*store)->jobs();
  ASSERT_TRUE(jobs.ok());
  ASSERT_EQ(jobs->size(), 2u);
  for (const tuner::JobInfo& job : *jobs) {
    EXPECT_EQ(job.state, job.id == "running" ? "failed" : "done");
    EXPECT_EQ(job.ended_unix_ms > 0, job.id == "running");
    EXPECT_EQ(job.message.find("repeat the command") != std::string::npos, job.id == "running");
  }
  std::filesystem::remove_all(folder);
}

// A client that has not read so many bytes of what it was sent.
class FakeChannel : public net::Channel {
 public:
  explicit FakeChannel(size_t unread_bytes) : unread_bytes_(unread_bytes) {}
  bool send(std::string_view header, SharedBytes) override {
    sent += cat(header, "\n");
    return true;
  }
  void close(net::CloseCode, std::string_view) override {}
  void set_greeted() override {}
  void set_frame_bytes_max(size_t) override {}
  size_t outbox_bytes() const override { return unread_bytes_; }
  const std::string& peer() const override { return peer_; }
  bool is_local() const override { return true; }
  bool is_open() const override { return true; }
  bool has(const std::string& text) const { return sent.find(text) != std::string::npos; }
  std::string sent;

 private:
  const size_t unread_bytes_;
  const std::string peer_ = "127.0.0.1";
};

struct FakeClient {
  FakeClient(CompileServer& server, size_t unread_bytes) : channel(std::make_shared<FakeChannel>(unread_bytes)), handler(server.accept_client(channel)) {
    say(protocol::ClientHello{.id = 1, .token = "admin", .version = protocol::kProtocolVersion, .user = "ann"});
  }
  ~FakeClient() { handler->on_closed({}); }
  template <class Message>
  void say(const Message& message) {
    const std::string header = protocol::encode(message);
    handler->on_frame({header, ""}, header.size());
  }
  std::shared_ptr<FakeChannel> channel;
  std::unique_ptr<net::Handler> handler;
};

TEST(CompileServer, WhoFollowsAJobAndDoesNotReadHearsItsEndAlone) {
  // Given a detached job and two clients that follow it, one of which reads nothing, when there is progress, then that one is told none; when the job is cancelled, then both hear its end. One that follows more
  // jobs than a client may is refused.
  std::string folder = testing::TempDir() + cat("/compile_server_slow_", getpid());
  std::filesystem::create_directories(folder);
  net::EventLoop loop;
  EmptyTracker tracker;
  NamedRoles access;
  auto server = CompileServer::start(loop, tracker, access, {.db = folder + "/r.db"});
  ASSERT_TRUE(server.ok()) << server.error().message;
  const auto until = [&](const std::function<bool()>& done) { return loop.run_until(done, std::chrono::seconds(20)); };
  {
    FakeClient reads(**server, 0), sleeps(**server, 1 << 20);
    reads.say(protocol::SubmitJob{.id = 2, .job = {.kind = protocol::JobKind::kTune, .source = {.op = "matmul:8x8x8"}, .target = "webgpu", .trials = 1}, .detached = true});
    ASSERT_TRUE(until([&] { return reads.channel->has("job_accepted"); })) << reads.channel->sent;
    const size_t at = reads.channel->sent.find("tune-");
    const std::string job = reads.channel->sent.substr(at, reads.channel->sent.find('"', at) - at);
    for (FakeClient* client : {&reads, &sleeps}) client->say(protocol::AttachJob{.id = 3, .job = job});
    ASSERT_TRUE(until([&] { return reads.channel->has("job_progress"); }));
    ASSERT_TRUE(until([&] { return sleeps.channel->has("job_accepted"); }));
    for (int i = 0; i < 100; ++i) sleeps.say(protocol::AttachJob{.id = 4, .job = job});
    EXPECT_TRUE(sleeps.channel->has("limit_exceeded"));
    reads.say(protocol::CancelJob{.id = 5, .job = job});
    ASSERT_TRUE(until([&] { return reads.channel->has("job_failed") && sleeps.channel->has("job_failed"); }));
    EXPECT_FALSE(sleeps.channel->has("job_progress"));
  }
  ASSERT_TRUE(until([&] { return (*server)->idle(); }));
  server->reset();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hone::server
