#include "server/jobs/leased_store.h"

#include "base/cat.h"
#include "base/log.h"

namespace hone::server {

namespace {

// Another job may hold the device by now: the measurement was not exclusive. It is made again in a later run.
void tell_stale(const std::string& lease_id, int64_t fence) {
  log_warn("a result came after its device was lost: it is not stored, but measured again");
  log_debug(cat("the lease ", lease_id, " behind it has ended (fence ", fence, ")"));
}

}  // namespace

void LeasedStore::insert(tuner::Record record, Ack ack) {
  if (record.fence != 0 && !fences_->holds(record.lease_id, record.fence)) {
    tell_stale(record.lease_id, record.fence);
    on_settled_(record.task_id, record.source_hash, record.attempt);
    if (ack) ack(ok_status());
    return;
  }
  record.fenced = record.fence != 0;
  auto settled = [on_settled = on_settled_, ack = std::move(ack), task = record.task_id, source = record.source_hash,
                  attempt = record.attempt, lease_id = record.lease_id, fence = record.fence](Status status) {
    if (!status.ok() && status.error().code == ErrorCode::kStaleFence) {
      tell_stale(lease_id, fence);
      status = ok_status();
    }
    // Not acknowledged when it was not committed: the agent keeps it.
    if (status.ok()) on_settled(task, source, attempt);
    if (ack) ack(std::move(status));
  };
  store_.insert(std::move(record), std::move(settled));
}

}  // namespace hone::server
