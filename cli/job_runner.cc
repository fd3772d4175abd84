#include "cli/job_runner.h"

#include "base/cat.h"
#include "browser-agent/launch/node_program.h"
#include "cli/ask_devices.h"
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
  runner->url_ = url;
  runner->sessions_.push_back(std::make_unique<JobSession>(runner->loop_, config, url));
  config.browser.clear();
  config.progress.quiet = true;
  runner->config_ = std::move(config);
  runner->interrupt_ = std::make_unique<Interrupt>(runner->loop_, [sessions = &runner->sessions_] {
    for (const auto& session : *sessions) session->cancel();
  });
  return runner;
}

ExitCode fail_to_start(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? usage_error(error.message) : fail(error);
}

JobRunner::~JobRunner() {
  interrupt_.reset();
  sessions_.clear();
  stop_service(loop_, service_);
}

Error JobRunner::with_advice(Error error) const {
  if (error.code == ErrorCode::kNoDevice && uses_found_service_) error.message += "; or --own-browser, which starts a device for this run alone";
  return error;
}

Result<JobResult> JobRunner::run(protocol::JobRequest job, std::string payload) {
  Result<JobResult> result = Error{ErrorCode::kCancelled, "interrupted"};
  bool done = false;
  run_lanes({[&]() -> std::optional<Work> {
    if (std::exchange(done, true)) return std::nullopt;
    return Work{std::move(job), std::move(payload), [&result](Result<JobResult> r) { result = std::move(r); }};
  }});
  return result;
}

void JobRunner::run_lanes(const std::vector<NextWork>& lanes) {
  while (sessions_.size() < lanes.size()) sessions_.push_back(std::make_unique<JobSession>(loop_, config_, url_));
  running_ = lanes.size();
  for (size_t lane = 0; lane < lanes.size(); ++lane) loop_.post([this, lane, &next = lanes[lane]] { run_next(lane, next); });
  if (running_ > 0) loop_.run();
}

void JobRunner::run_next(size_t lane, const NextWork& next) {
  std::optional<Work> work = next();
  if (!work) {
    if (--running_ == 0) loop_.stop();
    return;
  }
  sessions_[lane]->submit(std::move(work->job), std::move(work->payload), [this, lane, &next, on_end = std::move(work->on_end)](Result<JobResult> result) {
    on_end(result.ok() ? std::move(result) : Result<JobResult>(with_advice(result.error())));
    loop_.post([this, lane, &next] { run_next(lane, next); });
  });
}

Result<std::vector<protocol::DeviceInfo>> JobRunner::devices() const { return ask_devices(url_); }

}  // namespace hone::cli
