// What people ask of jobs that are there: who may, and what they hear.
#include "base/cat.h"
#include "server/jobs/job_queue.h"
#include "server/jobs/limits.h"
#include "server/jobs/submission_rows.h"

namespace hone::server {

Status JobQueue::may_touch(const tuner::Submission& row, const Asker& asker) const {
  if (asker.is_admin || row.user == asker.user) return ok_status();
  return Error{ErrorCode::kUnauthorized, cat("the job ", row.id, " is somebody else's; its user and admins may follow and cancel it")};
}

void JobQueue::follow(const std::string& id, const Asker& asker, uint64_t follower, Job::Events events, Attached attached) {
  if (const auto found = open_.find(id); found != open_.end() && found->second.stage != Stage::kStoring) {
    Open& open = found->second;
    if (const Status may = may_touch(open.row, asker); !may.ok()) return attached(may);
    attached(ok_status());
    const protocol::JobProgress queued{.job = id, .phase = protocol::JobPhase::kQueued, .message = "the job waits for its turn"};
    events.on_progress(open.stage == Stage::kQueued ? queued : open.latest.value_or(queued));
    open.followers[follower] = std::move(events);
    return;
  }
  config_.store.find(id, [to = later(), this, id, asker, events = std::move(events), attached = std::move(attached)](Result<std::vector<tuner::Submission>> rows) {
    to([this, id, asker, events, attached, rows = std::move(rows)] {
      if (!rows.ok()) return attached(rows.error());
      if (rows->empty() || rows->front().ended_unix_ms == 0) return attached(Error{ErrorCode::kNotFound, cat("there is no job ", id, "; hone jobs lists them")});
      const Status may = may_touch(rows->front(), asker);
      attached(may);
      if (may.ok()) events.on_end(end_of(rows->front()));
    });
  });
}

void JobQueue::unfollow(const std::string& id, uint64_t follower) {
  if (const auto found = open_.find(id); found != open_.end()) found->second.followers.erase(follower);
}

void JobQueue::show(const std::string& id, const Asker& asker, Shown shown) {
  config_.store.find(id, [to = later(), this, id, asker, shown = std::move(shown)](Result<std::vector<tuner::Submission>> rows) {
    to([this, id, asker, shown, rows = std::move(rows)] {
      if (!rows.ok()) return shown(rows.error());
      if (rows->empty()) return shown(Error{ErrorCode::kNotFound, cat("there is no job ", id, "; hone jobs lists them")});
      const Status may = may_touch(rows->front(), asker);
      if (!may.ok()) return shown(may.error());
      protocol::JobShown told{.job = info_of(rows->front())};
      if (auto end = end_of(rows->front()); rows->front().ended_unix_ms > 0 && end.ok()) told.result = std::move(end->result);
      shown(std::move(told));
    });
  });
}

uint64_t JobQueue::watch(const Asker& asker, OnChange on_change) {
  const uint64_t watcher = next_follower();
  watchers_[watcher] = {asker, std::move(on_change)};
  return watcher;
}

void JobQueue::tell_watchers(const tuner::Submission& row) {
  const auto called = watchers_;  // apart, for a callback may stop a watch
  for (const auto& [number, watcher] : called)
    if (may_touch(row, watcher.asker).ok()) watcher.on_change(info_of(row));
}

Status JobQueue::cancel(const std::string& id, const Asker& asker, std::string_view why) {
  const auto found = open_.find(id);
  if (found == open_.end() || found->second.stage == Stage::kEnding) return Error{ErrorCode::kNotFound, cat("there is no job ", id, " that has not ended; hone jobs lists them")};
  Open& open = found->second;
  HONE_TRY(may_touch(open.row, asker));
  if (!open.cancelled_because.empty()) return ok_status();
  open.cancelled_because = why;
  tell("job_cancelled", {{"job", id}, {"why", std::string(why)}});
  if (open.stage == Stage::kRunning) config_.board.cancel(id);
  if (open.stage == Stage::kQueued) end(open, Error{ErrorCode::kCancelled, "the job was cancelled"});
  return ok_status();
}

void JobQueue::list(const Asker& asker, int64_t before, Listed listed) {
  const auto user = asker.is_admin ? std::nullopt : std::optional(asker.user);
  config_.store.list(user, before, kJobsPerPage, [to = later(), listed = std::move(listed)](Result<std::vector<tuner::Submission>> rows) {
    to([listed, rows = std::move(rows)] {
      if (!rows.ok()) return listed(rows.error(), 0);
      std::vector<protocol::JobInfo> jobs;
      for (const tuner::Submission& row : *rows) jobs.push_back(info_of(row));
      listed(std::move(jobs), rows->size() < kJobsPerPage ? 0 : rows->back().place);
    });
  });
}

}  // namespace hone::server
