// JobStore: what was submitted to a service, kept over its end. Any thread may call; callbacks come on the store's thread, or within the call,
// and must not call back into the store.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::tuner {

// The table submissions says what each means.
struct Submission {
  std::string id;
  int64_t place = 0;
  std::string user, kind, source, target;
  int64_t priority = 0;
  bool detached = false;
  std::string request_json, model_sha256;
  std::string state;
  std::optional<ErrorCode> outcome;  // none while it is open
  std::string message, result_json;
  int starts = 0;
  double spent_s = 0;
  int64_t submitted_unix_ms = 0, started_unix_ms = 0, ended_unix_ms = 0;
  int64_t payload_bytes = 0, user_devices_max = 0;
};

// Policy: what is kept of jobs that have ended.
inline constexpr int kEndedSubmissionsKept = 200;                                  // of each user
inline constexpr int64_t kEndedSubmissionKeptMs = int64_t{90} * 86'400'000;        // ms
inline constexpr size_t kResultBytesKept = 1 << 20;  // of one; a longer result is told to who waits for it, and not kept

class JobStore {
 public:
  using Ack = std::function<void(Status)>;  // after the commit, or with the reason why there is none
  using Told = std::function<void(Result<std::vector<Submission>>)>;
  struct Loaded {
    std::vector<Submission> open;  // by place
    int64_t next_place = 1;
  };
  virtual ~JobStore() = default;  // commits what is queued

  // Inserts, or replaces the one with the same id. With one that has ended, those beyond what is kept go.
  virtual void put(Submission submission, Ack ack) = 0;
  // As it is when all that was put before is committed: one or none.
  virtual void find(std::string id, Told told) = 0;
  // Likewise: of this user (none: of everybody), before this place (0: from the latest on), the latest first.
  virtual void list(std::optional<std::string> user, int64_t before, size_t count_max, Told told) = 0;
  virtual Result<Loaded> load() = 0;  // waits
};

// In the database of a record store, which has brought it to the newest schema; of this server's jobs alone. pages_max: as StoreOptions'.
Result<std::unique_ptr<JobStore>> open_job_store(const std::string& where, const std::string& server = "", int64_t pages_max = 0);

}  // namespace hone::tuner
