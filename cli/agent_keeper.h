// AgentKeeper: a headless browser (or Node.js) with the agent's page on this machine, kept running for one service: what the service's tracker says
// of the agent tells the launcher when to replace it. On the event loop's thread; what blocks is done on the launcher's.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "browser-agent/launch/launcher_thread.h"
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
  struct Events {
    OnState on_state;
    std::function<void(Error)> on_failed;  // not_found without a browser, with the remedy; io_error when it cannot be started
  };
  // `client` is past on_ready.
  AgentKeeper(net::EventLoop& loop, Config config, ServiceClient& client, Events events);
  // Asks another connection to the same service for the agent's states: the earlier one broke.
  void watch_through(ServiceClient& client);
  // To be called with each agent_state that the client receives.
  void on_agent_state(const protocol::AgentState& state);

 private:
  const std::string launch_id_;
  launch::LauncherThread launcher_;
};

}  // namespace hone::cli
