// Jobs that go on without their clients, over real sockets and a real database.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "base/json_text.h"
#include "cli/service_world.h"
#include "tuner/records/job_store.h"

namespace hone::cli {
namespace {

using protocol::JobState;

struct Farm : World {
  protocol::JobRequest request(uint32_t trials = 4) const {
    return {.kind = protocol::JobKind::kTune, .source = {.op = "matmul:32x32x32"}, .target = "webgpu", .trials = trials, .seed = 1, .device_wait_s = 60};
  }
  void meet(const std::string& token = "") {
    ready = false;
    failed.reset();
    result.reset();
    job.clear();
    connect(token.empty() ? url.token : token);
    CHECK(run_until([&] { return ready; }), "the service does not greet");
  }
  // The id; "" where it is refused.
  std::string queue(const protocol::JobRequest& asked, std::string_view payload = {}) {
    job.clear();
    failed.reset();
    client->send(protocol::SubmitJob{.id = client->next_id(), .job = asked, .detached = true}, payload);
    CHECK(run_until([&] { return !job.empty() || failed; }), "the submission is not answered");
    return job;
  }
  void attach(const std::string& id) { client->send(protocol::AttachJob{.id = client->next_id(), .job = id}); }
  void cancel_job(const std::string& id) { client->send(protocol::CancelJob{.id = client->next_id(), .job = id}); }
  bool end_comes() {
    return run_until([&] { return ended(); });
  }
  const std::vector<protocol::JobInfo>& list() {
    jobs.reset();
    client->send(protocol::ListJobs{.id = client->next_id()});
    CHECK(run_until([&] { return jobs.has_value(); }), "the list does not come");
    return jobs->jobs;
  }
  protocol::JobInfo shown(const std::string& id) {
    for (const protocol::JobInfo& one : list())
      if (one.job == id) return one;
    return {};
  }
  std::string token_of(const std::string& name, std::optional<protocol::Quota> quota = std::nullopt) {
    std::string token;
    ServiceClient* asker = nullptr;
    ServiceClient admin(loop, url,
                        {.on_ready = [&] { asker->send(protocol::CreateToken{.id = asker->next_id(), .role = protocol::Role::kSubmitter, .name = name, .quota = quota}); },
                         .on_message =
                             [&](const protocol::ClientFromService& message, std::string_view) {
                               if (const auto* made = std::get_if<protocol::TokenCreated>(&message)) token = made->token;
                             },
                         .on_failed = [](const Error&) {}});
    asker = &admin;
    CHECK(run_until([&] { return !token.empty(); }), "no token is made");
    return token;
  }
  void restart() {
    client.reset();
    agent.reset();
    stop();
    start();
  }
  std::string models() const { return folder + "/hone.db.models"; }
};

TEST(DetachedJob, GoesOnWithoutItsClientAndTellsItsResultLater) {
  // Given a detached search, when its client goes before a device is there, then it is done all the same; it is listed as done with its outcome, and who follows it
  // afterwards hears its result, also from a service that was started anew.
  Farm w;
  w.meet();
  const std::string id = w.queue(w.request());
  ASSERT_NE(id, "");
  w.client.reset();
  w.add_agent({.measure = always_good()});
  w.meet();
  w.attach(id);
  ASSERT_TRUE(w.end_comes());
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 4);
  const protocol::JobInfo info = w.shown(id);
  EXPECT_EQ(info.state, JobState::kDone);
  EXPECT_EQ(info.outcome, ErrorCode::kOk);
  EXPECT_EQ(info.source, "matmul:32x32x32");
  EXPECT_TRUE(info.detached);
  EXPECT_GE(info.ended_unix_ms, info.started_unix_ms);
  const nlohmann::json before = *w.result;
  w.restart();
  w.meet();
  w.attach(id);
  ASSERT_TRUE(w.end_comes());
  ASSERT_TRUE(w.result);
  EXPECT_EQ(*w.result, before);
}

TEST(DetachedJob, GoesOnAfterItsServiceStoppedFromWhatIsMeasured) {
  // Given two detached searches, of which one has measured something, when the service stops and starts, then neither has ended, both are done in the end, nothing is measured
  // twice, and a stop in order counts as no start.
  Farm w;
  w.add_agent({.measure = always_good(), .each = std::chrono::milliseconds(20)});
  w.meet();
  protocol::JobRequest other = w.request();
  other.source.op = "matmul:16x16x16";
  const std::string first = w.queue(w.request(40));
  ASSERT_TRUE(w.run_until([&] { return w.agent->acknowledged > 5; }));
  const std::string second = w.queue(other);
  w.restart();
  const size_t kept = w.records().size();
  EXPECT_GT(kept, 0u);
  w.meet();
  EXPECT_LE(w.shown(first).starts, 1u);
  EXPECT_EQ(w.shown(first).outcome, std::nullopt);
  w.add_agent({.measure = always_good()});
  for (const std::string& id : {first, second}) {
    w.result.reset();
    w.attach(id);
    ASSERT_TRUE(w.end_comes());
    ASSERT_TRUE(w.result) << w.failed->message;
    if (id == first) {
      EXPECT_EQ((*w.result)["tasks"][0]["trials"], 40);
      EXPECT_LT((*w.result)["tasks"][0]["trials_new"], 40);
    }
  }
  std::set<std::tuple<uint64_t, uint64_t, int>> each;
  for (const tuner::Record& r : w.records()) EXPECT_TRUE(each.insert({r.task_id.lo ^ r.source_hash.lo, r.source_hash.hi, r.attempt}).second);
}

TEST(DetachedJob, KeepsItsModelNoLongerThanItNeedsIt) {
  // Given detached searches of files that are no models, two of them the same, when their turn comes, then each has failed with its outcome, and no file is left in the folder, which is its owner's alone.
  Farm w;
  w.meet();
  protocol::JobRequest asked = w.request();
  asked.source = {.model_name = "m.onnx"};
  asked.target = "wasm";
  const std::string a = w.queue(asked, "no model at all"), b = w.queue(asked, "no model at all"), c = w.queue(asked, "nor this");
  ASSERT_NE(c, "");
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(w.models()), std::filesystem::directory_iterator()); };
  for (const std::string& id : {a, b, c}) {
    w.failed.reset();
    w.attach(id);
    ASSERT_TRUE(w.end_comes());
    EXPECT_EQ(w.failed->code, ErrorCode::kBadModel) << w.failed->message;
    EXPECT_EQ(w.shown(id).state, JobState::kFailed);
    EXPECT_EQ(w.shown(id).outcome, ErrorCode::kBadModel);
  }
  EXPECT_TRUE(w.run_until([&] { return files() == 0; }));
  EXPECT_EQ(std::filesystem::status(w.models()).permissions(), std::filesystem::perms::owner_all);
}

