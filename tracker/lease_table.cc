#include "tracker/lease_table.h"

#include <algorithm>

#include "base/cat.h"
#include "base/secret.h"

namespace hone::tracker {

LiveLease& LeaseTable::grant(Device& device, Client::RequestId request, const LeaseRequest& what, Outcome& out) {
  CHECK(device.lease_id.empty(), "a leased device is granted again");
  device.stored.fence += 1;
  device.lease_id = cat("lease-", make_secret_().substr(0, 16));
  device.last_granted = ++grants_;
  LiveLease& lease = leases_[device.lease_id];
  lease.stored = {.lease_id = device.lease_id,
                  .device_id = device.stored.device_id,
                  .fence = device.stored.fence,
                  .job = what.job,
                  .user = what.user,
                  .granted_unix_ms = wall_.now().count()};
  lease.device_key = device.stored.device_key;
  lease.request = request;
  lease.priority = what.priority;
  lease.session_url = what.session_url;
  lease.expires = steady_.now() + limits_.lease_ttl;
  lease.progress_due = steady_.now() + limits_.progress_deadline;
  lease.term_ends = steady_.now() + limits_.term_max;
  out.writes.push_back(DeviceUse{device.stored.device_id, device.stored.fence, device.stored.seen_unix_ms});
  out.writes.push_back(lease.stored);
  ++count_by_user_[what.user];
  return lease;
}

void LeaseTable::renew(const std::string& lease_id) {
  if (LiveLease* lease = find(lease_id)) lease->expires = steady_.now() + limits_.lease_ttl;
}

void LeaseTable::progress(const std::string& lease_id, std::chrono::milliseconds work) {
  if (LiveLease* lease = find(lease_id)) lease->progress_due = steady_.now() + limits_.progress_deadline + work;
}

void LeaseTable::excuse(std::chrono::milliseconds pause) {
  for (auto& [id, lease] : leases_) {
    lease.expires += pause;
    lease.progress_due += pause;
    lease.term_ends += pause;
  }
}

LiveLease LeaseTable::end(const std::string& lease_id, Device& device, const std::string& reason, Outcome& out) {
  const auto found = leases_.find(lease_id);
  CHECK(found != leases_.end() && device.lease_id == lease_id, "a lease that is not its device's ends");
  LiveLease lease = std::move(found->second);
  leases_.erase(found);
  const auto count = count_by_user_.find(lease.stored.user);
  if (--count->second == 0) count_by_user_.erase(count);
  device.lease_id.clear();
  lease.stored.ended_unix_ms = std::max<int64_t>(1, wall_.now().count());
  lease.stored.end_reason = reason;
  out.writes.push_back(lease.stored);
  return lease;
}

void LeaseTable::close_old(StoredLease lease, const std::string& reason, Outcome& out) const {
  lease.ended_unix_ms = std::max<int64_t>(1, wall_.now().count());
  lease.end_reason = reason;
  out.writes.push_back(std::move(lease));
}

std::string LeaseTable::new_session_token(LiveLease& lease) {
  if (lease.session_tokens.size() == kSessionTokensMax) lease.session_tokens.pop_front();
  return lease.session_tokens.emplace_back(make_secret_());
}

bool LeaseTable::take_session_token(LiveLease& lease, const std::string& token) {
  auto found = lease.session_tokens.end();
  for (auto it = lease.session_tokens.begin(); it != lease.session_tokens.end(); ++it)
    if (equal_secrets(*it, token)) found = it;
  if (found == lease.session_tokens.end()) return false;
  lease.session_tokens.erase(found);
  return true;
}

LiveLease* LeaseTable::find(const std::string& lease_id) {
  const auto found = leases_.find(lease_id);
  return found == leases_.end() ? nullptr : &found->second;
}

const LiveLease* LeaseTable::find(const std::string& lease_id) const {
  const auto found = leases_.find(lease_id);
  return found == leases_.end() ? nullptr : &found->second;
}

std::vector<std::string> LeaseTable::expired() const { return past(&LiveLease::expires); }
std::vector<std::string> LeaseTable::stalled() const { return past(&LiveLease::progress_due); }
std::vector<std::string> LeaseTable::overlong() const { return past(&LiveLease::term_ends); }

std::vector<std::string> LeaseTable::past(std::chrono::milliseconds LiveLease::* deadline) const {
  std::vector<std::string> list;
  for (const auto& [id, lease] : leases_)
    if (lease.*deadline <= steady_.now()) list.push_back(id);
  return list;
}

size_t LeaseTable::count_of(const std::string& user) const {
  const auto found = count_by_user_.find(user);
  return found == count_by_user_.end() ? 0 : found->second;
}

}  // namespace hone::tracker
