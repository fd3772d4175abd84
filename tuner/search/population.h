// Population: what a strategy has tried of a space, fastest first, and where new candidates come from: samples, mutations, crossings.
// Deterministic: the same seed and the same calls, the same candidates. One thread; the task outlives it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/rng.h"
#include "tuner/search/creation_cost.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

namespace hone::tuner {

// A schedule that is legal and that nobody tried yet.
struct Child {
  Assignment assignment;
  schedule::Trace trace;
  Hash identity;
  std::unique_ptr<schedule::Schedule> result;  // what the trace makes of the task; null once it was used up
  int64_t operations = 0;                      // straight-line ones
};

class Population {
 public:
  struct Member {
    Assignment assignment;
    Hash identity;
    double latency_us = 0;  // 0: failed
    size_t algorithm = 0;    // as Space::algorithm
    int64_t operations = 0;  // straight-line ones; 0: not known
  };

  // `cost` is what all searches on one device know together.
  Population(Space space, uint64_t seed, std::shared_ptr<CreationCost> cost);

  const Space& space() const { return space_; }
  Rng& rng() { return rng_; }
  const std::vector<Member>& members() const { return members_; }    // in order of observation
  const std::vector<size_t>& fastest() const { return fastest_; }    // places of members with a time, fastest first
  const Member& best() const { return members_[fastest_.front()]; }  // where there is one
  const std::map<std::string, int>& dropped() const { return dropped_; }

  Assignment sample() { return space_.sample(rng_); }
  // The most promising of eight samples, as the seeds are ordered: a uniform sample is mostly schedules that any device runs slowly.
  Assignment stranger();
  // One of the `front` fastest, the fastest most often; one time in four of those of one algorithm, which may be slow only because it is not
  // well scheduled yet. There is one.
  const Member& parent(size_t front);
  Assignment mutate(const Assignment& from) { return space_.mutate(from, rng_); }
  // Each group's decisions about one subject from one of the two.
  Assignment cross(const Assignment& a, const Assignment& b);

  // nullopt: illegal, tried before, or (unless `at_any_cost`) dear to create: what takes k times the usual time passes one time in k.
  std::optional<Child> raise(Assignment assignment, bool at_any_cost = false);
  // Up to n proposals of what `next` makes, each marked as tried; fewer when the space is exhausted.
  std::vector<Proposal> draw(int n, const std::function<Assignment()>& next, bool at_any_cost = false);
  // Marks it as tried.
  void take(const Child& child);
  int taken(size_t algorithm) const { return taken_[algorithm]; }  // candidates that schedule it
  // The place of the new member; nullopt when the trace is not of this space: it counts as tried, but has no neighbours here.
  std::optional<size_t> observe(const Observation& observation);

 private:
  const Member& drawn(const std::vector<size_t>& places, size_t front);
  int64_t operations_of(const Hash& id, const Assignment& assignment) const;

  Space space_;
  Rng rng_;
  std::shared_ptr<CreationCost> cost_;
  std::vector<Member> members_;
  std::vector<size_t> fastest_;
  std::vector<int> taken_;  // by algorithm
  std::unordered_set<Hash, HashHasher> tried_;
  std::unordered_set<Hash, HashHasher> tried_assignments_;  // so that most of what was tried needs no trace to be known
  std::unordered_map<Hash, int64_t, HashHasher> operations_of_;  // of what was taken
  std::map<std::string, int> dropped_;                      // by reason
};

}  // namespace hone::tuner
