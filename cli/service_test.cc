// The whole service in this process, over real sockets and a real database, with an agent that follows a script.
#include "cli/service.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <map>
#include <set>
#include <sstream>

#include "cli/service_world.h"

namespace hone::cli {
namespace {

TEST(Service, AJobIsMeasuredByAnAgentAndRecorded) {
  // Given an agent that measures each candidate at 100 µs, when a job of four trials is submitted, then its result says so, every result
  // was acknowledged, the session was released, and the database holds each measurement once under the lease's fence.
  World w;
  w.add_agent({.measure = always_good()});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_DOUBLE_EQ((*w.result)["tasks"][0]["best_ms"], 0.1);
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 4);
  EXPECT_GT((*w.result)["stats"]["server_ms_per_candidate_median"], 0);
  EXPECT_GT(w.progresses, 0);
  ASSERT_TRUE(w.run_until([&] { return w.agent->released == 1; }));
  EXPECT_EQ(w.agent->prepared, 1);
  EXPECT_EQ(w.agent->acknowledged, w.agent->measured);
  w.stop();
  std::vector<tuner::Record> records = w.records();
  EXPECT_EQ(static_cast<int>(records.size()), w.agent->measured);
  for (const tuner::Record& record : records) EXPECT_GT(record.fence, 0);
}

TEST(Service, AJobGoesOnWhenItsAgentVanishesAndComesBack) {
  // Given an agent that vanishes at its third candidate, when another one of the same device class connects, then the job ends well, and
  // what was lost with the first was measured again.
  World w;
  bool vanished = false;
  w.add_agent({.measure = [&](const protocol::Candidate&) -> std::optional<protocol::CandidateResult> {
    if (w.agent->measured == 3) w.loop.post([&] { w.agent->vanish(), vanished = true; });
    return w.agent->measured < 3 ? std::optional(ScriptedAgent::good_result()) : std::nullopt;
  }});
  w.submit(6);
  ASSERT_TRUE(w.run_until([&] { return vanished; }));
  w.add_agent({.measure = always_good()});
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 6);
  w.stop();
  int gone = 0, good = 0;
  for (const tuner::Record& record : w.records()) (record.outcome == ErrorCode::kOk ? good : gone)++;
  EXPECT_GT(gone, 0);
  EXPECT_GE(good, 7);  // six candidates and the yardstick
}

// Measures in some milliseconds and notes what it was asked for, rechecks (which are later attempts) left out.
ScriptedAgent::Script noting(std::vector<uint64_t>& first_attempts) {
  return {.measure =
              [&first_attempts](const protocol::Candidate& candidate) {
                if (candidate.attempt == 0) first_attempts.push_back(candidate.trial);
                return std::optional(ScriptedAgent::good_result());
              },
          .each = std::chrono::milliseconds(5)};
}

// Slower than candidates are built on a busy machine: else devices wait, and whoever asks first takes what there is.
ScriptedAgent::Script noting_slowly(std::vector<uint64_t>& first_attempts) {
  ScriptedAgent::Script script = noting(first_attempts);
  script.each = std::chrono::milliseconds(25);
  return script;
}

TEST(Service, AJobSpreadsItsCandidatesOverSeveralDevicesOfOneClass) {
  // Given two agents of one class that are equally fast, when a job may use two devices, then each measures about half of the candidates, none
  // is measured twice, and both devices are free afterwards.
  World w;
  std::vector<uint64_t> one, two;
  w.add_agent(noting_slowly(one));
  ScriptedAgent& other = w.add_another_agent(noting_slowly(two));
  w.submit(40, 20, 2);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 40);
  EXPECT_EQ((*w.result)["stats"]["devices"], 2);
  EXPECT_GE(one.size(), 10u);
  EXPECT_GE(two.size(), 10u);
  std::set<uint64_t> distinct(one.begin(), one.end());
  distinct.insert(two.begin(), two.end());
  EXPECT_EQ(distinct.size(), one.size() + two.size());
  EXPECT_TRUE(w.run_until([&] { return w.service->idle() && w.agent->released == 1 && other.released == 1; }));
}

