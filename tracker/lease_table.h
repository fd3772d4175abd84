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
  int64_t priority = 0;  // of its request, as what follows
  std::string session_url;
  // Of the steady clock.
  std::chrono::milliseconds expires{0};       // unless a heartbeat comes
  std::chrono::milliseconds progress_due{0};  // unless its session answers something
  std::chrono::milliseconds term_ends{0};     // where another job waits for its device
  std::deque<std::string> session_tokens;  // not used yet, oldest first
};

class LeaseTable {
 public:
  LeaseTable(const Clock& steady, const Clock& wall, Limits limits, MakeSecret make_secret)
      : steady_(steady), wall_(wall), limits_(limits), make_secret_(std::move(make_secret)) {}

  // The device's fence grows by one; it and the lease are written. The caller settles the device, here and in end.
  LiveLease& grant(Device& device, Client::RequestId request, const LeaseRequest& what, Outcome& out);
  void renew(const std::string& lease_id);
  // As Client's.
  void progress(const std::string& lease_id, std::chrono::milliseconds work);
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
  std::vector<std::string> expired() const;  // no heartbeat came
  std::vector<std::string> stalled() const;  // no answer came
  std::vector<std::string> overlong() const;
  std::chrono::milliseconds left(const LiveLease& lease) const { return lease.expires - steady_.now(); }
  size_t count_of(const std::string& user) const;
  size_t size() const { return leases_.size(); }
  uint64_t grants() const { return grants_; }  // of this run of the service

 private:
  std::vector<std::string> past(std::chrono::milliseconds LiveLease::* deadline) const;

  const Clock& steady_;
  const Clock& wall_;
  const Limits limits_;
  const MakeSecret make_secret_;
  std::map<std::string, LiveLease> leases_;      // by lease_id
  std::map<std::string, size_t> count_by_user_;  // of leases_
  uint64_t grants_ = 0;
};

}  // namespace hone::tracker
