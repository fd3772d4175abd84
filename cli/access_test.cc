// Who may do what with which token, over the real sockets of a whole service.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/service_world.h"
#include "tracker/sql_store.h"

namespace hone::cli {
namespace {

using protocol::Role;

// A client that keeps all that it hears.
struct Caller {
  Caller(World& world, ServiceUrl url)
      : world(world),
        client(world.loop, std::move(url),
               {.on_ready = [this] { ready = true; },
                .on_message = [this](const protocol::ClientFromService& message, std::string_view) { heard.push_back(message); },
                .on_failed = [this](Error error) { failed = std::move(error); },
                .on_token = [this](const std::string& token) { given = token; }}) {}
  Caller(World& world, const std::string& token) : Caller(world, with(world, token, "")) {}
  static ServiceUrl with(const World& world, const std::string& token, const std::string& code) {
    return {.host = world.url.host, .port = world.url.port, .token = token, .code = code};
  }
  bool come_in() {
    return world.run_until([this] { return ready || failed; }) && ready;
  }
  template <class Message>
  const Message* last() const {
    for (auto it = heard.rbegin(); it != heard.rend(); ++it)
      if (const auto* message = std::get_if<Message>(&*it)) return message;
    return nullptr;
  }
  // What a job of before says comes between.
  static bool answers(const protocol::ClientFromService& message) {
    return !std::holds_alternative<protocol::JobProgress>(message) && !std::holds_alternative<protocol::JobFailed>(message);
  }
  // "" where the request was answered, else the error's name.
  template <class Message>
  std::string ask(Message message) {
    heard.clear();
    message.id = client.next_id();
    client.send(message);
    EXPECT_TRUE(world.run_until([this] { return std::any_of(heard.begin(), heard.end(), answers) || failed; })) << Message::kKind;
    if (failed) return std::string(error_name(failed->code));
    const auto* error = last<protocol::ErrorReply>();
    sentence = error ? error->message : "";
    return error ? std::string(error_name(error->code)) : "";
  }

