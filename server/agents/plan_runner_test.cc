#include "server/agents/plan_runner.h"

#include <gtest/gtest.h>

#include <vector>

#include "server/agents/fake_reactor.h"
#include "server/agents/limits.h"

namespace hone::server {
namespace {

class FakeAgent : public AgentLink {
 public:
  const tracker::Lease& lease() const override { return under; }
  const tracker::Lease under{.lease_id = "lease-1"};
  void send(const protocol::SessionFromServer& message, std::string_view) override {
    if (auto* execute = std::get_if<protocol::Execute>(&message)) asked.push_back(*execute);
    if (std::get_if<protocol::Release>(&message)) released++;
  }
  bool same_host() const override { return true; }
  std::vector<protocol::Execute> asked;
  int released = 0;
};

struct World {
  void execute() {
    protocol::Execute plan{.outputs = {{.buffer = 0, .bytes = 4}}, .repeats = 2};
    runner->execute(plan, [this](Result<PlanRunner::Answer> answer) { answers.push_back(std::move(answer)); });
    reactor.turn();
  }
  void reply(protocol::Executed executed, std::string_view payload) {
    executed.reply_to = agent.asked.back().id;
    runner->receive(executed, shared_bytes(std::string(payload)));
  }
  ErrorCode failure() const { return answers.at(0).ok() ? ErrorCode::kOk : answers.at(0).error().code; }

