// CancelToken: one side asks long work to end, the other hears it between its steps.
#pragma once
#include <atomic>

#include "base/result.h"

namespace hone {

// Set from any thread (a signal's handler posts to one); read by the work between its steps.
class CancelToken {
 public:
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

 private:
  std::atomic<bool> cancelled_{false};
};

// Null: nobody can cancel.
inline bool is_cancelled(const CancelToken* token) { return token && token->cancelled(); }
// Fails: cancelled.
inline Status check_cancel(const CancelToken* token) {
  if (is_cancelled(token)) return Error{ErrorCode::kCancelled, "cancelled before it was done"};
  return ok_status();
}

}  // namespace hone
