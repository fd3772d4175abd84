#include "cli/job_runner.h"

#include "base/cat.h"
#include "browser-agent/launch/node_program.h"
#include "cli/console.h"
#include "cli/embedded.h"
#include "cli/find_service.h"
#include "codegen/target/target.h"
#include "tracker/selector.h"

namespace hone::cli {

void add_place_options(Verb verb, PlaceOptions& options) {
  verb.option("--target", options.target, "Where the kernels run").default_shown().check(one_of(target::kind_names()));
  verb.option("--device", options.device, "Selector: a device id, a kind, or e.g. target=webgpu&vendor=apple");
  verb.option(
      "--browser", options.browser,
      "Browser to start: chromium, firefox, node, native, or a program's path; by default chromium, or native for "
      "--target native, opengl and opencl");
  verb.flag("--own-browser", options.own_browser,
            "Starts a browser even if a service of yours (hone up) runs on this machine; implied by --browser");
  verb.option("--wait", options.wait_s, "Seconds to wait for a matching device")
      .default_shown()
      .check(seconds_from_0())
      .on_given([&options] { options.wait_given = true; });
}

protocol::JobRequest job_request(protocol::JobKind kind, const CommonOptions& common, const PlaceOptions& place) {
  protocol::JobRequest job;
  job.kind = kind;
  job.target = place.target;
  job.selector = place.device;
  job.seed = common.seed;
  job.device_wait_s = place.wait_s;
  if (!common.without_passes.empty()) job.without_passes = common.without_passes;
  return job;
}

namespace {

// Empty: none, a service in this process will do.
Result<FoundService> service_for(const CommonOptions& common, const PlaceOptions& place) {
  const bool own = place.own_browser || !place.browser.empty();
  if (own && !common.tracker.empty())
    return Error{ErrorCode::kInvalidArgument,
                 "found both --tracker and a browser to start, expected one of them; hone agent --tracker URL connects "
                 "a browser "
                 "to that service"};
  if (own) return FoundService();
  HONE_ASSIGN(service, find_service(common));
  say_service(
      common, service,
      cat("; ", service.has_database ? "--own-browser --db OTHER.db" : "--own-browser", " starts a browser instead"));
  return service;
}

}  // namespace

Result<std::unique_ptr<JobRunner>> JobRunner::start(const CommonOptions& common, const PlaceOptions& place) {
  HONE_TRY(tracker::Selector::parse(place.device));  // before anything is started for it
  HONE_ASSIGN(found, service_for(common, place));
  const std::string& service_url = found.url;
  launch::AgentPlace agent{place.browser, place.target};
  if (service_url.empty()) {
    HONE_ASSIGN(completed, launch::complete_place(agent));
    agent = std::move(completed);
  }
  auto runner = std::unique_ptr<JobRunner>(new JobRunner);
  JobSession::Config config{.url = service_url, .db = found.db};
  config.progress = {.quiet = common.quiet, .terminal = stderr_is_terminal(), .color = stderr_has_color()};
  runner->uses_found_service_ = !service_url.empty() && common.tracker.empty();
  if (service_url.empty()) {
    HONE_ASSIGN(service, start_service(runner->loop_, common, {.keeps_fleet = false}));
    runner->service_ = std::move(service);
    config.url = runner->service_->agent_url();
    config.browser = agent.browser;
    config.target = agent.target;
  }
  HONE_ASSIGN(url, parse_service_url(config.url, common.ca_file));
  runner->session_ = std::make_unique<JobSession>(runner->loop_, std::move(config), url);
  runner->interrupt_ =
      std::make_unique<Interrupt>(runner->loop_, [session = runner->session_.get()] { session->cancel(); });
  return runner;
}

ExitCode fail_to_start(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? usage_error(error.message) : fail(error);
}

JobRunner::~JobRunner() {
  interrupt_.reset();
  session_.reset();
  stop_service(loop_, service_);
}

Result<JobResult> JobRunner::run(protocol::JobRequest job, std::string payload) {
  Result<JobResult> result = Error{ErrorCode::kCancelled, "interrupted"};
  session_->submit(std::move(job), std::move(payload), [&](Result<JobResult> r) {
    result = std::move(r);
    loop_.stop();
  });
  loop_.run();
  if (!result.ok() && result.error().code == ErrorCode::kNoDevice && uses_found_service_)
    return Error{result.error().code,
                 cat(result.error().message, "; or --own-browser, which starts a device for this run alone")};
  return result;
}

}  // namespace hone::cli
