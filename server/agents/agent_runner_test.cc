#include "server/agents/agent_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "server/agents/fake_reactor.h"
#include "server/agents/limits.h"
#include "server/agents/scripted_link.h"

namespace hone::server {
namespace {

struct World {
  World() {
    task.id = {3, 4};
    task.name = "a task";
    reactor.turn();
  }
  ~World() {
    runner->close();
    reactor.turn();
  }
  tuner::MeasureInput input(uint64_t trial, int attempt = 0) {
    tuner::MeasureInput in;
    in.trial_id = trial;
    in.attempt = attempt;
    in.task = &task;
    in.source.launches.push_back({.code = "code"});
    in.source.hash = {0, trial};
    return in;
  }
  void submit(uint64_t trial, int attempt = 0) {
    runner->submit(input(trial, attempt), [this](tuner::MeasureResult r) { results.push_back(std::move(r)); });
    reactor.turn();
  }
  // The task's reference is made, and the agent says that it is ready.
  void make_ready() {
    reactor.turn_until([&] { return agent.prepares.size() > prepared; });
    runner->receive(protocol::TaskReady{.reply_to = agent.prepares[prepared++].id}, nullptr);
    reactor.turn();
  }
  void answer(uint64_t trial, int attempt = 0, uint64_t fence = 5, double device_ms = 10) {
    runner->receive(protocol::CandidateResult{.trial = trial,
                                              .attempt = static_cast<uint32_t>(attempt),
                                              .fence = fence,
                                              .samples_us = {3, 1, 2},
                                              .device_ms = device_ms}, nullptr);
    reactor.turn();
  }
  size_t sent() const {
    size_t count = 0;
    for (const auto& measure : agent.measures) count += measure.candidates.size();
    return count;
  }

  FakeReactor reactor;
  WorkerPool workers{{.threads = 1}};
  BlobStore blobs;
  ExpectedOutputs expected{{"", [](const te::Task&, const auto&) { return emit::Reference{1e-5, {{}}, {{{1.0f}}}}; }}, workers, blobs};
  std::shared_ptr<AgentRunner> runner = AgentRunner::make(
      {.device_key = "key", .reattach_ms = 30000, .target = "webgpu"}, reactor, expected, workers);
  ScriptedLink agent;
  te::Task task;
  size_t prepared = 0;
  std::vector<tuner::MeasureResult> results;
};

TEST(AgentRunner, PreparesATaskThenSendsItsCandidatesInOneBatch) {
  // Given two candidates submitted before the agent is there, when its session opens and it prepared the task, then both travel in one
  // frame with the lease's fence, and the expected output can be fetched by its hash.
  World w;
  w.submit(1);
  w.submit(2);
  w.runner->attach(w.agent, 5);
  EXPECT_EQ(w.agent.measures.size(), 0u);
  w.make_ready();
  ASSERT_EQ(w.agent.measures.size(), 1u);
  EXPECT_EQ(w.agent.measures[0].fence, 5u);
  EXPECT_EQ(w.agent.measures[0].candidates.size(), 2u);
  EXPECT_NE(w.blobs.find(w.agent.prepares[0].expected.outputs[0].sha256), nullptr);
}

TEST(AgentRunner, ModulesTravelInThePayload) {
  // Given two candidates of WebAssembly modules and one of text, when they are sent, then the payload holds the modules in order, each
  // launch says how many of its bytes are its own and what scratch memory it needs, and only the text stands in the frame.
  World w;
  w.runner->attach(w.agent, 5);
  const std::string first("\0asm\1", 5), second("\0asm\xff\2", 6);
  for (const auto& [trial, code] : {std::pair<uint64_t, std::string>{1, first}, {2, "text"}, {3, second}}) {
    tuner::MeasureInput in = w.input(trial);
    in.source.launches[0].code = code;
    in.source.launches[0].scratch_bytes = static_cast<int64_t>(16 * trial);
    w.runner->submit(std::move(in), [](tuner::MeasureResult) {});
  }
  w.make_ready();
  ASSERT_EQ(w.agent.measures.size(), 1u);
  EXPECT_EQ(w.agent.modules[0], first + second);
  const auto& sent = w.agent.measures[0].candidates;
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].launches[0].module_bytes, 5u);
  EXPECT_EQ(sent[0].launches[0].code, "");
  EXPECT_EQ(sent[1].launches[0].module_bytes, 0u);
  EXPECT_EQ(sent[1].launches[0].code, "text");
  EXPECT_EQ(sent[2].launches[0].module_bytes, 6u);
  EXPECT_EQ(sent[2].launches[0].scratch_bytes, 48u);
}