TEST(Service, AJobBeginsWithAllTheDevicesThatItNeedsAtOnce) {
  // Given one agent and a job that is to begin with two devices, when it waits, then it takes none; when a second agent of the class comes, then the
  // job begins with both, and both are free afterwards.
  World w;
  std::vector<uint64_t> one, two;
  w.add_agent(noting_slowly(one));
  protocol::JobRequest request{.kind = protocol::JobKind::kTune,
                               .source = {.op = "matmul:32x32x32"},
                               .target = "webgpu",
                               .trials = 40,
                               .seed = 1};
  request.devices = request.devices_min = 2;
  w.submit(request);
  ASSERT_TRUE(w.run_until([&] { return w.progresses > 1; }));
  EXPECT_EQ(w.agent->prepared, 0);
  ScriptedAgent& other = w.add_another_agent(noting_slowly(two));
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["stats"]["devices"], 2);
  EXPECT_GE(one.size(), 10u);
  EXPECT_GE(two.size(), 10u);
  EXPECT_TRUE(w.run_until([&] { return w.service->idle() && w.agent->released == 1 && other.released == 1; }));
}

TEST(Service, AJobKeepsToOneDeviceUnlessItMayUseMore) {
  // Given two agents of one class, when a job says nothing of devices, then one of them does all, and the other is never asked.
  World w;
  std::vector<uint64_t> one, two;
  w.add_agent(noting(one));
  w.add_another_agent(noting(two));
  w.submit(12);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_TRUE(one.empty() != two.empty());
}

TEST(Service, ADeviceThatLeavesGivesItsCandidatesToTheOthers) {
  // Given two agents of one class, when one vanishes with candidates in its hands, then the other measures them, and the job has all its trials.
  World w;
  std::vector<uint64_t> one;
  w.add_agent(noting(one));
  ScriptedAgent* leaving = nullptr;
  int left_after = 0;
  leaving =
      &w.add_another_agent({.measure = [&](const protocol::Candidate&) -> std::optional<protocol::CandidateResult> {
                              if (++left_after == 3) w.loop.post([&] { leaving->vanish(); });
                              if (left_after >= 3) return std::nullopt;
                              return ScriptedAgent::good_result();
                            },
                            .each = std::chrono::milliseconds(5)});
  w.submit(40, 20, 2);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 40);
  EXPECT_GE(left_after, 3);
  w.stop();
  std::set<uint64_t> good;
  bool some_gone = false;
  for (const tuner::Record& record : w.records()) {
    if (record.outcome == ErrorCode::kOk && record.origin != tuner::Origin::kNaive) good.insert(record.source_hash.lo);
    some_gone |= record.outcome == ErrorCode::kAgentGone;
  }
  EXPECT_EQ(good.size(), 40u);
  EXPECT_TRUE(some_gone);
}

TEST(Service, TwoUsersOfOneDatabaseDoNotMeasureTheSameTwice) {
  // Given two agents of one class, when two users tune the same at the same time, each on one of them, then no candidate is measured by both, and
  // both jobs have all their trials.
  World w;
  std::vector<uint64_t> one, two;
  w.add_agent(noting(one));
  w.add_another_agent(noting(two));
  std::vector<nlohmann::json> results;
  std::optional<ServiceClient> second;
  bool second_ready = false;
  const auto keep = [&](const protocol::ClientFromService& message, std::string_view) {
    if (auto* done = std::get_if<protocol::JobDone>(&message)) results.push_back(done->result);
  };
  second.emplace(w.loop, w.url,
                 ServiceClient::Events{.on_ready = [&] { second_ready = true; },
                                       .on_message = keep,
                                       .on_failed = [&](Error error) { w.failed = std::move(error); }});
  ASSERT_TRUE(w.run_until([&] { return second_ready; }));
  w.submit(40);
  protocol::JobRequest same{.kind = protocol::JobKind::kTune,
                            .source = {.op = "matmul:32x32x32"},
                            .target = "webgpu",
                            .trials = 40,
                            .seed = 1};
  second->send(protocol::SubmitJob{.id = second->next_id(), .job = same});
  ASSERT_TRUE(w.run_until([&] { return w.failed || (w.result && !results.empty()); }));
  ASSERT_FALSE(w.failed) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 40);
  EXPECT_EQ(results[0]["tasks"][0]["trials"], 40);
  std::set<uint64_t> distinct(one.begin(), one.end());
  distinct.insert(two.begin(), two.end());
  EXPECT_EQ(distinct.size(), one.size() + two.size());
  const size_t new_in_both = (*w.result)["trials_new"].get<size_t>() + results[0]["trials_new"].get<size_t>();
  EXPECT_LE(new_in_both, distinct.size());
  second.reset();
  w.stop();
  std::map<Hash, int> measured;  // as a candidate
  for (const tuner::Record& record : w.records())
    if (record.origin == tuner::Origin::kSeed || record.origin == tuner::Origin::kSearch)
      ++measured[record.source_hash];
  EXPECT_EQ(measured.size(), new_in_both);
  for (const auto& [source, times] : measured) EXPECT_EQ(times, 1) << source.hex();
}

