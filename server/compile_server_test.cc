#include "server/compile_server.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/cat.h"
#include "tuner/records/sqlite_store.h"

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
  bool holds(const std::string&, uint64_t) const override { return false; }
  Result<tracker::Lease> redeem(const std::string&, const std::string&, const std::string&) override {
    return Error{ErrorCode::kUnauthorized, "no"};
  }
  Status reopen(const std::string&) override { return ok_status(); }
  Result<std::string> label(const std::string&, const std::string&, const std::string&) override { return std::string(); }
  void manage(const protocol::ManageDevice&, const std::string&, std::function<void(Result<protocol::DeviceManaged>)>) override {}
  void show(const std::string&, std::function<void(Result<protocol::DeviceShown>)>) override {}
  tracker::Missing why_none(const tracker::LeaseRequest&) const override { return {}; }
  std::string why_not_ready(const std::string&) const override { return ""; }
  std::vector<protocol::DeviceInfo> devices(const std::string&, size_t) const override { return {}; }
};

// Tokens are the names of their roles.
class NamedRoles : public tracker::Access {
 public:
  Result<tracker::Identity> admit(const std::string& token) override {
    tracker::Identity who{.token_id = token};
    if (protocol::from_name(token, who.role)) return who;
    return Error{ErrorCode::kUnauthorized, "the token is wrong"};
  }
  std::function<void()> attend(const std::string&, std::function<void(Error)>) override {
    return [] {};
  }
  void enrol(const std::string&, std::function<void(Result<protocol::TokenCreated>)>) override {}
  Result<protocol::Enrolment> make_code(const std::string&) override { return protocol::Enrolment(); }
  void create(const protocol::CreateToken&, std::function<void(Result<protocol::TokenCreated>)>) override {}
  void rotate(const std::string&, std::function<void(Result<protocol::TokenCreated>)>) override {}
  void revoke(const std::string&, std::function<void(Status)>) override {}
  std::vector<protocol::TokenInfo> tokens(const std::string&, size_t) const override { return {}; }
};

TEST(CompileServer, BlobsAreForAgents) {
  // Given a server, when a blob is asked for without a token, with a wrong one, or with a submitter's, then the answer is 403 and says why; with an
  // agent's or an admin's, 404 for one that is not there.
  std::string folder = testing::TempDir() + cat("/compile_server_", getpid());
  std::filesystem::create_directories(folder);
  net::EventLoop loop;
  EmptyTracker tracker;
  NamedRoles access;
  auto server = CompileServer::start(loop, tracker, access, {.db = folder + "/r.db"});
  ASSERT_TRUE(server.ok()) << server.error().message;
  const auto ask = [&](const std::string& token) { return (*server)->get_blob({.path = "/blob/abc", .token = token}); };
  EXPECT_EQ(ask("").status, 403);
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
    auto store = tuner::open_sqlite_store({.path = folder + "/r.db"});
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
  auto store = tuner::open_sqlite_store({.path = folder + "/r.db"});
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

}  // namespace
}  // namespace hone::server
