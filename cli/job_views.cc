#include "cli/job_views.h"

#include "base/number_text.h"
#include "cli/console.h"

namespace hone::cli {
namespace {

std::string moment_or_none(uint64_t unix_ms) { return unix_ms == 0 ? "-" : moment_text(static_cast<int64_t>(unix_ms)); }

// From the latest start to the end.
std::string took_text(const protocol::JobInfo& job) {
  if (job.started_unix_ms == 0 || job.ended_unix_ms < job.started_unix_ms) return "-";
  return duration_text(static_cast<double>(job.ended_unix_ms - job.started_unix_ms) / 1000);
}

std::string outcome_text(const protocol::JobInfo& job) {
  if (!job.outcome) return "-";
  const std::string name(error_name(*job.outcome));
  return job.message.empty() ? name : name + ": " + job.message;
}

}  // namespace

std::string jobs_table(const std::vector<protocol::JobInfo>& jobs) {
  Table table{.rows = {{"id", "user", "source", "target", "state", "submitted", "took", "outcome"}},
              .numeric = {false, false, false, false, false, false, true, false}};
  for (const protocol::JobInfo& job : jobs)
    table.rows.push_back({job.job, job.user, job.source, job.target, std::string(protocol::to_name(job.state)) + (job.detached ? "" : " (attached)"),
                          moment_or_none(job.submitted_unix_ms), took_text(job), outcome_text(job)});
  return table_text(table);
}

nlohmann::ordered_json jobs_json(const std::vector<protocol::JobInfo>& jobs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const protocol::JobInfo& job : jobs)
    list.push_back({{"job", job.job},
                    {"kind", protocol::to_name(job.job_kind)},
                    {"user", job.user},
                    {"source", job.source},
                    {"target", job.target},
                    {"priority", job.priority},
                    {"detached", job.detached},
                    {"state", protocol::to_name(job.state)},
                    {"outcome", job.outcome ? nlohmann::ordered_json(error_name(*job.outcome)) : nullptr},
                    {"message", job.message},
                    {"starts", job.starts},
                    {"submitted_unix_ms", job.submitted_unix_ms},
                    {"started_unix_ms", job.started_unix_ms},
                    {"ended_unix_ms", job.ended_unix_ms}});
  return {{"jobs", std::move(list)}};
}

}  // namespace hone::cli
