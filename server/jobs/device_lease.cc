#include "server/jobs/device_lease.h"

#include "base/cat.h"
#include "base/log.h"
#include "server/jobs/limits.h"

namespace hone::server {

void DeviceLease::start() { acquire(config_.request); }

void DeviceLease::start_together(const std::vector<std::shared_ptr<DeviceLease>>& all) {
  DeviceLease& first = *all.front();
  tracker::LeaseRequest request = first.config_.request;
  request.count = all.size();
  const auto id = first.tracker_.reserve(
      std::move(request),
      [all](Result<std::vector<tracker::Lease>> leases) {
        for (size_t i = 0; i < all.size(); ++i) {
          all[i]->request_.reset();
          all[i]->on_lease(leases.ok() ? Result<tracker::Lease>(std::move((*leases)[i])) : leases.error());
        }
      },
      [all](const std::string& lease_id, const Error& reason) {
        for (const auto& one : all)
          if (one->lease_id_ == lease_id) return one->on_lost(reason);
      });
  for (const auto& one : all) one->request_ = id;
}

void DeviceLease::acquire(tracker::LeaseRequest request) {
  request_ = tracker_.acquire(
      std::move(request),
      [self = shared_from_this()](Result<tracker::Lease> lease) {
        self->request_.reset();
        self->on_lease(std::move(lease));
      },
      [self = shared_from_this()](Error reason) { self->on_lost(reason); });
}

void DeviceLease::on_lease(Result<tracker::Lease> lease) {
  if (stopped_) {
    if (lease.ok()) tracker_.release(lease->lease_id);
    return;
  }
  if (!lease.ok()) return on_refused(lease.error());
  bool first = !user_;
  if (first) {
    user_ = config_.make_user(lease->device);
    // Another job may have better luck with the device.
    user_->on_given_up([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->stop();
    });
    user_->on_failing([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->exchange();
    });
    device_key_ = lease->device.device_key;
  }
  lease_id_ = lease->lease_id;
  device_id_ = lease->device.device_id;
  user_->leased(lease->device);
  fences_->hold({lease->device.device_id, lease->lease_id, static_cast<int64_t>(lease->fence)});
  if (!first) user_->await_turn(false);
  desk_.expect(*lease, user_);
  if (first) answer(lease->device);
}

void DeviceLease::on_refused(const Error& error) {
  if (user_) user_->give_up(error.message);
  answer(error);
  // Any other refusal comes at once, and would come again.
  if (!config_.keeps_asking || error.code != ErrorCode::kNoDevice) return;
  user_ = nullptr;
  acquire(config_.request);
}

void DeviceLease::answer(Result<protocol::DeviceInfo> device) {
  if (!std::exchange(answered_, true)) config_.on_first(std::move(device));
}

void DeviceLease::on_lost(const Error& reason) {
  if (stopped_ || lease_id_.empty()) return;
  log_warn(cat("a job's device is lost: ", reason.message, "; the job waits for one of its class"),
           {{"job", config_.request.job}, {"device_key", device_key_}});
  log_debug(cat("the lease ", lease_id_, " on a device of ", device_key_, " ended"));
  const bool awaits_turn = reason.code == ErrorCode::kBusy;
  if (awaits_turn) user_->await_turn(true);
  drop();
  acquire_equal(cat("key=", device_key_), awaits_turn ? kTurnWait : std::chrono::milliseconds(static_cast<int64_t>(config_.reacquire_ms)));
}

void DeviceLease::acquire_equal(std::string selector, std::chrono::milliseconds wait) {
  tracker::LeaseRequest again = config_.request;
  again.selector = std::move(selector);
  again.wait = wait;
  acquire(std::move(again));
}

// Another one of the class where one is free, else this one again: it may be made anew meanwhile.
void DeviceLease::exchange() {
  if (stopped_ || lease_id_.empty()) return;
  log_warn(cat("a job's device failed; the job goes on with one of its class"), {{"job", config_.request.job}, {"device_key", device_key_}});
  tracker::LeaseRequest other = config_.request;
  other.selector = cat("key=", device_key_, "&id!=", device_id_);
  tracker_.why_none(other, [self = shared_from_this(), lease = lease_id_, others = other.selector](const tracker::Missing& missing) {
    if (self->lease_id_ == lease) self->give_for(missing.why.empty() ? others : cat("key=", self->device_key_));
  });
}

void DeviceLease::give_for(std::string selector) {
  const std::string lease = lease_id_;
  drop();
  tracker_.release(lease);
  acquire_equal(std::move(selector), std::chrono::milliseconds(static_cast<int64_t>(config_.reacquire_ms)));
}

void DeviceLease::drop() {
  fences_->drop(lease_id_);
  desk_.forget(std::exchange(lease_id_, {}));
}

void DeviceLease::stop_waiting() {
  if (!user_) stop();
}

void DeviceLease::stop() {
  if (std::exchange(stopped_, true)) return;
  if (request_) tracker_.cancel(*request_);
  answer(Error{ErrorCode::kCancelled, "the job was cancelled"});
  if (lease_id_.empty()) return;
  std::string lease = lease_id_;
  drop();
  tracker_.release(lease);
}

}  // namespace hone::server
