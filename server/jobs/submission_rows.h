// Jobs as the store keeps them, and as clients see them.
#pragma once
#include <string>

#include "schema/generated/protocol.h"
#include "server/jobs/job.h"
#include "tuner/records/job_store.h"

namespace hone::server {

// Of a job that is new; without an id and a place.
tuner::Submission submission_of(const protocol::JobRequest& request, const std::string& user, bool detached);
protocol::JobInfo info_of(const tuner::Submission& row);
// What a detached job is to do. Its time limit is used up as far as it ran already. Fails: io_error for a row that somebody edited.
Result<protocol::JobRequest> request_of(const tuner::Submission& row);

// Sets what follows from the end of the job now.
void end_row(tuner::Submission& row, const Result<JobResult>& result);
void end_row(tuner::Submission& row, protocol::JobState state, const Error& why);
// How a job that has ended ended, as its followers hear it.
Result<JobResult> end_of(const tuner::Submission& row);

int64_t unix_ms_now();

}  // namespace hone::server
