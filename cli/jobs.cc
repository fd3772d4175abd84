// hone jobs: what was submitted to a running service, whether somebody waits for it or not.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/ask_service.h"
#include "cli/cancel_job.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/interrupt.h"
#include "cli/job_views.h"
#include "cli/options.h"
#include "cli/tuned.h"

namespace hone::cli {
namespace {

// Policy: for so long a service that has gone is waited for, as it may be started anew, and so often it is looked for.
constexpr std::chrono::milliseconds kServiceBackWait{120'000}, kLookAgain{1'000};

struct JobOptions {
  CommonOptions common;
  std::string job;
};

ExitCode run_list(const CommonOptions& options) {
  const auto url = service_of(options);
  if (!url.ok()) return usage_error(url.error().message);
  std::vector<protocol::JobInfo> jobs;
  for (std::optional<uint64_t> before; !before || *before > 0;) {
    const auto page = ask_service<protocol::Jobs>(*url, [&before](uint64_t id) { return protocol::ListJobs{.id = id, .before = before}; });
    if (!page.ok()) return fail(page.error());
    jobs.insert(jobs.end(), page->jobs.begin(), page->jobs.end());
    if (before && page->next.value_or(0) >= *before) return fail(Error{ErrorCode::kProtocolError, "the service lists its jobs out of order; is it hone up?"});
    before = page->next.value_or(0);
  }
  if (options.json) print_json(jobs_json(jobs));
  else if (jobs.empty()) std::fputs("no job yet: hone tune MODEL --detach queues one\n", stderr);
  else print_text(jobs_table(jobs));
  return ExitCode::kDone;
}

// Follows one job, over restarts of its service.
class Follower {
 public:
  explicit Follower(const JobOptions& options)
      : options_(options), interrupt_(loop_, [this] {
          interrupted_ = true;
          if (session_) session_->cancel();
        }) {}

  Result<JobResult> run() {
    bool ever = false;
    for (auto there = std::chrono::steady_clock::now();;) {
      Result<JobResult> result = once();
      const auto now = std::chrono::steady_clock::now();
      if (followed_) ever = true, there = now;
      const bool gone = lost_ && !result.ok() && result.error().code == ErrorCode::kIoError;
      if (!gone || !ever || interrupted_ || now - there > kServiceBackWait) return result;
      (void)loop_.run_until([this] { return interrupted_; }, kLookAgain);
      if (interrupted_) return Error{ErrorCode::kCancelled, "interrupted; the job goes on when its service does"};
    }
  }

 private:
  Result<JobResult> once() {
    lost_ = true;
    followed_ = false;
    auto found = find_service(options_.common);
    if (!found.ok()) return found.error();
    if (found->url.empty()) return Error{ErrorCode::kIoError, "no service of yours runs here; start hone up, or name one with --tracker"};
    HONE_ASSIGN(url, parse_service_url(found->url, options_.common.ca_file));
    std::optional<Result<JobResult>> end;
    session_ = std::make_unique<JobSession>(
        loop_, JobSession::Config{.url = found->url, .db = found->db, .progress = {.quiet = options_.common.quiet, .terminal = stderr_is_terminal(), .color = stderr_has_color()}}, url);
    session_->follow(options_.job, [&](Result<JobResult> result) {
      end = std::move(result);
      loop_.stop();
    });
    loop_.run();
    lost_ = session_->failed();
    followed_ = session_->followed();
    session_.reset();
    return std::move(*end);
  }

  const JobOptions& options_;
  net::EventLoop loop_;
  std::unique_ptr<JobSession> session_;
  bool interrupted_ = false, lost_ = false, followed_ = false;
  Interrupt interrupt_;
};

ExitCode run_attach(const JobOptions& options) {
  const Result<JobResult> result = Follower(options).run();
  if (!result.ok() || options.job.starts_with("tune-")) return print_tuned(result, {.json = options.common.json});
  if (options.common.json) print_json(result->result);
  else print_text(cat("the job ", options.job, " ended well; who submitted it has its result\n"));
  return ExitCode::kDone;
}

ExitCode run_cancel(const JobOptions& options) {
  const auto url = service_of(options.common);
  if (!url.ok()) return usage_error(url.error().message);
  const auto end = cancel_job(*url, options.job);
  if (!end.ok()) return fail(end.error());
  const std::string state(protocol::to_name(end->state));
  if (options.common.json)
    print_json(nlohmann::ordered_json{{"job", options.job}, {"state", state}, {"outcome", error_name(end->outcome)}, {"message", end->message}});
  if (end->state == protocol::JobState::kCancelled) return ExitCode::kDone;
  return fail(Error{end->outcome == ErrorCode::kOk ? ErrorCode::kNotFound : end->outcome, cat("the job ", options.job, " ended before it could be cancelled: it is ", state, end->message.empty() ? "" : ": ", end->message)});
}

using RunJob = ExitCode (*)(const JobOptions&);

void add_job_verb(Verb verb, RunJob run) {
  auto options = std::make_shared<JobOptions>();
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.option("job", options->job, "The job's id, as hone jobs shows it").required().check(not_empty());
  verb.runs([options, run] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run(*options);
  });
}

}  // namespace

void add_jobs(Verb program) {
  auto options = std::make_shared<CommonOptions>();
  Verb verb = program.sub("jobs", "Lists the jobs of a running service: yours, or all where you are an admin");
  verb.footer(
      "Examples:\n"
      "  hone tune model.onnx --detach        queues a job and prints its id\n"
      "  hone jobs                            how far each is, and how it ended\n"
      "  hone jobs attach tune-3f0a12c4d5e6   follows it; Ctrl-C lets it go on\n"
      "  hone jobs cancel tune-3f0a12c4d5e6");
  add_common_options(verb, *options, {Uses::kDatabase, Uses::kService});
  verb.runs([options] {
    set_up_logging({.quiet = options->quiet, .warnings_only = true});
    return run_list(*options);
  });
  Verb attach = verb.sub("attach", "Follows a job to its end, over restarts of its service, and exits as hone tune does");
  add_job_verb(attach, run_attach);
  add_job_verb(verb.sub("cancel", "Cancels a job and waits for its end; what it measured is kept"), run_cancel);
}

}  // namespace hone::cli