TEST(DetachedJob, IsSeenFollowedAndCancelledByItsUserAndAdminsAlone) {
  // Given jobs of two submitters, when one lists, then the own alone are there; when the other's is followed or cancelled, or one that is not there, or one whose name is SQL, then that is
  // refused with its reason; an admin sees, follows and cancels both.
  Farm w;
  protocol::JobRequest asked = w.request();
  asked.target = "wasm";
  const std::string ann = w.token_of("ann"), bob = w.token_of("bob");
  w.meet(ann);
  const std::string hers = w.queue(asked);
  w.meet(bob);
  const std::string his = w.queue(asked);
  ASSERT_EQ(w.list().size(), 1u);
  EXPECT_EQ(w.list()[0].job, his);
  EXPECT_EQ(w.list()[0].user, "bob");
  const auto refused = [&](auto ask, const std::string& id) {
    w.failed.reset();
    ask(id);
    CHECK(w.run_until([&] { return w.failed.has_value(); }), "no answer");
    return w.failed->code;
  };
  const auto attach = [&](const std::string& id) { w.attach(id); };
  const auto cancel = [&](const std::string& id) { w.cancel_job(id); };
  EXPECT_EQ(refused(attach, hers), ErrorCode::kUnauthorized);
  EXPECT_EQ(refused(cancel, hers), ErrorCode::kUnauthorized);
  for (const char* none : {"tune-000000000000", "' OR 1=1 --", "'; DROP TABLE submissions; --", "", "%"}) {
    EXPECT_EQ(refused(attach, none), ErrorCode::kNotFound) << none;
    EXPECT_EQ(refused(cancel, none), ErrorCode::kNotFound) << none;
  }
  w.meet();
  EXPECT_EQ(w.list().size(), 2u);
  w.attach(hers);
  w.cancel_job(hers);
  ASSERT_TRUE(w.end_comes());
  EXPECT_EQ(w.failed->code, ErrorCode::kCancelled);
  EXPECT_EQ(w.shown(hers).state, JobState::kCancelled);
  EXPECT_EQ(refused(cancel, hers), ErrorCode::kNotFound);
  EXPECT_EQ(refused(attach, hers), ErrorCode::kCancelled) << "its end, told at once";
  w.cancel_job(his);
  EXPECT_TRUE(w.run_until([&] { return w.shown(his).state == JobState::kCancelled; }));
}

