#include "server/jobs/leased_store.h"

#include "base/cat.h"
#include "base/log.h"

namespace hone::server {

void LeasedStore::insert(tuner::Record record, Ack ack) {
  if (record.fence != 0 && !fences_->holds(static_cast<uint64_t>(record.fence))) {
    // Another job may hold the device by now: the measurement was not exclusive. It is made again in a later run.
    log_warn("a result came after its device was lost: it is not stored, but measured again");
    log_debug(cat("the lease behind it has ended (fence ", record.fence, ")"));
    on_settled_(record.task_id, record.source_hash, record.attempt);
    if (ack) ack(ok_status());
    return;
  }
  auto settled = [on_settled = on_settled_, ack = std::move(ack), task = record.task_id, source = record.source_hash,
                  attempt = record.attempt](Status status) {
    // Not acknowledged when it was not committed: the agent keeps it.
    if (status.ok()) on_settled(task, source, attempt);
    if (ack) ack(std::move(status));
  };
  store_.insert(std::move(record), std::move(settled));
}

}  // namespace hone::server
