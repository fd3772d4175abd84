#include "server/jobs/submission_rows.h"

#include <algorithm>
#include <chrono>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/printable_text.h"

namespace hone::server {

namespace {

constexpr size_t kSourceBytesMax = 512;  // of job_info

// One that somebody wrote into the database is none.
template <class Name>
Name named(const std::string& text, Name otherwise) {
  Name name{};
  return protocol::from_name(text, name) ? name : otherwise;
}

std::string source_text(const protocol::JobSource& source) {
  const std::string text = source.op ? *source.op : source.model_name.value_or("");
  return text.size() <= kSourceBytesMax ? text : printable(text.substr(0, kSourceBytesMax / 8)) + " …";
}

uint64_t moment(int64_t unix_ms) { return static_cast<uint64_t>(std::max<int64_t>(0, unix_ms)); }

}  // namespace

int64_t unix_ms_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

tuner::Submission submission_of(const protocol::JobRequest& request, const std::string& user, bool detached) {
  tuner::Submission row{.user = user, .kind = std::string(protocol::to_name(request.kind)), .source = source_text(request.source), .target = request.target};
  row.priority = request.priority.value_or(0);
  row.detached = detached;
  if (detached) row.request_json = json_line(protocol::to_json(request));
  row.state = protocol::to_name(protocol::JobState::kQueued);
  row.submitted_unix_ms = unix_ms_now();
  return row;
}

protocol::JobInfo info_of(const tuner::Submission& row) {
  return {.job = row.id,
          .job_kind = named(row.kind, protocol::JobKind::kTune),
          .user = row.user,
          .state = named(row.state, protocol::JobState::kLost),
          .outcome = row.outcome,
          .message = shortened(row.message),
          .source = row.source,
          .target = row.target,
          .priority = row.priority,
          .detached = row.detached,
          .starts = static_cast<uint32_t>(row.starts),
          .submitted_unix_ms = moment(row.submitted_unix_ms),
          .started_unix_ms = moment(row.started_unix_ms),
          .ended_unix_ms = moment(row.ended_unix_ms)};
}

Result<protocol::JobRequest> request_of(const tuner::Submission& row) {
  HONE_ASSIGN(json, parse_json(row.request_json));
  auto request = protocol::from_json<protocol::JobRequest>(json);
  if (!request.ok())
    return Error{ErrorCode::kIoError, cat("the database is damaged: of the job ", row.id, ", ", request.error().message, "; submit the job again")};
  if (request->time_s > 0) request->time_spent_s = std::min(request->time_s, request->time_spent_s.value_or(0) + row.spent_s);
  return *request;
}

void end_row(tuner::Submission& row, protocol::JobState state, const Error& why) {
  row.state = protocol::to_name(state);
  row.outcome = why.code;
  row.message = shortened(why.message);
  row.ended_unix_ms = unix_ms_now();
}

void end_row(tuner::Submission& row, const Result<JobResult>& result) {
  using protocol::JobState;
  if (!result.ok()) {
    const bool cancelled = result.error().code == ErrorCode::kCancelled;
    return end_row(row, cancelled ? JobState::kCancelled : JobState::kFailed, result.error());
  }
  end_row(row, result->cancelled ? JobState::kCancelled : JobState::kDone, {result->cancelled ? ErrorCode::kCancelled : ErrorCode::kOk, ""});
  // What a model computed is told to who waits for it, and not kept.
  if (row.kind == protocol::to_name(protocol::JobKind::kTune)) row.result_json = json_line(result->result);
}

Result<JobResult> end_of(const tuner::Submission& row) {
  if (auto result = parse_json(row.result_json); !row.result_json.empty() && result.ok())
    return JobResult{std::move(*result), "", row.outcome == ErrorCode::kCancelled};
  if (row.outcome == ErrorCode::kOk)
    return Error{ErrorCode::kNotFound, cat("the job ", row.id, " ended well, but its result is not kept; what a search measured is in the records: hone records best")};
  return Error{row.outcome.value_or(ErrorCode::kInternal), row.message};
}

}  // namespace hone::server
