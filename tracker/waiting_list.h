// WaitingList: requests for a lease that no free device could serve yet. Pure.
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "tracker/client.h"
#include "tracker/limits.h"
#include "tracker/selector.h"

namespace hone::tracker {

struct Waiting {
  Client::RequestId id = 0;   // grows, so it is the order of arrival too
  LeaseRequest request;
  Selector selector;
  std::chrono::milliseconds since{0}, until{0};  // of the steady clock
};

class WaitingList {
 public:
  WaitingList(const Clock& steady, Limits limits) : steady_(steady), limits_(limits) {}

  // `id` is new and greater than every earlier one. kInvalidArgument for a bad selector or count, kLimitExceeded when too many wait.
  Status add(Client::RequestId id, LeaseRequest request);
  const Waiting* find(Client::RequestId id) const;  // null: it does not wait
  std::optional<Waiting> take(Client::RequestId id);
  std::vector<Client::RequestId> expired() const;
  // Who is served first: priority, which grows while waiting; then who has the fewest leases; then who came first.
  template <class LeasesOf>
  std::vector<const Waiting*> in_order(LeasesOf leases_of) const;
  // Whether `wants(waiting, its priority of now)` says so of any.
  template <class Wants>
  bool any(Wants wants) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const auto& entry) { return wants(entry.second, effective_priority(entry.second)); });
  }
  size_t size() const { return waiting_.size(); }
  size_t reservations() const { return reservations_; }  // that want several devices
  // Has waited so long that what is free is kept for it.
  bool is_aged(const Waiting& one) const { return steady_.now() - one.since >= limits_.priority_age; }
  std::chrono::milliseconds longest_wait() const {
    return waiting_.empty() ? std::chrono::milliseconds(0) : steady_.now() - waiting_.begin()->second.since;
  }

 private:
  int64_t effective_priority(const Waiting& one) const { return one.request.priority + (steady_.now() - one.since) / limits_.priority_age; }

  const Clock& steady_;
  const Limits limits_;
  std::map<Client::RequestId, Waiting> waiting_;
  size_t reservations_ = 0;
};

template <class LeasesOf>
std::vector<const Waiting*> WaitingList::in_order(LeasesOf leases_of) const {
  struct Rank {
    int64_t priority;
    size_t leases;
    const Waiting* one;
  };
  std::vector<Rank> ranks;
  for (const auto& [id, one] : waiting_) ranks.push_back({effective_priority(one), leases_of(one.request.user), &one});
  std::sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    return a.leases != b.leases ? a.leases < b.leases : a.one->id < b.one->id;
  });
  std::vector<const Waiting*> order;
  for (const Rank& rank : ranks) order.push_back(rank.one);
  return order;
}

}  // namespace hone::tracker
