// TuneSession: one job from submission to its end, as a client of a service, with a headless agent of its own where asked for.
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

class TuneSession {
 public:
  struct Config {
    std::string url;  // of the service
    protocol::JobRequest job;
    std::string model_bytes;
    std::string browser;  // non-empty: start it as the job's agent
    ProgressLine::Config progress;
  };
  using OnEnd = std::function<void(Result<nlohmann::json>)>;  // once
  TuneSession(net::EventLoop& loop, Config config, ServiceUrl url, OnEnd on_end);

  void cancel();  // on_end follows with kCancelled

 private:
  void begin();
  void receive(const protocol::ClientFromService& message);
  void on_browser(launch::BrowserState state, const std::string& message);
  void end(Result<nlohmann::json> result);

  net::EventLoop& loop_;
  const Config config_;
  const OnEnd on_end_;
  ProgressLine progress_;
  net::Timer cancel_timer_;
  std::string job_;
  bool cancelled_ = false, ended_ = false;
  std::unique_ptr<AgentKeeper> agent_;
  ServiceClient client_;
};

}  // namespace hone::cli