TEST(Service, ABrokenSessionSocketIsOpenedAgainUnderTheSameLease) {
  // Given an agent whose session socket breaks, when the tracker asks for another, then the task is prepared again and the job ends well.
  World w;
  w.add_agent({.measure = [&](const protocol::Candidate&) -> std::optional<protocol::CandidateResult> {
    if (w.agent->measured == 2) w.agent->drop_session();
    return w.agent->measured == 2 ? std::nullopt : std::optional(ScriptedAgent::good_result());
  }});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ(w.agent->prepared, 2);
}

TEST(Service, ACandidateThatFailsOnTheDeviceIsARecordWithoutATime) {
  // Given an agent that finds each third candidate wrong, when the job ends, then these are records with that outcome and no time.
  World w;
  w.add_agent({.measure = [&](const protocol::Candidate&) -> std::optional<protocol::CandidateResult> {
    if (w.agent->measured % 3) return ScriptedAgent::good_result();
    return protocol::CandidateResult{.outcome = ErrorCode::kWrongOutput, .message = "the error is 1", .max_error = 1};
  }});
  w.submit(6);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_GE((*w.result)["tasks"][0]["errors"]["wrong_output"], 1);
  w.stop();
  int wrong = 0;
  for (const tuner::Record& record : w.records()) {
    if (record.outcome != ErrorCode::kWrongOutput) continue;
    ++wrong;
    EXPECT_EQ(record.latency_us_median, 0);
  }
  EXPECT_GE(wrong, 1);
}

TEST(Service, EachKindOfBadCandidateHasItsOutcomeInTheRecordsAndNoTime) {
  // Given an agent that finds one candidate endless, one invalid, one that does not compile, one wrong and one that writes nothing, and
  // claims a time for each, when the job ends, then each is a record with its own outcome and no time, and the others have theirs.
  constexpr std::array kBad{ErrorCode::kTimeout, ErrorCode::kValidationError, ErrorCode::kCompileError, ErrorCode::kWrongOutput,
                            ErrorCode::kNotWritten};
  World w;
  std::map<uint64_t, ErrorCode> fate;  // by trial, in the order of their coming
  w.add_agent({.measure = [&](const protocol::Candidate& candidate) -> std::optional<protocol::CandidateResult> {
    const size_t turn = fate.size();
    const bool bad = turn >= 2 && turn - 2 < kBad.size();  // the yardstick and the first seed are good
    const auto [it, fresh] = fate.emplace(candidate.trial, bad ? kBad[turn - 2] : ErrorCode::kOk);
    protocol::CandidateResult result = ScriptedAgent::good_result();
    result.outcome = it->second;
    return result;
  }});
  w.submit(10);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  w.stop();
  std::set<ErrorCode> found;
  for (const tuner::Record& record : w.records()) {
    found.insert(record.outcome);
    EXPECT_EQ(record.latency_us_median > 0, record.outcome == ErrorCode::kOk) << error_name(record.outcome);
    EXPECT_EQ(record.samples_us.empty(), record.outcome != ErrorCode::kOk) << error_name(record.outcome);
  }
  for (ErrorCode code : kBad) EXPECT_TRUE(found.count(code)) << error_name(code);
}