TEST(AgentRunner, FinalistsTravelInABatchOfTheirOwn) {
  // Given a candidate and two finalists of one task, when the device is ready, then the finalists are one batch, measured in turns.
  World w;
  w.submit(1);
  for (uint64_t trial : {2, 3}) {
    tuner::MeasureInput finalist = w.input(trial);
    finalist.in_turns = true;
    w.runner->submit(std::move(finalist), [](tuner::MeasureResult) {});
  }
  w.runner->attach(w.agent, 5);
  w.make_ready();
  ASSERT_EQ(w.agent.measures.size(), 2u);
  EXPECT_FALSE(w.agent.measures[0].policy.in_turns);
  EXPECT_EQ(w.agent.measures[0].candidates.size(), 1u);
  EXPECT_TRUE(w.agent.measures[1].policy.in_turns);
  EXPECT_EQ(w.agent.measures[1].candidates.size(), 2u);
}

TEST(AgentRunner, AnAgentThatAnswersNothingIsGivenUp) {
  // Given an agent that took candidates, when it answers one of them and then nothing for the time that agents have, whatever it sends
  // besides, then the others are agent_gone, all that follows is, and its lease is of no use any more.
  World w;
  int given_up = 0;
  w.runner->on_given_up([&] { ++given_up; });
  w.runner->attach(w.agent, 5);
  for (uint64_t trial = 1; trial <= 3; ++trial) w.submit(trial);
  w.make_ready();
  w.reactor.advance(kAnswerMaxMs - 1);
  w.answer(1);
  w.reactor.advance(kAnswerMaxMs - 1);
  w.answer(2, 0, 4);  // under another fence: no answer
  w.runner->receive(protocol::Timing{.active = true}, nullptr);
  w.runner->receive(protocol::Timing{.active = false}, nullptr);
  EXPECT_EQ(w.results.size(), 1u);
  w.reactor.advance(2);
  ASSERT_EQ(w.results.size(), 3u);
  EXPECT_EQ(w.results[2].outcome, ErrorCode::kAgentGone);
  EXPECT_EQ(given_up, 1);
  w.submit(4);
  EXPECT_EQ(w.results.back().outcome, ErrorCode::kAgentGone);
}

TEST(AgentRunner, AFailureOfTheCodeOkIsNone) {
  // Given an agent that refuses a task with the code ok, when its candidate is answered, then that is no measurement.
  World w;
  w.submit(1);
  w.runner->attach(w.agent, 5);
  w.reactor.turn_until([&] { return !w.agent.prepares.empty(); });
  w.runner->receive(protocol::TaskReady{.reply_to = w.agent.prepares[0].id, .error = protocol::Failure{ErrorCode::kOk, ""}}, nullptr);
  ASSERT_EQ(w.results.size(), 1u);
  EXPECT_EQ(w.results[0].outcome, ErrorCode::kProtocolError);
}

TEST(AgentRunner, AnAgentThatNeverPreparesIsGivenUpAlsoOverNewSessions) {
  // Given an agent that is sent a task and never prepares it, when it opens one session after the other, then its time is not begun anew.
  World w;
  w.submit(1);
  w.runner->attach(w.agent, 5);
  for (int session = 0; session < 9; ++session) {
    w.reactor.turn_until([&] { return w.agent.prepares.size() > static_cast<size_t>(session); });
    w.reactor.advance(kAnswerMaxMs / 10);
    w.runner->detach();
    w.runner->attach(w.agent, 5);
  }
  EXPECT_TRUE(w.results.empty());
  w.reactor.advance(kAnswerMaxMs / 5);
  ASSERT_EQ(w.results.size(), 1u);
  EXPECT_EQ(w.results[0].outcome, ErrorCode::kAgentGone);
}

TEST(AgentRunner, AnIdleAgentOwesNothing) {
  // Given an agent that has answered all it was sent, when it is idle for long and then gets work, then its time begins with that.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.make_ready();
  w.answer(1);
  w.reactor.advance(2 * kAnswerMaxMs);
  w.submit(2);
  w.reactor.advance(kAnswerMaxMs - 1);
  EXPECT_EQ(w.results.size(), 1u);
  w.answer(2);
  EXPECT_EQ(w.results[1].outcome, ErrorCode::kOk);
}

