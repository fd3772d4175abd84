// An agent whose results come twice, in another order, again later, under an earlier lease, or of what nobody asked for.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/service_world.h"
#include "tuner/search/measured_record.h"

namespace hone::cli {
namespace {

using protocol::CandidateResult;
using Results = std::vector<CandidateResult>;

double time_us_of(uint64_t trial) { return 100 + static_cast<double>(trial % 64); }

// Results that say more than is true: whoever believes one has a time that no candidate had.
CandidateResult too_good(CandidateResult result) {
  result.samples_us = {1, 1, 1};
  result.latency_us_median = 1;
  return result;
}

// From last to first, each twice, behind what must be void: all under an earlier fence, of other trials, and of later attempts; then all that ever was sent, too good.
class Disorder {
 public:
  Results operator()(Results results) {
    Results sent;
    std::reverse(results.begin(), results.end());
    for (const CandidateResult& result : results) {
      CandidateResult stale = too_good(result), foreign = stale, later = stale;
      stale.fence -= 1;
      foreign.trial += 1;
      later.attempt += 1;
      sent.insert(sent.end(), {stale, foreign, later, result, result});
    }
    for (const CandidateResult& earlier : *earlier_) sent.push_back(too_good(earlier));
    earlier_->insert(earlier_->end(), results.begin(), results.end());
    return sent;
  }

 private:
  std::shared_ptr<Results> earlier_ = std::make_shared<Results>();
};

TEST(DisorderlyAgent, EachResultCountsOnceUnderItsLeaseAndItsName) {
  // Given an agent that sends all results of a batch from last to first, each twice, with copies under an earlier fence, of trials and attempts that nobody asked for, and what it sent before once more with better times, when a job
  // has ended, then each candidate is stored once and has its own time, and the agent was told of each that it need not be sent again.
  World w;
  w.add_agent({.measure = [](const protocol::Candidate& candidate) { return ScriptedAgent::good_result(time_us_of(candidate.trial)); }, .deliver = Disorder()});
  w.submit(24);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 24);
  std::set<std::pair<Hash, int>> names;
  for (const tuner::Record& record : w.records()) {
    EXPECT_TRUE(names.emplace(record.source_hash, record.attempt).second);
    EXPECT_EQ(record.latency_us_median, time_us_of(tuner::trial_id_of(record.task_id, record.source_hash)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(w.agent->measured));
  EXPECT_TRUE(w.run_until([&] { return w.agent->acknowledged >= w.agent->measured; }));
  EXPECT_EQ(w.agent->refused, "");
}

}  // namespace
}  // namespace hone::cli