  FakeReactor reactor;
  FakeAgent agent;
  std::shared_ptr<PlanRunner> runner = PlanRunner::make(5000, reactor);
  std::vector<Result<PlanRunner::Answer>> answers;
};

TEST(PlanRunner, AnExecutionWaitsForASessionAndIsAnswered) {
  // Given no session yet, when a plan is executed, then it is sent once the session opens, and the agent's answer comes back with the
  // outputs; an answer to something else does not.
  World w;
  w.execute();
  EXPECT_TRUE(w.agent.asked.empty());
  w.runner->attach(w.agent, 1);
  ASSERT_EQ(w.agent.asked.size(), 1u);
  w.runner->receive(protocol::Executed{.reply_to = 99}, shared_bytes("abcd"));
  EXPECT_TRUE(w.answers.empty());
  w.reply({.create_ms = 1, .run_ms = {2, 3}, .kernel_ms = {1, 2}}, "abcd");
  ASSERT_EQ(w.answers.size(), 1u);
  ASSERT_TRUE(w.answers[0].ok());
  EXPECT_EQ(*w.answers[0]->outputs, "abcd");
  EXPECT_EQ(w.answers[0]->frame.run_ms.size(), 2u);
}

TEST(PlanRunner, ASessionThatEndsIsTriedOnceMore) {
  // Given a plan under way, when the session ends, then the next session gets it again; when that ends too, it is answered agent_gone.
  World w;
  w.runner->attach(w.agent, 1);
  w.execute();
  w.runner->detach();
  w.runner->attach(w.agent, 2);
  ASSERT_EQ(w.agent.asked.size(), 2u);
  EXPECT_NE(w.agent.asked[0].id, w.agent.asked[1].id);
  EXPECT_TRUE(w.answers.empty());
  w.runner->detach();
  ASSERT_EQ(w.answers.size(), 1u);
  EXPECT_EQ(w.failure(), ErrorCode::kAgentGone);
}

TEST(PlanRunner, WhatTheAgentSaysIsTheAnswerUnlessItIsNonsense) {
  // Given a plan under way, when the agent says that the device was lost, then that is the answer with its sentence; outputs of a wrong
  // size, or times that are none, are a protocol error.
  World lost;
  lost.runner->attach(lost.agent, 1);
  lost.execute();
  lost.reply({.error = protocol::Failure{ErrorCode::kDeviceLost, "the GPU process ended"}}, "");
  ASSERT_EQ(lost.answers.size(), 1u);
  EXPECT_EQ(lost.failure(), ErrorCode::kDeviceLost);
  EXPECT_EQ(lost.answers[0].error().message, "the device did not run the model (device_lost): the GPU process ended");
  World none;
  none.runner->attach(none.agent, 1);
  none.execute();
  none.reply({.error = protocol::Failure{ErrorCode::kOk, "all is well"}}, "");
  EXPECT_EQ(none.failure(), ErrorCode::kProtocolError);
  for (const auto& [executed, payload] : std::vector<std::pair<protocol::Executed, std::string>>{
           {{}, "abcde"}, {{.run_ms = {-1}}, "abcd"}, {{.run_ms = {1, 2}, .kernel_ms = {1}}, "abcd"}, {{.run_ms = {1, 2, 3}}, "abcd"}, {{}, "abcd"}, {{.run_ms = {1, 1e308}}, "abcd"}}) {
    World bad;
    bad.runner->attach(bad.agent, 1);
    bad.execute();
    bad.reply(executed, payload);
    ASSERT_EQ(bad.answers.size(), 1u);
    EXPECT_EQ(bad.failure(), ErrorCode::kProtocolError);
  }
}

TEST(PlanRunner, ALostDeviceIsExchangedOnce) {
  // Given somebody who exchanges failing devices, when the device is lost while the model runs, then it is told, and the plan runs again in the next session, on the device that was leased then; when that one is lost, too, then that is the
  // answer.
  World w;
  int failing = 0;
  w.runner->on_failing([&] {
    ++failing;
    w.runner->detach();
  });
  w.runner->attach(w.agent, 1);
  w.execute();
  w.reply({.error = protocol::Failure{ErrorCode::kDeviceLost, "the GPU process ended"}}, "");
  EXPECT_EQ(failing, 1);
  EXPECT_TRUE(w.answers.empty());
  w.runner->leased({.device_id = "dev-2"});
  w.runner->attach(w.agent, 2);
  ASSERT_EQ(w.agent.asked.size(), 2u);
  World lost_again;
  lost_again.runner->on_failing([] {});
  lost_again.runner->attach(lost_again.agent, 1);
  lost_again.execute();
  lost_again.reply({.error = protocol::Failure{ErrorCode::kDeviceLost, "gone"}}, "");
  lost_again.runner->attach(lost_again.agent, 2);
  lost_again.reply({.error = protocol::Failure{ErrorCode::kDeviceLost, "gone"}}, "");
  EXPECT_EQ(lost_again.failure(), ErrorCode::kDeviceLost);
  w.reply({.run_ms = {2, 3}}, "abcd");
  ASSERT_EQ(w.failure(), ErrorCode::kOk);
  EXPECT_EQ(w.answers[0]->device->device_id, "dev-2");
}

TEST(PlanRunner, ADeviceThatIsAwayIsWhatAPlanWaitsFor) {
  // Given a plan under way, when the session ends, then the runner waits for the device and says when it is given up; when the next session
  // opens, then it waits for nothing.
  World w;
  w.runner->attach(w.agent, 1);
  w.execute();
  EXPECT_EQ(w.runner->waits_for().what, "");
  w.runner->detach();
  EXPECT_TRUE(w.runner->waits_for().device_is_away);
  EXPECT_EQ(w.runner->waits_for().what, "the device, which is away (open its tab again) or out of service; it is given up after 5 s");
  w.runner->attach(w.agent, 2);
  EXPECT_EQ(w.runner->waits_for().what, "");
}

TEST(PlanRunner, CancelAndADeviceThatStaysAwayEndTheWait) {
  // Given a plan that waits, when the job is cancelled, or no session comes in time, then it is answered, and so is the next one.
  World cancelled;
  cancelled.execute();
  cancelled.runner->cancel();
  cancelled.reactor.turn();
  ASSERT_EQ(cancelled.answers.size(), 1u);
  EXPECT_EQ(cancelled.failure(), ErrorCode::kCancelled);
  World alone;
  alone.execute();
  alone.reactor.advance(4999);
  EXPECT_TRUE(alone.answers.empty());
  alone.reactor.advance(2);
  ASSERT_EQ(alone.answers.size(), 1u);
  EXPECT_EQ(alone.failure(), ErrorCode::kAgentGone);
  alone.execute();
  EXPECT_EQ(alone.answers.size(), 2u);
}

TEST(PlanRunner, AnAgentThatNeverAnswersIsATimeout) {
  // Given an agent that took a plan, when it answers nothing for the plan's cap and what an agent may take, then the execution is a timeout;
  // a plan with much to fetch has that time besides.
  World w;
  w.runner->attach(w.agent, 1);
  w.execute();
  w.reactor.advance(kAnswerMaxMs - 1);
  EXPECT_TRUE(w.answers.empty());
  w.reactor.advance(2);
  ASSERT_EQ(w.answers.size(), 1u);
  EXPECT_EQ(w.failure(), ErrorCode::kTimeout);
  World slow;
  slow.runner->attach(slow.agent, 1);
  slow.runner->execute({.constants = {{.bytes = 60'000'000}}, .cap_ms = 10},
                       [&slow](Result<PlanRunner::Answer> answer) { slow.answers.push_back(std::move(answer)); });
  slow.reactor.turn();
  slow.reactor.advance(kAnswerMaxMs + 60'000);
  EXPECT_TRUE(slow.answers.empty());
  slow.reactor.advance(20);
  EXPECT_EQ(slow.answers.size(), 1u);
}

TEST(PlanRunner, CloseFreesTheAgentAndCallsNobodyBack) {
  // Given a plan under way, when the runner is closed, then the agent is released and a late answer is dropped.
  World w;
  w.runner->attach(w.agent, 1);
  w.execute();
  w.runner->close();
  w.reactor.turn();
  EXPECT_EQ(w.agent.released, 1);
  w.reply({}, "abcd");
  EXPECT_TRUE(w.answers.empty());
}

TEST(PlanRunner, WhoNeedsNoDeviceGivesItBackAtOnce) {
  // Given a plan under way, when it is cancelled, closed, not answered in time, or its agent stays away, then its lease is given back then, once.
  for (const int way : {0, 1, 2, 3}) {
    World w;
    int given_back = 0;
    w.runner->on_given_up([&] { ++given_back; });
    w.runner->attach(w.agent, 1);
    w.execute();
    EXPECT_EQ(given_back, 0);
    if (way == 0) w.runner->cancel();
    if (way == 1) w.runner->close();
    if (way == 2) w.reactor.advance(kAnswerMaxMs + 1);
    if (way == 3) w.runner->detach(), w.reactor.advance(5001);
    w.reactor.turn();
    EXPECT_EQ(given_back, 1) << way;
    w.runner->close();
    w.reactor.turn();
    EXPECT_EQ(given_back, 1) << way;
  }
}

TEST(PlanRunner, WhoAwaitsItsTurnIsNotGivenUp) {
  // Given a plan whose device went to another job, when that takes longer than an agent may stay away, then it waits and says so; when its turn
  // comes, then the agent has its usual time to open a session, and the plan is given up without one.
  World w;
  w.runner->attach(w.agent, 1);
  w.execute();
  w.runner->await_turn(true);
  w.runner->detach();
  w.reactor.advance(100'000);
  EXPECT_TRUE(w.answers.empty());
  EXPECT_NE(w.runner->waits_for().what.find("another job"), std::string::npos);
  w.runner->await_turn(false);
  w.reactor.advance(4'999);
  EXPECT_TRUE(w.answers.empty());
  w.reactor.advance(2);
  ASSERT_EQ(w.answers.size(), 1u);
  EXPECT_EQ(w.failure(), ErrorCode::kAgentGone);
}

}  // namespace
}  // namespace hone::server