TEST(AgentRunner, KeepsToItsCredits) {
  // Given more candidates than credits, when nothing came back, then only as many as the credits are out; each result at the pace that
  // these credits are meant for lets one more go.
  World w;
  w.runner->attach(w.agent, 5);
  for (uint64_t trial = 1; trial <= kCreditsFirst + 2; ++trial) w.submit(trial);
  w.make_ready();
  EXPECT_EQ(w.sent(), kCreditsFirst);
  w.answer(1, 0, 5, 125);
  EXPECT_EQ(w.runner->capacity(), static_cast<int>(kCreditsFirst));
  EXPECT_EQ(w.sent(), kCreditsFirst + 1);
}

TEST(AgentRunner, HasAboutASecondOfWorkOut) {
  // Given many candidates, when the agent takes 5 s for one, then the fewest that a device has are out at a time; when it takes 125 ms from then on, then eight are;
  // when it takes 1 ms, then as many as there are credits, however fast it is.
  World w;
  w.runner->attach(w.agent, 5);
  for (uint64_t trial = 1; trial <= 100; ++trial) w.submit(trial);
  w.make_ready();
  uint64_t trial = 0;
  const auto out_at_the_pace_of = [&](double device_ms) {
    for (int i = 0; i < 30; ++i) w.answer(++trial, 0, 5, device_ms);
    return w.sent() - trial;
  };
  w.answer(++trial, 0, 5, 5000);
  EXPECT_EQ(w.runner->capacity(), static_cast<int>(kCreditsMin));
  EXPECT_EQ(w.sent(), kCreditsFirst);  // what is out is not taken back, and nothing is added
  for (int i = 0; i < 6; ++i) w.answer(++trial, 0, 5, 5000);
  EXPECT_EQ(w.sent() - trial, kCreditsMin);
  EXPECT_EQ(out_at_the_pace_of(125), 8u);
  EXPECT_EQ(out_at_the_pace_of(1), kCreditsMax);
}

TEST(AgentRunner, FinalistsWaitUntilAllOfThemFit) {
  // Given a slow device with one candidate out, when four finalists come, with which it has more than its credits, then none is sent beside the
  // candidate; when its result has come, then all four travel in one batch.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.submit(2);
  w.make_ready();
  w.answer(1, 0, 5, 5000);
  for (uint64_t trial : {3, 4, 5, 6}) {
    tuner::MeasureInput finalist = w.input(trial);
    finalist.in_turns = true;
    w.runner->submit(std::move(finalist), [](tuner::MeasureResult) {});
  }
  w.reactor.turn();
  EXPECT_EQ(w.sent(), 2u);
  w.answer(2, 0, 5, 5000);
  EXPECT_EQ(w.agent.measures.back().candidates.size(), 4u);
}

TEST(AgentRunner, AcknowledgesAResultOnlyAfterItsCommit) {
  // Given a result, when it arrives twice before its record is committed, then it is handed on once and acknowledged after the commit;
  // when it arrives once more, then it is acknowledged and dropped.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.make_ready();
  w.answer(1);
  w.answer(1);
  ASSERT_EQ(w.results.size(), 1u);
  EXPECT_EQ(w.results[0].latency_us_median, 2);
  EXPECT_EQ(w.agent.acks.size(), 0u);
  w.runner->committed(w.task.id, {0, 1}, 0);
  w.reactor.turn();
  ASSERT_EQ(w.agent.acks.size(), 1u);
  EXPECT_EQ(w.agent.acks[0].trial, 1u);
  w.answer(1);
  EXPECT_EQ(w.results.size(), 1u);
  EXPECT_EQ(w.agent.acks.size(), 2u);
}

TEST(AgentRunner, RefusesAResultOfAnEarlierLease) {
  // Given a lease with fence 5, when a result with fence 4 arrives, then it is acknowledged and never handed on; control: fence 5 is.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.make_ready();
  w.answer(1, 0, 4);
  EXPECT_EQ(w.results.size(), 0u);
  EXPECT_EQ(w.agent.acks.size(), 1u);
  w.answer(1, 0, 5);
  EXPECT_EQ(w.results.size(), 1u);
}

