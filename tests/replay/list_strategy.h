// ListStrategy: proposes a given list of schedules, from its end, and learns nothing.
#pragma once
#include <utility>
#include <vector>

#include "tuner/search/strategy.h"

namespace hone::replay {

class ListStrategy final : public tuner::Strategy {
 public:
  explicit ListStrategy(std::vector<schedule::Trace> list) : list_(std::move(list)) {}
  std::vector<tuner::Proposal> propose(int n) override {
    std::vector<tuner::Proposal> next;
    for (; n > 0 && !list_.empty(); --n) {
      next.push_back({std::move(list_.back())});
      list_.pop_back();
    }
    return next;
  }
  void observe(const tuner::Observation&) override {}

 private:
  std::vector<schedule::Trace> list_;
};

}  // namespace hone::replay
