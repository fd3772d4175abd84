// JobRunner: has jobs done and waits for them: by a service that --tracker names or that this user runs here (find_service.h), or by one in this
// process with a headless browser.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/event_loop.h"
#include "cli/interrupt.h"
#include "cli/job_session.h"
#include "cli/options.h"
#include "cli/service.h"

namespace hone::cli {

// Where a job is done; the options of tune, run, verify and bench.
struct PlaceOptions {
  std::string target = "webgpu";
  std::string device;        // selector
  std::string browser;       // empty: what suits the target
  bool own_browser = false;  // also where a service of this user runs
  double wait_s = 60;
  bool wait_given = false;
};
void add_place_options(Verb verb, PlaceOptions& options);
// What every job says of it.
protocol::JobRequest job_request(protocol::JobKind kind, const CommonOptions& common, const PlaceOptions& place);

// Prints the error of JobRunner::start and says what the process exits with: a wrong --tracker is wrong usage.
ExitCode fail_to_start(const Error& error);

class JobRunner {
 public:
  // Fails: invalid_argument for a --tracker that is not a URL and for a browser that cannot run the target (wrong usage), and as start_service.
  static Result<std::unique_ptr<JobRunner>> start(const CommonOptions& common, const PlaceOptions& place);
  ~JobRunner();  // ends the service and the browser that it started

  // Ctrl-C cancels it and every job after it.
  Result<JobResult> run(protocol::JobRequest job, std::string payload);

  struct Work {
    protocol::JobRequest job;
    std::string payload;
    std::function<void(Result<JobResult>)> on_end;
  };
  using NextWork = std::function<std::optional<Work>()>;  // nullopt: that was all
  // Several jobs side by side: one of each lane at a time. Nothing is shown of how far they are, but where there is one lane. Ctrl-C as above.
  void run_lanes(const std::vector<NextWork>& lanes);
  bool has_own_service() const { return service_ != nullptr; }  // with one device, that of its browser
  // As a service of others knows them. Fails: as ask_devices.
  Result<std::vector<protocol::DeviceInfo>> devices() const;

 private:
  JobRunner() = default;
  Error with_advice(Error error) const;
  void run_next(size_t lane, const NextWork& next);
  net::EventLoop loop_;
  std::unique_ptr<Service> service_;
  std::vector<std::unique_ptr<JobSession>> sessions_;  // one for each lane; the first has the browser
  JobSession::Config config_;
  std::unique_ptr<Interrupt> interrupt_;
  ServiceUrl url_;
  size_t running_ = 0;  // lanes
  bool uses_found_service_ = false;  // one that nobody named
};

}  // namespace hone::cli
