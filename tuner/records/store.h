// RecordStore: the memory of all measurements. A trial is (task, device key, source hash), measured in one or more attempts.
// Any thread may call; callbacks come on the store's writer thread and must not call back into the store.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/commit_meter.h"
#include "base/hash.h"
#include "base/result.h"
#include "tuner/measure/cache_state.h"

namespace hone::tuner {

struct TaskInfo {
  Hash id;
  std::string name;
  std::string canonical_text;
  double flops = 0;
};

struct DeviceInfo {
  std::string key;
  std::string target;                   // "webgpu", …
  std::string fingerprint_json = "{}";  // as the device said it when it was measured
};

// Why an attempt was made. kNaive is the yardstick, no candidate; kRecheck repeats a leader with more samples; kCheck repeats a winner on another
// device of its class, which cannot tell it from a candidate of a search.
enum class Origin : uint8_t { kNaive, kSeed, kSearch, kRecheck, kCheck };
std::string_view origin_name(Origin origin);  // "naive", "seed", "search", "recheck", "check"
bool parse_origin(std::string_view name, Origin* out);

// What others say of an attempt's time (claims.h). kUnconfirmed: nobody has repeated it; it counts. kConfirmed: it is final for its class. kRefuted: it is
// not believed, and does not count.
enum class Standing : uint8_t { kUnconfirmed, kConfirmed, kRefuted };
std::string_view standing_name(Standing standing);  // "unconfirmed", "confirmed", "refuted"

// One attempt with all that makes its number trustworthy.
struct Record {
  Hash task_id;
  std::string device_key;
  Hash source_hash;
  int attempt = 0;
  std::string trace_json;
  std::string job_id;
  Origin origin = Origin::kSearch;
  ErrorCode outcome = ErrorCode::kInternal;
  std::string message;
  std::vector<double> samples_us;
  double latency_us_median = 0;
  std::string method;
  double clock_resolution_ns = 0;
  int repeats = 0;
  double create_ms = 0;
  double device_ms = 0;
  double max_error = 0;
  double reference_us = 0;
  CacheState cache = CacheState::kHot;  // in which the samples were taken
  double other_us = 0;                  // the median in the other state; 0 = not taken
  std::string fingerprint_json = "{}";
  std::string compiler_version;
  double predicted_us = 0;      // by the search's model, before it was measured; 0 = nothing
  std::vector<float> features;  // of the trial, in the meaning of feature_version; empty = unknown
  int feature_version = 0;
  int64_t fence = 0;     // of the lease under which it was measured; 0 where there was none
  std::string lease_id;  // that lease; empty = unknown
  bool fenced = false;   // not kept: the record is committed only if its device is held under lease_id and fence then
  std::string agent;             // its public id; "import:<file>" of an imported line; empty = unknown
  std::string enrolment;         // who vouches for the agent: the id of the token that it had shown; empty = unknown
  bool trusted = false;          // that token was a canary's
  bool doubted = false;          // its device was found to be biased (doubt): it counts only where another one confirms it
  std::string device;            // the one device that measured it, by the id that its agent keeps; empty = unknown
  int64_t recorded_unix_ms = 0;  // 0: the store fills in its own time
  int browser_major = 0;         // set by the store when it reads: of the fingerprint; 0 = none
  Standing standing = Standing::kUnconfirmed;  // set by the store when it reads
  int64_t trial = 0;             // likewise: the trial's number in this store; later ones have greater numbers
};

// The right to measure on one device.
struct DeviceFence {
  std::string device_id, lease_id;
  int64_t fence = 0;  // greater than that of each earlier lease of the device
};

// A time of a trial in one state of the caches.
struct StateTime {
  double latency_us = 0;  // 0 = none
  int sample_count = 0;   // 0: it is an attempt's second median
  // Of that attempt.
  int browser_major = 0;
  double reference_us = 0;
  std::string device, compiler_version;
  Standing standing = Standing::kUnconfirmed;
  bool imported = false;
};

// What is known of one trial: its attempts, judged.
struct KnownTrial {
  Hash source_hash;
  std::string trace_json;
  Origin origin = Origin::kSearch;           // of the first attempt
  ErrorCode outcome = ErrorCode::kInternal;  // kOk if any attempt was; else of the last attempt
  // Of the best-founded attempt that gives a time: most samples, then the latest; 0 if none. All trials of one task and device key have it in one
  // state of the caches (TrialJudge): a trial that is ok may have none.
  double latency_us = 0;
  int sample_count = 0;  // of that attempt
  int attempts = 0;      // the next attempt has this number
  bool final = false;    // never measured again
  double refuted_us = 0;        // the best time that is not believed; 0 = none. An attempt with such a time counts as kUnstable
  Standing standing = Standing::kUnconfirmed;  // of the attempt behind latency_us
  bool yardstick = false;       // some attempt measured it as the yardstick
  bool candidate = false;       // some attempt measured it as a candidate
  double predicted_us = 0;      // of the first attempt that has it
  std::vector<float> features;  // of the last attempt that has them
  int feature_version = 0;      // of `features`
  std::string message;          // of the last attempt
  int browser_major = 0;        // of the browser in which latency_us was measured; 0 = none, or unknown
  // Of the attempt behind latency_us: the agent's reference kernel, the one device, and hone.
  double reference_us = 0;
  std::string device, compiler_version;
  CacheState cache = CacheState::kHot;           // of latency_us
  std::array<StateTime, kCacheStates> by_cache;  // the times in each state
};

// What the agent's reference kernel took beside an attempt.
struct Reference {
  std::string device, compiler_version;
  double us = 0;
};

// What is known of a task on a class of devices other than those at hand: for the start of a search's model.
struct Neighbour {
  Hash task_id;
  double flops = 0;  // of the task
  std::string device_key;
  std::vector<KnownTrial> trials;  // with features of the version asked for, and a time or a final failure
};
inline constexpr int kNeighboursMax = 40;           // pairs of task and device key
inline constexpr size_t kNeighbourTrialsMax = 200;  // of each; where there are more, the fastest, and of the others
                                                    // such as are evenly spread over their order
inline constexpr size_t kNeighbourFastest = 8;

// What people call a device.
struct DeviceLabel {
  std::string device, label;  // device: an id of Record::device
};

struct JobInfo {
  std::string id, kind, state, device_key, request_json, message;
  int64_t started_unix_ms = 0, ended_unix_ms = 0;
  std::string server = "";  // which server runs it, where several share the store; set by the store when it writes
};

// What to forget: all that fits each condition given, at least one.
struct ForgetRequest {
  std::optional<Hash> task_id;
  std::string device_key;
  std::string agent;
  std::string device;          // the one device, as Record::device
  std::string lease_id;
  int64_t before_unix_ms = 0;  // recorded before; 0 = any time
  bool only_count = false;     // nothing is removed, but counted as if it were
};

// The attempts of one device that are doubted from now on.
struct Doubt {
  std::string enrolment, device;  // as Record's
  int64_t after_unix_ms = 0;      // recorded since
};

// One kernel, timed on two devices of a class. Without their samples.
struct CrossCheck {
  Record first, check;  // check.origin is kCheck
  bool of_best = false;  // first is the time that made the kernel a winner; else its check, too, in the same job
};

struct ForgetReport {
  int64_t attempts = 0;
  int64_t trials = 0;  // that have no attempt left
  ForgetReport& operator+=(const ForgetReport& more) {
    attempts += more.attempts;
    trials += more.trials;
    return *this;
  }
};

// What the reads of a store left out because it cannot be a record.
struct Damage {
  int rows = 0;
  std::string first;  // "attempt 0 of trial 7: its trace: it is not a JSON object"
};

// A place in the order of `list`.
struct RecordPlace {
  int64_t row = 0;  // the trial's number
  int attempt = 0;
};

// Which records `list` yields; empty fields match all.
struct RecordFilter {
  std::optional<std::set<Hash>> tasks;
  std::string device_key;
  std::string job_id;
  bool with_rivals = false;  // of job_id: also what others measured of the same tasks on the same device keys
  std::optional<RecordPlace> after = std::nullopt;  // only those behind it
};

// True for outcomes that another attempt cannot change: ok, compile_error, validation_error, wrong_output, not_written, the second
// timeout and the second device_lost. `times_seen` counts the attempts that ended so, this one included.
bool is_final(ErrorCode outcome, int times_seen);

// True where an attempt's median is a time of its kernel: it is ok, or a recheck, however unstable the device was then. Its rivals were measured
// beside it, and its older time, of a quieter moment, would rank it before them.
bool gives_time(Origin origin, ErrorCode outcome, double latency_us_median);

class RecordStore {
 public:
  using Ack = std::function<void(Status)>;  // after the commit, or with the reason why there is none
  virtual ~RecordStore() = default;

