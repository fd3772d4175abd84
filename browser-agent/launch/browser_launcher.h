// BrowserLauncher: keeps one headless browser with the agent's page running, or Node.js with the agent's program for it. It starts the
// browser under a profile of its own, and on a display of its own where it is to have one, learns from the tracker how the agent does, and replaces the browser (kill of the process group, new
// profile) when the agent is stuck or does not come back. Everything happens on the io_context's thread.
#pragma once
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "browser-agent/launch/child_process.h"
#include "browser-agent/launch/profile_folder.h"
#include "browser-agent/launch/virtual_display.h"

namespace hone::launch {

// What the tracker tells of the agent with our launch_id (agent_state of the protocol).
enum class AgentLiveness { kConnected, kGone, kStuck };

enum class BrowserState {
  kStarting,  // the browser runs, its agent has not said hello yet
  kConnected,
  kRestarting,  // the browser was ended or ended itself; another one comes after the backoff
  kFailed,      // it failed failures_max times in a row without an agent; start() begins anew
  kStopped,
};

class BrowserLauncher {
 public:
  struct Limits {
    std::chrono::milliseconds connect{30'000};  // from start to the agent's hello; a cold disk takes seconds
    std::chrono::milliseconds gone_grace{
        8'000};  // a lost socket may come back by itself; the agent's own backoff ends at 5 s
    std::chrono::milliseconds backoff_first{250};
    std::chrono::milliseconds backoff_max{10'000};
    int failures_max = 5;  // starts in a row without a hello
  };
  struct Options {
    std::string browser;         // the program's path: find_browser
    bool firefox = false;        // the browser is Firefox
    std::string display_server;  // the program for its display: find_virtual_display; "" where it is to start none
    std::string node_script;     // the agent's program, where the browser is Node.js; else ""
    int node_major = 0;          // find_node_major
    std::string runner;          // the program that runs the kernels, where the target has one (has_runner); else ""
    std::string url;             // of the agent's page, with #token=…
    std::string target =
        "webgpu";  // the kind of kernels that the page is to bring: webgpu, webgl, wasm, native, opengl, opencl
    std::string launch_id;    // by which the tracker knows our agent
    std::string physical_id;  // of this machine, for its device; "" = none
    std::string server_key;   // of an https service: the SHA-256 of its public key in base64, which Chromium then takes for right; else ""
    std::vector<std::string> extra_flags;
    std::vector<std::string> environment;  // "NAME=value", besides this process's
    std::string temp_dir = "/tmp";
    bool gpu = false;  // has_gpu()
    Limits limits;
  };
  using OnState = std::function<void(BrowserState, const std::string& message)>;

  BrowserLauncher(boost::asio::io_context& io, Options options, OnState on_state);
  ~BrowserLauncher();  // as stop(), without the call of on_state

  // Fails when the browser cannot be started at all; later failures are retried and told by on_state.
  Status start();
  // Kills the browser and removes its profile before it returns.
  void stop();
  // The wiring of SERVER calls this on each agent_state for options.launch_id.
  void on_agent(AgentLiveness liveness, const std::string& message);

  BrowserState state() const { return state_; }
  pid_t pid() const { return child_ ? child_->pid() : 0; }
  // The flags of the browser, as the agent reports them with its device.
  const std::vector<std::string>& flags() const { return flags_; }

 private:
  Status launch();
  Status open_display();
  Status open_browser(const std::string& display);
  bool is_browser() const { return options_.node_script.empty(); }
  Result<std::vector<std::string>> write_start() const;
  std::vector<std::string> chromium_start(const std::string& page) const;
  std::string page_url() const;
  void replace(const std::string& reason);
  void end_browser();
  void after(std::chrono::milliseconds delay, std::function<void()> run);
  void forget_timer();
  void become(BrowserState state, const std::string& message);

  boost::asio::io_context& io_;
  const Options options_;
  const OnState on_state_;
  const std::vector<std::string> flags_;
  boost::asio::steady_timer timer_;
  uint64_t timer_turn_ = 0;  // a timer that was overtaken while its handler was queued does nothing
  std::unique_ptr<ProfileFolder> profile_;
  std::unique_ptr<VirtualDisplay> display_;
  std::unique_ptr<ChildProcess> child_;
  BrowserState state_ = BrowserState::kStopped;
  int failures_ = 0;
};

}  // namespace hone::launch
