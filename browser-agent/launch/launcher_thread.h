// LauncherThread: a BrowserLauncher on a thread of its own. It starts programs, waits for their ends and removes their profiles, and all of that blocks; its owner's thread, on which a
// service may serve others, does none of it.
#pragma once
// <utility> before Asio: Boost 1.74 uses std::exchange without naming its header.
#include <utility>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "browser-agent/launch/browser_launcher.h"

namespace hone::launch {

class LauncherThread {
 public:
  using MakeOptions = std::function<Result<BrowserLauncher::Options>()>;  // once, on the launcher's thread
  using Post = std::function<void(std::function<void()>)>;                // any thread: the owner's runs it later
  struct Events {  // on the owner's thread, and never after the destructor
    BrowserLauncher::OnState on_state;
    std::function<void(Error)> on_failed;  // it cannot be started at all: what MakeOptions or BrowserLauncher::start said
  };

  LauncherThread(MakeOptions make_options, Post post, Events events);
  ~LauncherThread();  // on the owner's thread. Nothing of the browser is left then.
  LauncherThread(const LauncherThread&) = delete;
  LauncherThread& operator=(const LauncherThread&) = delete;

  void on_agent(AgentLiveness liveness, std::string message);  // as BrowserLauncher's

 private:
  void run(const MakeOptions& make_options);
  Status serve(const MakeOptions& make_options);
  void tell(std::function<void(Events&)> what);

  const Post post_;
  std::shared_ptr<Events> events_;
  const std::weak_ptr<Events> told_ = events_;  // on the launcher's thread
  boost::asio::io_context io_;
  std::unique_ptr<BrowserLauncher> launcher_;  // on its thread alone
  std::thread thread_;
};

}  // namespace hone::launch