  // Known before any record of theirs; repeating them is harmless.
  virtual Status put_task(const TaskInfo& task) = 0;
  virtual Status put_device(const DeviceInfo& device) = 0;
  virtual Status put_job(const JobInfo& job) = 0;  // the latest call for an id wins
  virtual void put_label(DeviceLabel label) = 0;   // likewise, queued as a record is; an empty one is forgotten

  // Queues: from here on the device is measured under this lease alone, as long as no greater fence is known; or under none, when that lease
  // has ended. Several processes may share a store: what counts is the order of commits.
  virtual void hold_lease(DeviceFence lease) = 0;
  virtual void end_lease(std::string lease_id) = 0;
  // Queues a record; a record whose (trial, attempt) is there already is acknowledged and dropped. One that names a lease is compared with
  // the lease that its device is held under in the transaction that commits it: kStaleFence where it is another one.
  virtual void insert(Record record, Ack ack = nullptr) = 0;
  // Waits until everything queued before is committed. The error of the first record since the last flush that was not.
  virtual Status flush() = 0;
  virtual CommitReading commits() const = 0;
  // Queues a write that changes nothing: the next reading of commits() says whether the disk takes writes.
  virtual void try_write() = 0;

  // The reads see what is committed. In the order in which trials were first recorded.
  virtual Result<std::vector<KnownTrial>> known_trials(const Hash& task_id, const std::string& device_key) = 0;
  // What is known of one trial; nullopt if nothing is.
  virtual Result<std::optional<KnownTrial>> known_trial(const Hash& task_id, const std::string& device_key,
                                                        const Hash& source) = 0;
  // The fastest trial that is ok and believed, the yardstick left out; nullopt if there is none.
  virtual Result<std::optional<KnownTrial>> best_for(const Hash& task_id, const std::string& device_key) = 0;
  // The yardstick's trial; nullopt if it was never measured.
  virtual Result<std::optional<KnownTrial>> naive_for(const Hash& task_id, const std::string& device_key) = 0;
  // What other pairs of task and device key know, devices of the same target only: the same task on other devices first, then other tasks on
  // this device, then the rest; each in the order in which they were first recorded; the first `pairs_max` of them.
  virtual Result<std::vector<Neighbour>> neighbours(const std::string& target, int feature_version, const Hash& task_id,
                                                    const std::string& device_key, int pairs_max) = 0;
  virtual Result<std::vector<TaskInfo>> tasks() = 0;
  virtual Result<std::vector<DeviceInfo>> devices() = 0;  // one per fingerprint
  virtual Result<std::vector<JobInfo>> jobs() = 0;
  virtual Result<std::vector<DeviceLabel>> labels() = 0;
  virtual Result<std::vector<Reference>> references(
      const std::string& device_key) = 0;                 // of all attempts that have one
  virtual Result<std::vector<std::string>> agents() = 0;  // that measured something, in alphabetical order
  // Record::device, likewise; of one class, or of all ("").
  virtual Result<std::vector<std::string>> measured_devices(const std::string& device_key = "") = 0;
  // In the order of the checks.
  virtual Result<std::vector<CrossCheck>> cross_checks(const std::string& device_key) = 0;
  // How many records this object has stored that were not there before. Exact after flush.
  virtual int64_t added() const = 0;
  // Of all reads so far. Damaged rows are left out by each of them.
  virtual Damage damage() const = 0;
  // Removes trials with all their attempts, and gives their space back to the disk. A job that runs on them may measure them again.
  virtual Status forget(const Hash& task_id, const std::string& device_key, const std::vector<Hash>& sources) = 0;
  // Removes attempts, and trials that have none left: some trials in each transaction, so that no record waits for all of them. Interrupted, it is to be repeated.
  virtual Result<ForgetReport> forget(const ForgetRequest& request) = 0;
  // Marks attempts, some in each transaction. How many.
  virtual Result<int64_t> doubt(const Doubt& doubt) = 0;
  virtual Status compact() = 0;
  // All that is known of the class `from` is from now on of the class `to`: of a trial that both have, the attempts are put behind each other.
  virtual Status rename_device(const std::string& from, const std::string& to) = 0;
  // Calls `visit` for each record, in the order of the trials and of each trial's attempts; stops at the first error that it returns.
  virtual Status list(const RecordFilter& filter, const std::function<Status(const Record&)>& visit) = 0;
};

}  // namespace hone::tuner