TEST(DetachedJob, OfOneUserThereAreSoMany) {
  // Given a user with as many detached jobs as one may have, when another is submitted, then it is refused with what to do; another user's is taken; and a job that ended makes room.
  Farm w;
  protocol::JobRequest asked = w.request();
  asked.target = "wasm";
  const std::string ann = w.token_of("ann"), bob = w.token_of("bob");
  w.meet(ann);
  const std::string first = w.queue(asked);
  size_t taken = 1;
  while (taken <= 1000 && !w.queue(asked).empty()) ++taken;
  EXPECT_EQ(taken, 256u);
  EXPECT_EQ(w.failed->code, ErrorCode::kLimitExceeded);
  EXPECT_NE(w.failed->message.find("hone jobs cancel ID"), std::string::npos) << w.failed->message;
  w.meet(bob);
  EXPECT_NE(w.queue(asked), "");
  w.meet(ann);
  w.attach(first);
  w.cancel_job(first);
  ASSERT_TRUE(w.end_comes());
  EXPECT_NE(w.queue(asked), "");
  // What is attached has places of its own.
  w.meet(bob);
  w.add_agent({.measure = always_good()});
  w.submit(w.request(2));
  ASSERT_TRUE(w.end_comes());
  EXPECT_TRUE(w.result) << w.failed->message;
}

TEST(DetachedJob, OfAUserWithAQuotaThereAreNoMoreAlsoAfterARestart) {
  // Given a user whose token permits two jobs and 100 bytes of payloads, when more are submitted, also after the service was started anew, then they are refused, with what to do; a job
  // that is cancelled makes room.
  Farm w;
  protocol::JobRequest asked = w.request();
  asked.target = "wasm";  // nobody brings one
  const std::string ann = w.token_of("ann", protocol::Quota{.jobs_max = 2, .bytes_max = 100});
  const auto refused = [&](size_t bytes) {
    const bool taken = !w.queue(asked, std::string(bytes, 'm')).empty();
    if (!taken) EXPECT_NE(w.failed->message.find("hone jobs cancel ID"), std::string::npos) << w.failed->message;
    return !taken && w.failed->code == ErrorCode::kLimitExceeded;
  };
  w.meet(ann);
  EXPECT_TRUE(refused(101));
  const std::string first = w.queue(asked, std::string(60, 'a'));
  EXPECT_TRUE(refused(41));
  EXPECT_NE(w.queue(asked, std::string(40, 'b')), "");
  EXPECT_TRUE(refused(0));
  w.restart();
  w.meet(ann);
  EXPECT_TRUE(refused(0));
  w.failed.reset();  // the next is that of the end
  w.attach(first);
  w.cancel_job(first);
  ASSERT_TRUE(w.end_comes());
  EXPECT_TRUE(refused(61));
  EXPECT_NE(w.queue(asked, std::string(60, 'c')), "");
}

