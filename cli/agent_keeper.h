// AgentKeeper: a headless browser (or Node.js) with the agent's page on this machine, kept running for one service: what the service's tracker says
// of the agent tells the launcher when to replace it. On the event loop's thread.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "browser-agent/launch/browser_launcher.h"
#include "cli/service_client.h"

namespace hone::cli {

class AgentKeeper {
 public:
  using OnState = launch::BrowserLauncher::OnState;
  struct Config {
    std::string browser;  // "chromium", "firefox", "node", "native", or a program's path
    std::string url;      // of the agent's page, with #token=…
    std::string target = "webgpu";
    std::string ca_file;   // of an https service: --ca; "" = the system's authorities and this machine's own
    std::string peer_key;  // of an https service: ServiceClient::peer_key
  };
  // Fails: not_found without a browser, with the remedy; io_error when it cannot be started. `client` is past on_ready.
  static Result<std::unique_ptr<AgentKeeper>> start(net::EventLoop& loop, Config config, ServiceClient& client,
                                                    OnState on_state);
  // Asks another connection to the same service for the agent's states: the earlier one broke.
  void watch_through(ServiceClient& client);
  // To be called with each agent_state that the client receives.
  void on_agent_state(const protocol::AgentState& state);

 private:
  AgentKeeper(std::string launch_id, std::unique_ptr<launch::BrowserLauncher> launcher)
      : launch_id_(std::move(launch_id)), launcher_(std::move(launcher)) {}

  const std::string launch_id_;
  const std::unique_ptr<launch::BrowserLauncher> launcher_;
};

}  // namespace hone::cli
