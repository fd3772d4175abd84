#include "tracker/lease_messages.h"

#include <algorithm>

namespace hone::tracker {

namespace {
constexpr double kWaitMsMax = 31'536'000'000;  // the protocol's, a year
}  // namespace

protocol::LeaseWish wish_of(const LeaseRequest& request) {
  return {.selector = request.selector,
          .target = request.target,
          .device_key = request.device_key,
          .not_of = request.not_of,
          .job = request.job,
          .user = request.user,
          .priority = request.priority,
          .user_devices_max = request.user_devices_max,
          .count = static_cast<uint32_t>(request.count),
          .wait_ms = std::clamp(static_cast<double>(request.wait.count()), 0.0, kWaitMsMax)};
}

LeaseRequest request_of(const protocol::LeaseWish& wish, const std::string& session_url) {
  return {.selector = wish.selector,
          .target = wish.target,
          .device_key = wish.device_key,
          .not_of = wish.not_of,
          .job = wish.job,
          .user = wish.user,
          .priority = wish.priority,
          .user_devices_max = wish.user_devices_max,
          .count = wish.count,
          .wait = std::chrono::milliseconds(static_cast<int64_t>(wish.wait_ms)),
          .session_url = session_url};
}

protocol::LeaseGrant grant_of(const Lease& lease) {
  return {.lease_id = lease.lease_id,
          .fence = lease.fence,
          .device = lease.device,
          .session_token = lease.session_token,
          .enrolment = lease.enrolment,
          .trusted = lease.trusted};
}

Lease lease_of(const protocol::LeaseGrant& grant) {
  return {.lease_id = grant.lease_id,
          .fence = grant.fence,
          .device = grant.device,
          .session_token = grant.session_token,
          .enrolment = grant.enrolment,
          .trusted = grant.trusted};
}

}  // namespace hone::tracker
