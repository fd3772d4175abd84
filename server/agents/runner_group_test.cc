#include "server/agents/runner_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "server/agents/fake_reactor.h"
#include "server/agents/limits.h"
#include "server/agents/scripted_link.h"

namespace hone::server {
namespace {

// A device of the group, whose agent is ready for each task at once and measures when it is told to.
struct Device {
  explicit Device(RunnerGroup& group) : user(group.add({.fingerprint = {.browser = "b"}})) {}
  // As a socket does that closes: the runner must not speak to a link that is gone.
  ~Device() { go(); }
  Device(const Device&) = delete;
  void come(uint64_t under_fence) { user->attach(link, fence = under_fence); }
  void go() { user->detach(); }
  // Says that it is ready for the tasks that it was asked to prepare.
  void prepare() {
    while (prepared < link.prepares.size())
      user->receive(protocol::TaskReady{.reply_to = link.prepares[prepared++].id}, nullptr);
  }
  std::vector<uint64_t> got() const {
    std::vector<uint64_t> trials;
    for (const auto& measure : link.measures)
      for (const auto& candidate : measure.candidates) trials.push_back(candidate.trial);
    return trials;
  }
  // Measures the oldest that it was sent and has not answered.
  bool measure_one(double device_ms) {
    if (answered >= got().size()) return false;
    user->receive(protocol::CandidateResult{.trial = got()[answered++],
                                            .fence = fence,
                                            .samples_us = {1},
                                            .latency_us_median = 1,
                                            .device_ms = device_ms}, nullptr);
    return true;
  }
  std::shared_ptr<SessionUser> user;
  ScriptedLink link;
  uint64_t fence = 0;
  size_t prepared = 0, answered = 0;
};

struct World {
  World() {
    task.id = {3, 4};
    task.name = "a task";
    reactor.turn();
  }
  ~World() {
    group->close();
    reactor.turn();
  }
  void submit(uint64_t trial, bool in_turns = false) {
    tuner::MeasureInput in;
    in.trial_id = trial;
    in.task = &task;
    in.in_turns = in_turns;
    in.source.launches.push_back({.code = "code"});
    in.source.hash = {0, trial};
    group->submit(std::move(in), [this](tuner::MeasureResult r) { results.push_back(std::move(r)); });
    reactor.turn();
  }
  // The task's reference is made on a worker; the device is ready for it then.
  void make_ready(Device& device) {
    reactor.turn_until([&] { return device.prepared < device.link.prepares.size(); });
    device.prepare();
    reactor.turn();
  }
  int outcomes(ErrorCode code) const {
    return static_cast<int>(
        std::count_if(results.begin(), results.end(), [&](const auto& r) { return r.outcome == code; }));
  }