TEST(AgentRunner, AnswersWhatWasOutWhenTheAgentGoesAndSendsTheRestToTheNext) {
  // Given credits' worth of candidates out and one in the queue, when the session ends, then those out are answered agent_gone; when the
  // agent is back under a new fence, then it prepares the task again and gets the one that waited.
  World w;
  w.runner->attach(w.agent, 5);
  for (uint64_t trial = 1; trial <= kCreditsFirst + 1; ++trial) w.submit(trial);
  w.make_ready();
  w.runner->detach();
  ASSERT_EQ(w.results.size(), kCreditsFirst);
  for (const auto& result : w.results) EXPECT_EQ(result.outcome, ErrorCode::kAgentGone);
  w.runner->attach(w.agent, 6);
  w.make_ready();
  EXPECT_EQ(w.agent.measures.back().fence, 6u);
  ASSERT_EQ(w.agent.measures.back().candidates.size(), 1u);
  EXPECT_EQ(w.agent.measures.back().candidates[0].trial, kCreditsFirst + 1);
}

TEST(AgentRunner, BlamesTheCandidateThatRanBeyondItsTimeWhenTheAgentWent) {
  // Given two candidates out for longer than a candidate's cap, when the session ends, then the first is a timeout and the second agent_gone.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.submit(2);
  w.make_ready();
  w.reactor.advance(kCandidateCapMs + 1);
  w.runner->detach();
  ASSERT_EQ(w.results.size(), 2u);
  EXPECT_EQ(w.results[0].outcome, ErrorCode::kTimeout);
  EXPECT_EQ(w.results[1].outcome, ErrorCode::kAgentGone);
}

TEST(AgentRunner, GivesUpWhenTheAgentStaysAway) {
  // Given a queued candidate and no session, when the time for coming back is over, then it and later ones are answered agent_gone.
  World w;
  w.submit(1);
  w.reactor.advance(29999);
  EXPECT_EQ(w.results.size(), 0u);
  w.reactor.advance(2);
  ASSERT_EQ(w.results.size(), 1u);
  EXPECT_EQ(w.results[0].outcome, ErrorCode::kAgentGone);
  w.submit(2);
  EXPECT_EQ(w.results.size(), 2u);
}

TEST(AgentRunner, CancelAnswersEverythingAndTellsTheAgent) {
  // Given candidates out and waiting, when the job is cancelled, then all are answered cancelled and the agent is told to skip the batch.
  World w;
  w.runner->attach(w.agent, 5);
  for (uint64_t trial = 1; trial <= kCreditsMax + 1; ++trial) w.submit(trial);
  w.make_ready();
  w.runner->cancel();
  w.reactor.turn();
  EXPECT_EQ(w.agent.cancels.size(), 1u);
  ASSERT_EQ(w.results.size(), kCreditsMax + 1);
  for (const auto& result : w.results) EXPECT_EQ(result.outcome, ErrorCode::kCancelled);
}

TEST(AgentRunner, ATaskTheAgentCannotPrepareFailsItsCandidates) {
  // Given an agent without memory for the task, when it says so, then the candidate gets that code and the agent's words.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.reactor.turn_until([&] { return !w.agent.prepares.empty(); });
  w.runner->receive(protocol::TaskReady{.reply_to = w.agent.prepares[0].id,
                                        .error = protocol::Failure{ErrorCode::kOutOfMemory, "no room"}}, nullptr);
  ASSERT_EQ(w.results.size(), 1u);
  EXPECT_EQ(w.results[0].outcome, ErrorCode::kOutOfMemory);
  EXPECT_EQ(w.results[0].message, "no room");
}