TEST(Service, ACancelledJobEndsAsCancelled) {
  // Given an agent that never answers, when the client cancels the job, then it ends with what is known, marked as cancelled, and the device is
  // free again.
  World w;
  w.add_agent({.measure = [](const protocol::Candidate&) { return std::nullopt; }});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.agent->measured > 0; }));
  w.client->send(protocol::CancelJob{.id = w.client->next_id(), .job = w.job});
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result);
  EXPECT_EQ((*w.result)["cancelled"], true);
  EXPECT_EQ((*w.result)["trials"], 0);
  EXPECT_TRUE(w.run_until([&] { return w.service->idle() && w.agent->released == 1; }));
}

TEST(Service, AJobEndsWithItsClient) {
  // Given a running job, when its client's connection ends, then the job ends too.
  World w;
  w.add_agent({.measure = [](const protocol::Candidate&) { return std::nullopt; }});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.agent->measured > 0; }));
  EXPECT_FALSE(w.service->idle());
  w.client.reset();
  EXPECT_TRUE(w.run_until([&] { return w.service->idle(); }));
}

TEST(Service, WithoutADeviceAJobEndsWithNoDevice) {
  // Given no agent, when a job waits for a tenth of a second, then it ends with no_device and a remedy; given an agent that says why it
  // has no device, then the sentence carries its words.
  World w;
  w.submit(4, 0.1);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  EXPECT_EQ(w.failed->code, ErrorCode::kNoDevice);
  EXPECT_NE(w.failed->message.find("hone agent"), std::string::npos) << w.failed->message;
}

TEST(Service, BadSourcesAreRefusedWithASentence) {
  // Given an op that is none, and one that is a file's path, when they are submitted, then each job fails as an invalid argument.
  for (const char* op : {"matmul:0x", "/etc/hostname.onnx"}) {
    World w;
    w.connect(w.url.token);
    ASSERT_TRUE(w.run_until([&] { return w.ready; }));
    protocol::JobRequest request{
        .kind = protocol::JobKind::kTune, .source = {.op = op}, .target = "webgpu", .trials = 1};
    w.client->send(protocol::SubmitJob{.id = w.client->next_id(), .job = request});
    ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
    EXPECT_EQ(w.failed->code, ErrorCode::kInvalidArgument) << w.failed->message;
  }
}

TEST(Service, AWrongTokenLetsNobodyIn) {
  // Given a client and an agent with a wrong token, when they connect, then both are told unauthorized and get nothing else.
  World w;
  w.connect("0123456789abcdef0123456789abcdef");
  w.agent = std::make_unique<ScriptedAgent>(w.loop, w.service->port(), "wrong",
                                            ScriptedAgent::Script{.measure = always_good()});
  ASSERT_TRUE(w.run_until([&] { return w.failed.has_value() && !w.agent->refused.empty(); }));
  EXPECT_EQ(w.failed->code, ErrorCode::kUnauthorized);
  EXPECT_FALSE(w.ready);
}

// What is logged while it lives.
class Log {
 public:
  Log() { spdlog::default_logger()->sinks().push_back(sink_); }
  ~Log() { std::erase(spdlog::default_logger()->sinks(), sink_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::sinks::sink> sink_ = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
};

// Opens a session socket with a hello, and waits until it is refused.
class Intruder : public net::Handler {
 public:
  Intruder(std::shared_ptr<net::Channel> channel, const protocol::SessionHello& hello, std::string& refused)
      : refused_(refused) {
    channel->send(protocol::encode(hello));
  }
  void on_frame(const net::FrameView&, size_t) override {}
  void on_closed(const net::Closed& closed) override { refused_ = closed.reason; }

 private:
  std::string& refused_;
};

TEST(Service, ASessionThatComesAfterItsJobIsClosedWithoutAWarning) {
  // Given a job that ended while its agent still dialled, when the session's socket says hello, then it is closed and nobody is alarmed; one that
  // comes with a wrong token under a lease that lives is a warning.
  World w;
  std::string lease_id, device_id, refused;
  net::Client client(w.loop);
  auto intrude = [&](const std::string& lease, const std::string& device) {
    refused.clear();
    Log log;
    client.connect(
        {.port = w.service->port(), .path = "/ws/session"},
        [&](auto channel) {
          return std::make_unique<Intruder>(
              std::move(channel),
              protocol::SessionHello{.id = 1, .session_token = "token", .device_id = device, .lease_id = lease},
              refused);
        },
        [&](Error error) { refused = error.message; });
    EXPECT_TRUE(w.run_until([&] { return !refused.empty(); }));
    return log.text();
  };
  EXPECT_EQ(intrude("lease-of-yesterday", "dev-1"), "");
  EXPECT_NE(refused.find("the lease of this session has ended"), std::string::npos) << refused;
  w.add_agent({.measure = [](const protocol::Candidate&) { return std::nullopt; }});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.agent->measured > 0; }));
  w.client->send(protocol::ListDevices{.id = w.client->next_id()});
  ASSERT_TRUE(w.run_until([&] { return !w.devices.empty(); }));
  EXPECT_NE(intrude(w.devices[0].lease->lease_id, w.devices[0].device_id).find("a session socket is refused"),
            std::string::npos);
}

