// EvolutionarySearch: the strategy with a cost model. For each round a pool of new schedules is bred from the fastest so far (mutations,
// crossings, strangers), the model orders it, the front is proposed, with one stranger in eight for what the model does not know.
// The model is fitted anew when results came; what was observed from records counts the same. Until there are enough results, strangers
// are proposed. Features are cheap: a round of eight takes some 50 ms on the caller's thread, most of it in lowering the pool.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/rng.h"
#include "tuner/cost_model/cost_model.h"
#include "tuner/search/creation_cost.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

namespace hone::tuner {

class EvolutionarySearch final : public Strategy {
 public:
  // The task outlives the strategy.
  EvolutionarySearch(const te::Task& task, target::Target target, Space space, uint64_t seed,
                     std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>());

  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override;
  std::map<std::string, int> dropped() const override { return dropped_; }

 private:
  struct Known {
    Assignment assignment;
    std::string identity;
    double latency_us = 0;  // 0: failed
  };
  struct Child {
    Assignment assignment;
    schedule::Trace trace;
    std::string identity;
    Features features{};
  };

  Assignment stranger();
  const Assignment& parent();
  Assignment breed();
  std::optional<Child> raise(Assignment assignment);
  std::vector<Child> pool(size_t size);
  void learn();
  std::optional<Features> features(const std::string& identity, const schedule::Trace& trace);

  const te::Task& task_;
  const target::Target target_;
  Space space_;
  Rng rng_;
  std::shared_ptr<CreationCost> cost_;
  CostModel model_;
  std::vector<Known> known_;              // in order of observation
  std::vector<size_t> fastest_;           // places in known_ with a time, fastest first
  std::map<std::string, Features> rows_;  // by identity
  std::set<std::string> seen_;            // proposed or observed
  std::map<std::string, int> dropped_;
  size_t learnt_ = 0;  // of known_
};

}  // namespace hone::tuner
