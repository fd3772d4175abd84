// JobSession: a client of a service; runs jobs there, one after the other, with a headless agent of its own if asked for.
// On the event loop's thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/net/event_loop.h"
#include "cli/agent_keeper.h"
#include "cli/progress.h"
#include "cli/service_client.h"

namespace hone::cli {

struct JobResult {
  nlohmann::json result;
  std::string payload;
  std::optional<Error> cut_short;  // the service ended before the job did, or somebody else cancelled it, and this is what was known by then
};

class JobSession {
 public:
  struct Config {
    std::string url;                // of the service
    std::string db;                 // its database, where it is known
    std::string browser;            // non-empty: start it as the jobs' agent
    std::string target = "webgpu";  // what that agent runs
    ProgressLine::Config progress;
  };
  using OnEnd = std::function<void(Result<JobResult>)>;  // once per job
  JobSession(net::EventLoop& loop, Config config, ServiceUrl url);

  // One job at a time. When the connection or the browser failed for good, every job ends with that failure.
  void submit(protocol::JobRequest job, std::string payload, OnEnd on_end);
  // Likewise a job that is there: cancel() lets it go on without this client.
  void follow(const std::string& job, OnEnd on_end);
  void cancel();  // on_end follows with kCancelled, and for every later job
  bool followed() const { return accepted_; }  // the service took the latest job
  bool failed() const { return broken_.has_value(); }  // the connection or the browser, for good, or cancel()

 private:
  struct Asked {
    protocol::JobRequest request;
    std::string payload;
    OnEnd on_end;
    std::string followed = "";  // the job that is there; "" = it is submitted
    bool sent = false;
    std::string id = "";  // once it is accepted
  };
  void begin(Asked job);
  void on_ready();
  void send();
  void show(protocol::JobProgress progress);
  void receive(const protocol::ClientFromService& message, std::string_view payload);
  void ask_for_device(const std::string& why);
  Error service_ended(const std::string& how) const;
  void on_browser(launch::BrowserState state, const std::string& message);
  void end(Result<JobResult> result);
  void on_failed(Error error);
  void fail_for_good(Error error);

  net::EventLoop& loop_;
  const Config config_;
  ProgressLine progress_;
  net::Timer cancel_timer_, no_device_timer_;
  bool ready_ = false, cancelled_ = false, accepted_ = false;
  std::optional<Asked> job_;
  std::optional<Error> broken_;
  std::unique_ptr<AgentKeeper> agent_;
  ServiceClient client_;
};

}  // namespace hone::cli