TEST(AgentRunner, ATimeThatIsNoTimeIsNoResult) {
  // Given an agent that says ok without samples, with a negative one, with one that no device reaches, or with more than were asked for, when the
  // result arrives, then its outcome is protocol_error and says what was found; what is like a time is a result.
  World w;
  w.runner->leased({.agent_id = "agent-1"});
  w.runner->attach(w.agent, 5);
  const std::vector<std::pair<std::vector<double>, std::string>> said{
      {{}, "the agent sent an ok without samples"},
      {{-1}, "the agent sent a sample of -1.00 µs"},
      {{0.001, 0.001}, "no webgpu kernel takes less than 0.100 µs"},
      {std::vector<double>(4096, 5), "the agent sent 4096 samples where 3 were asked for"},
      {{1e300}, "the agent sent a sample of "},
      {{5, 5, 5}, ""}};
  for (size_t i = 0; i < said.size(); ++i) w.submit(i + 1);
  w.make_ready();
  for (size_t i = 0; i < said.size(); ++i) {
    w.runner->receive(
        protocol::CandidateResult{.trial = i + 1, .fence = 5, .samples_us = said[i].first, .latency_us_median = 1}, nullptr);
    ASSERT_EQ(w.results.size(), i + 1);
    const tuner::MeasureResult& result = w.results.back();
    EXPECT_NE(result.message.find(said[i].second), std::string::npos) << result.message;
    EXPECT_EQ(result.outcome, said[i].second.empty() ? ErrorCode::kOk : ErrorCode::kProtocolError) << i;
    EXPECT_EQ(result.latency_us_median, said[i].second.empty() ? 5 : 0);
    EXPECT_EQ(result.agent, "agent-1");
  }
}

TEST(AgentRunner, ACreationThatNobodyWaitedForIsNoResult) {
  // Given an agent that says that a kernel took it 1e300 ms to create, when the result arrives, then its outcome is protocol_error: searches learn from such
  // times. A negative one is none.
  World w;
  w.runner->attach(w.agent, 5);
  for (const uint64_t trial : {1, 2}) w.submit(trial);
  w.make_ready();
  const auto say = [&w](uint64_t trial, double create_ms) {
    w.runner->receive(protocol::CandidateResult{.trial = trial, .fence = 5, .samples_us = {5, 5, 5}, .latency_us_median = 5, .create_ms = create_ms}, nullptr);
  };
  say(1, 1e300);
  say(2, -1);
  ASSERT_EQ(w.results.size(), 2u);
  EXPECT_EQ(w.results[0].outcome, ErrorCode::kProtocolError);
  EXPECT_NE(w.results[0].message.find("a creation of "), std::string::npos) << w.results[0].message;
  EXPECT_EQ(w.results[1].outcome, ErrorCode::kOk);
  for (const tuner::MeasureResult& result : w.results) EXPECT_EQ(result.create_ms, 0);
}

TEST(AgentRunner, WorkersPauseWhileSamplesAreTakenAndNoLonger) {
  // Given an agent on this host that takes timed samples, when its session ends in the middle, then the workers run again.
  World w;
  w.runner->attach(w.agent, 5);
  w.runner->receive(protocol::Timing{.active = true}, nullptr);
  EXPECT_TRUE(w.workers.paused());
  w.runner->detach();
  EXPECT_FALSE(w.workers.paused());
}

TEST(AgentRunner, ACancelledJobGivesItsLeaseBackOnceItsResultsAreStored) {
  // Given a candidate under way, when the job is cancelled, then its lease is given back at once; given a result whose record is not committed
  // yet, then it is when the record is, for it would be refused under a lease that has ended.
  for (const bool has_result : {false, true}) {
    World w;
    int given_back = 0;
    w.runner->on_given_up([&] { ++given_back; });
    w.runner->attach(w.agent, 5);
    w.submit(1);
    w.submit(2);
    w.make_ready();
    if (has_result) w.answer(1);
    w.runner->cancel();
    w.reactor.turn();
    EXPECT_EQ(given_back, has_result ? 0 : 1);
    if (has_result) w.runner->committed(w.task.id, w.input(1).source.hash, 0);
    w.reactor.turn();
    EXPECT_EQ(given_back, 1);
  }
}

TEST(AgentRunner, WhoAwaitsItsTurnIsNotGivenUp) {
  // Given a candidate of a job whose device went to another job, when that takes longer than an agent may stay away, then it waits, and is measured
  // when the job has its device back; without a session in the usual time it is given up then.
  World w;
  w.runner->attach(w.agent, 5);
  w.submit(1);
  w.make_ready();
  w.runner->await_turn(true);
  w.runner->detach();
  w.submit(2);
  w.reactor.advance(10 * kReattachMs);
  EXPECT_FALSE(w.runner->gone());
  EXPECT_NE(w.runner->waits_for().what.find("another job"), std::string::npos);
  w.runner->await_turn(false);
  w.reactor.advance(10 * kReattachMs);
  EXPECT_TRUE(w.runner->gone());
}

}  // namespace
}  // namespace hone::server