TEST(Service, ASecondServiceOnTheDatabaseOfARunningOneIsRefused) {
  // Given a service with a running job, when another one starts on the same database, by the same path or through a link, then it is refused with
  // who has it, and the job ends well under its lease; when the first has ended, the other starts.
  World w;
  std::filesystem::create_symlink(w.folder + "/hone.db", w.folder + "/link.db");
  bool tried = false;
  const auto second = [&](const std::string& name) {
    return Service::start(w.loop, {.db = w.folder + name, .agent_files = w.folder + "/page"});
  };
  w.add_agent({.measure = [&](const protocol::Candidate&) -> std::optional<protocol::CandidateResult> {
    if (!std::exchange(tried, true))
      for (const char* name : {"/hone.db", "/link.db"}) {
        const auto refused = second(name);
        EXPECT_FALSE(refused.ok());
        if (refused.ok()) continue;
        EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
        EXPECT_NE(refused.error().message.find(cat("process ", getpid(), ", port ", w.service->port())),
                  std::string::npos)
            << refused.error().message;
      }
    return ScriptedAgent::good_result();
  }});
  w.submit(6);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 6);
  EXPECT_TRUE(tried);
  w.stop();
  EXPECT_TRUE(second("/link.db").ok());
}

TEST(Service, DevicesThatTakeMoreThanAFrameAreListedPageByPage) {
  // Given agents whose hellos are almost as large as permitted, when a client lists devices page by page, then no page is larger than its limit,
  // and each device comes once; the pages of a client that does not ask on are no more than the first.
  World w;
  constexpr size_t kAgents = 60;
  for (size_t i = 0; i < kAgents; ++i) {
    protocol::DeviceOffer fat = ScriptedAgent::some_device();
    for (int feature = 0; feature < 250; ++feature)
      fat.fingerprint.features.push_back(cat(feature, std::string(120, 'f')));
    for (int limit = 0; limit < 250; ++limit)
      fat.fingerprint.limits[cat("limit ", limit, std::string(80, 'l'))] = 1e300;
    w.add_another_agent({.devices = {fat}});
  }
  w.connect(w.url.token);
  ASSERT_TRUE(w.run_until([&] { return w.ready; }));
  std::set<std::string> ids;
  size_t pages = 0;
  const auto list = [&] {
    ids.clear();
    pages = 0;
    for (std::string after; pages == 0 || !w.devices.empty(); ++pages) {
      w.devices.clear();
      w.pages = 0;
      w.client->send(protocol::ListDevices{.id = w.client->next_id(), .after = after});
      if (!w.run_until([&] { return w.pages > 0; })) return;
      for (const auto& device : w.devices) {
        EXPECT_GT(device.device_id, after);
        after = device.device_id;
        ids.insert(after);
      }
    }
  };
  while (ids.size() < kAgents && !w.failed) list();
  EXPECT_EQ(ids.size(), kAgents);
  EXPECT_GT(pages, 4u) << "60 devices of some 55 KiB on pages of 256 KiB and three devices more";
  EXPECT_FALSE(w.failed.has_value());
}

TEST(Service, ABusyPortIsNamed) {
  // Given a port in use, when a second service wants it, then it fails with address_in_use.
  World w;
  auto second = Service::start(
      w.loop, {.listening = {.port = w.service->port()}, .db = w.folder + "/other.db", .agent_files = w.folder + "/page"});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kAddressInUse);
}

}  // namespace
}  // namespace hone::cli
