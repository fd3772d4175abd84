#include "base/net/guard.h"

#include "base/cat.h"
#include "base/guarded.h"
#include "base/log.h"

namespace hone::net {

namespace {
Status logged(Error error) {
  // Short of memory, the line may not be had either.
  try {
    log_error(cat("an event was dropped: ", error.message));
  } catch (...) {}
  return error;
}
}  // namespace

Status guarded(const std::function<void()>& work) {
  Status status = hone::guarded([&work] {
    work();
    return ok_status();
  });
  return status.ok() ? std::move(status) : logged(status.error());
}

}  // namespace hone::net