  FakeReactor reactor;
  WorkerPool workers{{.threads = 1}};
  BlobStore blobs;
  ExpectedOutputs expected{{"", [](const te::Task&, const auto&) { return emit::Reference{1e-5, {{}}, {{{1.0f}}}}; }}, workers, blobs};
  std::shared_ptr<RunnerGroup> group = RunnerGroup::make({"key", 30000, nullptr}, reactor, expected, workers);
  te::Task task;
  std::vector<tuner::MeasureResult> results;
};

TEST(RunnerGroup, SharesCandidatesByRoom) {
  // Given two devices, one of which takes 500 ms for a candidate and the other 50 ms, when as many candidates as there is room for are kept
  // submitted, then both work, the faster one does about ten times as much per time, and no candidate is measured twice.
  World w;
  Device slow(*w.group), fast(*w.group);
  slow.come(5), fast.come(5);
  EXPECT_EQ(w.group->capacity(), static_cast<int>(2 * kCreditsFirst));
  uint64_t trial = 0;
  const auto fill = [&] {
    while (trial - w.results.size() < static_cast<size_t>(w.group->capacity())) w.submit(++trial);
  };
  fill();
  w.make_ready(slow), w.make_ready(fast);
  EXPECT_EQ(slow.got().size(), kCreditsFirst);
  EXPECT_EQ(fast.got().size(), kCreditsFirst);
  for (int ms = 50; ms <= 20000; ms += 50) {
    fast.measure_one(50);
    if (ms % 500 == 0) slow.measure_one(500);
    w.reactor.turn();
    fill();
  }
  EXPECT_EQ(w.group->capacity(), static_cast<int>(kCreditsMin + kCreditsMax));
  EXPECT_EQ(slow.answered, 40u);
  EXPECT_EQ(fast.answered, 400u);  // it never waited
  EXPECT_EQ(w.results.size(), 440u);
  std::set<uint64_t> distinct;
  for (const auto& result : w.results) distinct.insert(result.trial_id);
  EXPECT_EQ(distinct.size(), 440u);
  EXPECT_EQ(w.group->devices_used(), 2);
  EXPECT_NE(w.results[0].fingerprint_json.find("\"b\""), std::string::npos);
}

TEST(RunnerGroup, WhatADeviceThatLeavesWasNotSentGoesToTheOthers) {
  // Given two devices, of which the second has not prepared the task yet, when it leaves, then nothing was lost: its candidates are sent to the
  // first. When a device leaves that was sent some, then those alone are answered agent_gone.
  World w;
  Device first(*w.group), second(*w.group);
  first.come(1), second.come(1);
  for (uint64_t trial = 1; trial <= 4; ++trial) w.submit(trial);
  w.make_ready(first);
  EXPECT_EQ(first.got().size(), 2u);
  second.go();
  w.reactor.turn();
  EXPECT_EQ(first.got().size(), 4u);
  EXPECT_TRUE(w.results.empty());
  second.come(2);
  for (uint64_t trial = 5; trial <= 7; ++trial) w.submit(trial);
  w.make_ready(second);
  EXPECT_EQ(second.got().size(), 3u);
  first.go();
  EXPECT_EQ(w.outcomes(ErrorCode::kAgentGone), 4);
  EXPECT_EQ(w.group->capacity(), static_cast<int>(kCreditsFirst));
}

TEST(RunnerGroup, FinalistsOfATaskRunOnOneDevice) {
  // Given two devices, when the finalists of a task come in two rounds, then all run on one device, however much room the other has; when that
  // device leaves, then the next finalists run on the other.
  World w;
  Device first(*w.group), second(*w.group);
  first.come(1), second.come(1);
  for (uint64_t trial = 1; trial <= 3; ++trial) w.submit(trial, true);
  w.make_ready(first);
  w.submit(4, true);
  EXPECT_EQ(first.got(), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(second.got().empty());
  first.go();
  w.submit(5, true);
  w.make_ready(second);
  EXPECT_EQ(second.got(), std::vector<uint64_t>{5});
}

TEST(RunnerGroup, ADeviceThatComesLaterJoins) {
  // Given one device that is away with three candidates waiting for it, when another one comes, then it gets them.
  World w;
  Device first(*w.group);
  for (uint64_t trial = 1; trial <= 3; ++trial) w.submit(trial);
  Device second(*w.group);
  second.come(1);
  w.make_ready(second);
  EXPECT_EQ(second.got().size(), 3u);
  EXPECT_TRUE(w.results.empty());
}

TEST(RunnerGroup, GivesUpWithItsLastDeviceAndNotBefore) {
  // Given two devices that are away, with candidates waiting, when one is given up, then they wait for the other; when that is given up, too,
  // then they are answered agent_gone.
  World w;
  Device first(*w.group), second(*w.group);
  for (uint64_t trial = 1; trial <= 4; ++trial) w.submit(trial);
  first.user->give_up("the first is gone");
  EXPECT_TRUE(w.results.empty());
  second.user->give_up("the second is gone");
  EXPECT_EQ(w.outcomes(ErrorCode::kAgentGone), 4);
}

TEST(RunnerGroup, CancelAnswersEverything) {
  // Given candidates out on two devices, when the group is cancelled, then each is answered cancelled, and so is what follows.
  World w;
  Device first(*w.group), second(*w.group);
  first.come(1), second.come(1);
  for (uint64_t trial = 1; trial <= 4; ++trial) w.submit(trial);
  w.make_ready(first);
  w.group->cancel();
  w.reactor.turn();
  w.submit(5);
  EXPECT_EQ(w.outcomes(ErrorCode::kCancelled), 5);
}

}  // namespace
}  // namespace hone::server
