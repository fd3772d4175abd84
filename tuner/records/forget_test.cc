#include <gtest/gtest.h>

#include <tuple>

#include "base/cat.h"

#include "tuner/records/either_store.h"

namespace hone::tuner {
namespace {

class ForgetTest : public EitherStore {
 protected:
  // A trial of each of two agents, and one that both measured, the first long ago.
  std::unique_ptr<RecordStore> filled() {
    auto store = open();
    for (const auto& [source, attempt, agent] :
         {std::tuple(1, 0, "agent-a"), {2, 0, "agent-b"}, {3, 0, "agent-a"}, {3, 1, "agent-b"}}) {
      Record r = record(static_cast<uint64_t>(source), 10, attempt);
      r.agent = agent;
      r.device = cat("device of ", agent);
      r.lease_id = cat("lease-", source);
      r.recorded_unix_ms = attempt == 0 && source == 3 ? 1000 : 2000;
      store->insert(r);
    }
    EXPECT_TRUE(store->flush().ok());
    return store;
  }
  static std::pair<int64_t, int64_t> counted(const Result<ForgetReport>& report) {
    EXPECT_TRUE(report.ok());
    return {report->attempts, report->trials};
  }
  static size_t left(RecordStore& store) { return store.known_trials(kTask, kDevice)->size(); }
  using Counts = std::pair<int64_t, int64_t>;
};

INSTANTIATE_BOTH(ForgetTest);

TEST_P(ForgetTest, RemovesWhatFitsEachCondition) {
  // Given attempts of two agents at different times, when those are forgotten that fit one or several conditions, then they are gone, and with
  // them the trials that have no other attempt.
  EXPECT_EQ(filled()->agents().value(), (std::vector<std::string>{"agent-a", "agent-b"}));
  empty();
  EXPECT_EQ(filled()->measured_devices().value(), (std::vector<std::string>{"device of agent-a", "device of agent-b"}));
  for (const auto& [request, expected] : {std::pair<ForgetRequest, Counts>{{.agent = "agent-a"}, {2, 1}},
                                          {{.agent = "agent-a", .before_unix_ms = 1500}, {1, 0}},
                                          {{.task_id = kTask}, {4, 3}},
                                          {{.task_id = Hash{9, 9}}, {0, 0}},
                                          {{.device_key = kDevice, .agent = "agent-b"}, {2, 1}},
                                          {{.device_key = "device-b"}, {0, 0}},
                                          {{.device = "device of agent-a"}, {2, 1}},
                                          {{.device = "device of agent-c"}, {0, 0}},
                                          {{.lease_id = "lease-3"}, {2, 1}},
                                          {{.agent = "agent-b", .lease_id = "lease-3"}, {1, 0}},
                                          {{.before_unix_ms = 2001}, {4, 3}}}) {
    empty();
    auto store = filled();
    ForgetRequest only_count = request;
    only_count.only_count = true;
    EXPECT_EQ(counted(store->forget(only_count)), expected);
    EXPECT_EQ(left(*store), 3u) << "only counted";
    EXPECT_EQ(counted(store->forget(request)), expected);
    EXPECT_EQ(left(*store), 3u - static_cast<size_t>(expected.second));
    EXPECT_EQ(counted(store->forget(request)), Counts(0, 0)) << "nothing is left of it";
  }
}

TEST_P(ForgetTest, WorksBesideAnotherUserOfTheDatabase) {
  // Given a store that another process has open and writes to, when attempts are forgotten through a second one, then both go on.
  auto service = filled(), person = open();
  EXPECT_EQ(counted(person->forget({.agent = "agent-a"})), Counts(2, 1));
  service->insert(record(4, 10));
  EXPECT_TRUE(service->flush().ok());
  EXPECT_EQ(left(*person), 3u);
}

}  // namespace
}  // namespace hone::tuner
