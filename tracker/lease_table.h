// LeaseTable: the leases that live, with their deadlines and one-time session tokens. Pure.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tracker/limits.h"
#include "tracker/registry.h"

namespace hone::tracker {

struct LiveLease {
  StoredLease stored;
  std::string device_key;  // that the device had when it was granted
  Client::RequestId request = 0;
  std::chrono::milliseconds expires{0};    // of the steady clock
  std::deque<std::string> session_tokens;  // not used yet, oldest first
};

class LeaseTable {
 public:
  LeaseTable(const Clock& steady, const Clock& wall, Limits limits, MakeSecret make_secret)
      : steady_(steady), wall_(wall), limits_(limits), make_secret_(std::move(make_secret)) {}

  // The device's fence grows by one; it and the lease are written. The caller settles the device, here and in end.
  LiveLease& grant(Device& device, Client::RequestId request, const LeaseRequest& what, Outcome& out);
  void renew(const std::string& lease_id);
  // Every lease lives so much longer.
  void excuse(std::chrono::milliseconds pause);
  // Frees the device; the lease is gone from here on.
  LiveLease end(const std::string& lease_id, Device& device, const std::string& reason, Outcome& out);
  // A lease that an earlier run of the service left open.
  void close_old(StoredLease lease, const std::string& reason, Outcome& out) const;

  std::string new_session_token(LiveLease& lease);
  // Each token opens once; the time it takes tells nothing of where a wrong one differs.
  bool take_session_token(LiveLease& lease, const std::string& token);

  LiveLease* find(const std::string& lease_id);
  const LiveLease* find(const std::string& lease_id) const;
  std::vector<std::string> expired() const;
  std::chrono::milliseconds left(const LiveLease& lease) const { return lease.expires - steady_.now(); }
  size_t count_of(const std::string& user) const;
  size_t size() const { return leases_.size(); }
  uint64_t grants() const { return grants_; }  // of this run of the service

 private:
  const Clock& steady_;
  const Clock& wall_;
  const Limits limits_;
  const MakeSecret make_secret_;
  std::map<std::string, LiveLease> leases_;      // by lease_id
  std::map<std::string, size_t> count_by_user_;  // of leases_
  uint64_t grants_ = 0;
};

}  // namespace hone::tracker
