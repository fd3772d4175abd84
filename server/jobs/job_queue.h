// JobQueue: the jobs of a service from submission to outcome. Each is in the store before it is accepted, and so is its end. A detached one waits for
// its turn, keeps its model in a folder, and goes on after a restart from what the records hold; any other begins at once and ends with the service.
// Network thread only.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/audit_log.h"
#include "server/jobs/job_board.h"
#include "server/jobs/model_folder.h"
#include "tuner/records/job_store.h"
#include "tuner/search/executor.h"

namespace hone::server {

class JobQueue {
 public:
  // All outlives the queue, the reactor also the store and the workers.
  struct Config {
    JobBoard& board;
    tuner::JobStore& store;
    ModelFolder& models;
    tuner::Executor& workers;  // where models are written and read
    Reactor& reactor;
    JobCounts& counts;
    AuditLog* audit = nullptr;  // hears of each job that is accepted, cancelled or ends
  };
  explicit JobQueue(Config config) : config_(config) {}

  // Who asks; an admin may see, follow and cancel everybody's.
  struct Asker {
    std::string user;
    bool is_admin = false;
  };
  struct Request {
    protocol::JobRequest job;
    std::string user;
    bool detached = false;
    SharedBytes payload;
    protocol::Quota quota;
  };

  // What an earlier process left open: jobs that were not detached are lost; detached ones are queued again in their order, but those that ended
  // the process too often, which fail. With `resumes` false detached ones are left to a service that resumes them.
  void resume(tuner::JobStore::Loaded loaded, bool resumes);

  // `accepted` comes once, with the job's id when it is stored, or why it is not taken: busy, limit_exceeded, unsupported, and as disks do. Then, of a job that is
  // not detached, its events.
  using Accepted = std::function<void(Result<std::string>)>;
  void submit(Request request, Job::Events events, Accepted accepted);

  // `attached` comes once, then the job's events until it ends or until unfollow; those of one that has ended at once. No end comes of a detached job that the
  // service puts back because it stops. Fails: not_found, unauthorized.
  using Attached = std::function<void(Status)>;
  void follow(const std::string& id, const Asker& asker, uint64_t follower, Job::Events events, Attached attached);
  void unfollow(const std::string& id, uint64_t follower);
  uint64_t next_follower() { return ++last_follower_; }

  // A job, and its result where that is kept. Fails: not_found, unauthorized, and as disks do.
  using Shown = std::function<void(Result<protocol::JobShown>)>;
  void show(const std::string& id, const Asker& asker, Shown shown);

  // Tells each job that has another state, once that is on disk, until unwatch; those of the asker's user, or everybody's.
  using OnChange = std::function<void(const protocol::JobInfo&)>;
  uint64_t watch(const Asker& asker, OnChange on_change);
  void unwatch(uint64_t watcher) { watchers_.erase(watcher); }

  // Its end follows. `why`: "its client went away". Fails: not_found, also for one that has ended; unauthorized.
  Status cancel(const std::string& id, const Asker& asker, std::string_view why);

  // Of the asker's user, or everybody's; the latest first, before that place. The place for the next page, 0: there is none.
  using Listed = std::function<void(Result<std::vector<protocol::JobInfo>>, int64_t next)>;
  void list(const Asker& asker, int64_t before, Listed listed);

  void drain() { draining_ = true; }  // nothing is accepted and nothing begins; what runs goes on
  void stop();                        // what runs is cancelled, but detached jobs, which are put back
  bool is_idle() const;               // nothing runs, and nothing waits for the disk
  size_t queued() const;

 private:
  enum class Stage : uint8_t { kStoring, kQueued, kBeginning, kRunning, kEnding };
  struct Open {
    tuner::Submission row;
    Stage stage = Stage::kStoring;
    std::optional<protocol::JobRequest> job;  // of one that is not detached
    SharedBytes payload;                      // likewise
    bool stores_model = false;                // a worker has it, on its way to the disk
    Accepted accepted;
    std::string cancelled_because;  // "" = it is not
    std::map<uint64_t, Job::Events> followers;
    std::optional<protocol::JobProgress> latest;
    std::string told_state;  // to watchers
    double told_ms = 0, spent_stored_s = 0;  // when the last progress came; what of row.spent_s is stored
  };
  // Work for the network thread from any other, dropped when the queue is gone.
  struct Later {
    Reactor* reactor;
    std::weak_ptr<const bool> alive;
    void operator()(std::function<void()> work) const;
  };
  Later later() const { return {&config_.reactor, alive_}; }

  Status may_submit(const Request& request) const;
  Status within_quota(const Request& request) const;
  void store_model(Open& open, SharedBytes model);
  void put(Open& open, std::function<void(const Status&)> then);
  void tell_watchers(const tuner::Submission& row);
  void on_stored(const std::string& id, const Status& status);
  void forget(const std::string& id);

  void begin_some();
  Open* next_to_begin();
  void begin(Open& open);
  void on_begun(const std::string& id, const Status& status);
  void run(const std::string& id, const Result<SharedBytes>& payload);
  void put_back(Open& open);

  void on_progress(const std::string& id, const protocol::JobProgress& progress);
  void on_end(const std::string& id, Result<JobResult> result);
  void end(Open& open, Result<JobResult> result);
  void count_end(const tuner::Submission& row);
  void close_row(tuner::Submission row, protocol::JobState state, const Error& why);

  size_t count_if(const std::function<bool(const Open&)>& is) const;
  Status may_touch(const tuner::Submission& row, const Asker& asker) const;
  void tell(std::string_view event, std::initializer_list<AuditLog::Field> fields);

  const Config config_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::map<std::string, Open> open_;  // by id
  int64_t next_place_ = 1;
  struct Watcher {
    Asker asker;
    OnChange on_change;
  };
  std::map<uint64_t, Watcher> watchers_;
  uint64_t last_follower_ = 0;
  bool draining_ = false, stopping_ = false, retries_ = false;
};

}  // namespace hone::server