  World& world;
  bool ready = false;
  std::vector<protocol::ClientFromService> heard;
  std::optional<Error> failed;
  std::string given, sentence;
  ServiceClient client;
};

protocol::TokenCreated make_token(Caller& admin, Role role, const std::string& name) {
  EXPECT_EQ(admin.ask(protocol::CreateToken{.role = role, .name = name}), "") << admin.sentence;
  return *admin.last<protocol::TokenCreated>();
}

protocol::JobRequest some_job(double wait_s, std::optional<int64_t> priority = std::nullopt) {
  protocol::JobRequest job{
      .kind = protocol::JobKind::kTune, .source = {.op = "matmul:8x8x8"}, .target = "webgpu", .trials = 1, .priority = priority};
  job.device_wait_s = wait_s;
  return job;
}

TEST(Access, EachRequestNeedsItsRole) {
  // Given a token of each role, when each request of the client socket is sent with it, then those that its role may are answered, or fail for what they ask, and
  // each other one is refused as unauthorized, with the role that it needs and how to get a token.
  World w;
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  EXPECT_EQ(owner.client.role(), Role::kAdmin);
  for (const Role role : {Role::kAgent, Role::kSubmitter, Role::kAdmin}) {
    Caller caller(w, make_token(owner, role, "ann").token);
    ASSERT_TRUE(caller.come_in());
    EXPECT_EQ(caller.client.role(), role);
    const bool submits = role != Role::kAgent, rules = role == Role::kAdmin;
    const auto expect = [&](const std::string& got, bool allowed, const std::string& answer, const std::string& needed) {
      EXPECT_EQ(got, allowed ? answer : "unauthorized") << protocol::to_name(role) << ": " << caller.sentence;
      if (!allowed) EXPECT_NE(caller.sentence.find(cat("needs one of the role ", needed, "; ")), std::string::npos) << caller.sentence;
    };
    expect(caller.ask(protocol::WatchAgent{.launch_id = "l"}), true, "", "");
    expect(caller.ask(protocol::ListDevices{}), submits, "", "submitter");
    expect(caller.ask(protocol::ShowDevice{.device_id = "dev-none"}), submits, "not_found", "submitter");
    expect(caller.ask(protocol::FetchRecords{}), submits, "", "submitter");
    expect(caller.ask(protocol::CancelJob{.job = "none"}), submits, "not_found", "submitter");
    expect(caller.ask(protocol::SubmitJob{.job = some_job(0)}), submits, "", "submitter");
    expect(caller.ask(protocol::LabelDevice{.device_id = "dev-none", .label = "x"}), rules, "not_found", "admin");
    expect(caller.ask(protocol::ManageDevice{.device_id = "dev-none"}), rules, "not_found", "admin");
    expect(caller.ask(protocol::CreateEnrolment{}), rules, "", "admin");
    expect(caller.ask(protocol::ListTokens{}), rules, "", "admin");
    expect(caller.ask(protocol::CreateToken{.role = Role::kAdmin}), rules, "", "admin");
    expect(caller.ask(protocol::RevokeToken{.token_id = "tok-none"}), rules, "not_found", "admin");
    expect(caller.ask(protocol::RotateToken{.token_id = "service"}), rules, "invalid_argument", "admin");
    EXPECT_FALSE(caller.failed);
  }
}

TEST(Access, OnlyAnAdminCancelsTheJobOfAnother) {
  // Given a job of one submitter, when another one cancels it by its id, then that is refused, and it goes on; when an admin does, then it ends, as who submitted it hears.
  World w;
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  Caller ann(w, make_token(owner, Role::kSubmitter, "ann").token), bob(w, make_token(owner, Role::kSubmitter, "bob").token);
  ASSERT_TRUE(ann.come_in() && bob.come_in());
  ann.client.send(protocol::SubmitJob{.id = ann.client.next_id(), .job = some_job(20)});
  ASSERT_TRUE(w.run_until([&] { return ann.last<protocol::JobAccepted>() != nullptr; }));
  const std::string job = ann.last<protocol::JobAccepted>()->job;
  EXPECT_EQ(bob.ask(protocol::CancelJob{.job = job}), "unauthorized");
  EXPECT_FALSE(ann.last<protocol::JobFailed>());
  owner.client.send(protocol::CancelJob{.id = owner.client.next_id(), .job = job});
  ASSERT_TRUE(w.run_until([&] { return ann.last<protocol::JobFailed>() != nullptr; }));
  EXPECT_EQ(ann.last<protocol::JobFailed>()->code, ErrorCode::kCancelled);
}

// Whose lease the only device is under now; "" where nobody's.
std::string holder(Caller& owner) {
  EXPECT_EQ(owner.ask(protocol::ListDevices{}), "");
  const auto& devices = owner.last<protocol::Devices>()->devices;
  return devices.size() == 1 && devices[0].lease ? devices[0].lease->user : "";
}

TEST(Access, TheTokenSaysWhoseJobItIsAndHowUrgentItMayBe) {
  // Given a device under a job that does not end, and waiting jobs of two submitters, the second of whom says that his is urgent, then one of an admin that is,
  // when the first ends, and then each next one, then the device goes to the admin, to the first submitter, to the second; and each lease has the name of the token,
  // whatever the hello says.
  World w;
  w.add_agent({.measure = [](const protocol::Candidate&) { return std::optional<protocol::CandidateResult>(); }});
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  std::map<std::string, std::unique_ptr<Caller>> callers;
  const auto submit = [&](const std::string& name, Role role, std::optional<int64_t> priority) {
    auto& caller = callers[name] = std::make_unique<Caller>(w, make_token(owner, role, name).token);
    EXPECT_TRUE(caller->come_in());
    caller->client.send(protocol::SubmitJob{.id = caller->client.next_id(), .job = some_job(50, priority)});
    EXPECT_TRUE(w.run_until([&] {
      const auto* progress = caller->last<protocol::JobProgress>();
      return holder(owner) == name || (progress && progress->phase == protocol::JobPhase::kWaitingForDevice);
    }));
  };
  const auto end = [&](const std::string& name, const std::string& next) {
    callers.erase(name);
    EXPECT_TRUE(w.run_until([&] { return holder(owner) != name && holder(owner) != ""; }));
    EXPECT_EQ(holder(owner), next);
  };
  submit("first", Role::kSubmitter, std::nullopt);
  ASSERT_TRUE(w.run_until([&] { return holder(owner) == "first"; })) << holder(owner);
  submit("ann", Role::kSubmitter, 0);
  submit("bob", Role::kSubmitter, 1000);
  submit("root", Role::kAdmin, 1000);
  end("first", "root");
  end("root", "ann");
  end("ann", "bob");
}

TEST(Access, ARevokedClientIsClosedAndItsJobEnds) {
  // Given a submitter with a job, when the token is revoked, then its socket is closed with a sentence, its job ends, and the admin who did it stays; the token lets
  // nobody in, also after a restart of the service, where the others' still do.
  World w;
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  const auto ann = make_token(owner, Role::kSubmitter, "ann"), bob = make_token(owner, Role::kSubmitter, "bob");
  Caller caller(w, ann.token);
  ASSERT_TRUE(caller.come_in());
  caller.client.send(protocol::SubmitJob{.id = caller.client.next_id(), .job = some_job(50)});
  ASSERT_TRUE(w.run_until([&] { return caller.last<protocol::JobAccepted>() != nullptr; }));
  EXPECT_EQ(owner.ask(protocol::RevokeToken{.token_id = ann.info.token_id}), "");
  ASSERT_TRUE(w.run_until([&] { return caller.last<protocol::ErrorReply>() || caller.failed; }));
  ASSERT_TRUE(w.run_until([&] { return caller.failed && w.service->idle(); }));
  EXPECT_EQ(owner.ask(protocol::ListDevices{}), "");
  Caller again(w, ann.token);
  EXPECT_FALSE(again.come_in());
  EXPECT_NE(again.failed->message.find("the token was revoked"), std::string::npos) << again.failed->message;
  w.stop();
  w.start();
  Caller late(w, ann.token), other(w, bob.token);
  EXPECT_FALSE(late.come_in());
  EXPECT_TRUE(other.come_in());
}

TEST(Access, AJobGoesOnWithoutTheAgentThatWasRevoked) {
  // Given a job on an agent with a token of its own, when that is revoked in the middle, then nothing more is taken from the agent, and the job ends well on the next one.
  World w;
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  const auto token = make_token(owner, Role::kAgent, "lab");
  int silent = 0;
  ScriptedAgent agent(w.loop, w.service->port(), token.token, {.measure = [&](const protocol::Candidate&) {
                        return silent++ < 3 ? std::optional(ScriptedAgent::good_result()) : std::nullopt;
                      }});
  w.submit(6);
  ASSERT_TRUE(w.run_until([&] { return silent > 3; }));
  EXPECT_EQ(owner.ask(protocol::RevokeToken{.token_id = token.info.token_id}), "");
  ASSERT_TRUE(w.run_until([&] { return agent.refused.find("the token was revoked") != std::string::npos; })) << agent.refused;
  EXPECT_FALSE(w.ended());
  w.add_agent({.measure = always_good()});
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 6);
}

TEST(Access, AClientWithACodeBecomesAnAgent) {
  // Given a code, when a client shows it, then it is given a token of the role agent, with which it comes in again; another client with the code is refused.
  World w;
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  EXPECT_EQ(owner.ask(protocol::CreateEnrolment{.name = "lab"}), "");
  const std::string code = owner.last<protocol::Enrolment>()->code;
  Caller agent(w, Caller::with(w, "", code));
  ASSERT_TRUE(agent.come_in());
  EXPECT_EQ(agent.client.role(), Role::kAgent);
  EXPECT_EQ(agent.client.url().token, agent.given);
  Caller late(w, Caller::with(w, "", code));
  EXPECT_FALSE(late.come_in());
  EXPECT_EQ(late.failed->code, ErrorCode::kUnauthorized);
  Caller again(w, agent.given);
  EXPECT_TRUE(again.come_in());
}

TEST(Access, AServiceKeepsItsUrlsTokenOnItsDatabaseAlone) {
  // Given a service, when it is started anew on its database, then its URL has the same token; with the token's file removed it has another one, and the
  // earlier one lets nobody in; one that does not keep its fleet has a new one each time.
  World w;
  const std::string first = w.url.token;
  w.stop();
  w.start();
  EXPECT_EQ(w.url.token, first);
  w.stop();
  ASSERT_TRUE(std::filesystem::remove(w.folder + "/hone.db.token"));
  w.start();
  EXPECT_NE(w.url.token, first);
  Caller old(w, first);
  EXPECT_FALSE(old.come_in());
  w.stop();
  const auto start_own = [&] {
    auto own = Service::start(w.loop, {.db = w.folder + "/hone.db", .keeps_fleet = false, .agent_files = w.folder + "/page"}).value();
    return parse_service_url(own->agent_url())->token;
  };
  EXPECT_NE(start_own(), start_own());
}

TEST(Access, ASecondHelloClosesTheSocket) {
  // Given a client that is let in, when it says hello a second time, then it is closed.
  World w;
  Caller owner(w, w.url.token);
  ASSERT_TRUE(owner.come_in());
  owner.client.send(protocol::ClientHello{.id = 9, .token = w.url.token, .version = protocol::kProtocolVersion, .user = "eve"});
  ASSERT_TRUE(w.run_until([&] { return owner.failed.has_value(); }));
}

}  // namespace
}  // namespace hone::cli