TEST(DetachedJob, OnlySearchesAreAndTheModelMustBeKept) {
  // Given a service whose folder of models cannot be made, when a detached search of a model is submitted, then it is refused, with the reason, and is in no list; so is a detached run; and the service
  // goes on: a search of an operator is done.
  Farm w;
  w.meet();
  std::ofstream(w.models()) << "in the way";
  protocol::JobRequest asked = w.request();
  asked.source = {.model_name = "m.onnx"};
  EXPECT_EQ(w.queue(asked, "a model"), "");
  EXPECT_EQ(w.failed->code, ErrorCode::kIoError) << w.failed->message;
  asked.kind = protocol::JobKind::kRun;
  EXPECT_EQ(w.queue(asked, "a model"), "");
  EXPECT_EQ(w.failed->code, ErrorCode::kUnsupported) << w.failed->message;
  asked = w.request();
  asked.dims = std::map<std::string, int64_t>();
  asked.options = nlohmann::json{{"far", std::string(20'000, 'x')}};
  EXPECT_EQ(w.queue(asked), "");
  EXPECT_EQ(w.failed->code, ErrorCode::kLimitExceeded) << w.failed->message;
  EXPECT_EQ(w.list().size(), 0u);
  const std::string id = w.queue(w.request());
  w.add_agent({.measure = always_good()});
  w.attach(id);
  ASSERT_TRUE(w.end_comes());
  EXPECT_TRUE(w.result);
}

// What an earlier process left behind.
void leave(const Farm& w, tuner::Submission row) {
  auto store = std::move(tuner::open_job_store(w.folder + "/hone.db")).value();
  row.kind = "tune";
  row.user = "ann";
  row.target = "webgpu";
  row.source = "matmul:32x32x32";
  if (row.request_json.empty()) row.request_json = json_line(protocol::to_json(w.request()));
  row.submitted_unix_ms = 1;
  store->put(row, nullptr);
}

TEST(DetachedJob, ThatEndedTheProcessTooOftenIsNotBegunAgain) {
  // Given a database in which a killed service left jobs, when a service starts, then one that was running for the third time fails with an outcome, one of the second time goes on, one that somebody waited for is lost,
  // and one whose request is damaged fails; each is listed with its outcome.
  Farm w;
  w.stop();
  leave(w, {.id = "tune-poison", .place = 1, .detached = true, .state = "running", .starts = 3});
  leave(w, {.id = "tune-again", .place = 2, .detached = true, .state = "running", .starts = 2});
  leave(w, {.id = "tune-alone", .place = 3, .state = "running", .starts = 1});
  leave(w, {.id = "tune-damaged", .place = 4, .detached = true, .request_json = "{", .state = "queued"});
  w.start();
  w.add_agent({.measure = always_good()});
  w.meet();
  w.attach("tune-again");
  ASSERT_TRUE(w.end_comes());
  EXPECT_TRUE(w.result) << w.failed->message;
  const protocol::JobInfo poison = w.shown("tune-poison");
  EXPECT_EQ(poison.state, JobState::kFailed);
  EXPECT_EQ(poison.outcome, ErrorCode::kInternal);
  EXPECT_NE(poison.message.find("3 times"), std::string::npos) << poison.message;
  EXPECT_EQ(w.shown("tune-alone").state, JobState::kLost);
  EXPECT_TRUE(w.run_until([&] { return w.shown("tune-damaged").state == JobState::kFailed; }));
  EXPECT_EQ(w.list().size(), 4u);
}

TEST(DetachedJob, IsFollowedByTwoAndGoesOnWithoutEither) {
  // Given a detached search on a device, when two clients follow it and one of them goes, then the other one hears progress and the end; and a client that submitted a search and waits for it hears its own alone.
  Farm w;
  w.add_agent({.measure = always_good(), .each = std::chrono::milliseconds(20)});
  w.meet();
  const std::string id = w.queue(w.request(30));
  w.attach(id);
  std::optional<nlohmann::json> told;
  ServiceClient* second = nullptr;
  int progresses = 0;
  ServiceClient other(w.loop, w.url,
                      {.on_ready = [&] { second->send(protocol::AttachJob{.id = 1, .job = id}); },
                       .on_message =
                           [&](const protocol::ClientFromService& message, std::string_view) {
                             if (const auto* done = std::get_if<protocol::JobDone>(&message)) told = done->result;
                             progresses += std::holds_alternative<protocol::JobProgress>(message);
                           },
                       .on_failed = [](const Error&) {}});
  second = &other;
  ASSERT_TRUE(w.run_until([&] { return progresses > 2 && w.progresses > 2; }));
  w.client.reset();
  ASSERT_TRUE(w.run_until([&] { return told.has_value(); }));
  EXPECT_EQ((*told)["tasks"][0]["trials"], 30);
}

TEST(DetachedJob, IsCancelledInTheMiddleWithWhatIsKnown) {
  // Given a detached search in the middle, when its user cancels it, then it ends as cancelled, with what it measured, and the device is free for another.
  Farm w;
  w.add_agent({.measure = always_good(), .each = std::chrono::milliseconds(20)});
  w.meet();
  const std::string id = w.queue(w.request(10'000));
  ASSERT_TRUE(w.run_until([&] { return w.agent->acknowledged > 5; }));
  w.attach(id);
  w.cancel_job(id);
  ASSERT_TRUE(w.end_comes());
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["cancelled"], true);
  EXPECT_EQ(w.shown(id).state, JobState::kCancelled);
  EXPECT_EQ(w.shown(id).outcome, ErrorCode::kCancelled);
  w.submit(w.request(2));
  ASSERT_TRUE(w.end_comes());
  EXPECT_TRUE(w.result) << w.failed->message;
}

TEST(DetachedJob, OneThatIsAttachedEndsWithItsClientAndIsListed) {
  // Given a search whose client waits for it, when the client goes, then it is listed as cancelled; and one that is done is listed as done.
  Farm w;
  w.submit(2);
  ASSERT_TRUE(w.run_until([&] { return !w.job.empty(); }));
  const std::string id = w.job;
  w.client.reset();
  w.meet();
  EXPECT_TRUE(w.run_until([&] { return w.shown(id).state == JobState::kCancelled; }));
  EXPECT_FALSE(w.shown(id).detached);
  w.add_agent({.measure = always_good()});
  w.submit(2);
  ASSERT_TRUE(w.end_comes());
  EXPECT_EQ(w.shown(w.job).state, JobState::kDone);
}

}  // namespace
}  // namespace hone::cli
