#include "browser-agent/launch/launcher_thread.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "base/guarded.h"

namespace hone::launch {

namespace asio = boost::asio;

LauncherThread::LauncherThread(MakeOptions make_options, Post post, Events events)
    : post_(std::move(post)), events_(std::make_shared<Events>(std::move(events))), thread_([this, make = std::move(make_options)] { run(make); }) {}

LauncherThread::~LauncherThread() {
  events_.reset();
  io_.stop();
  thread_.join();
}

void LauncherThread::on_agent(AgentLiveness liveness, std::string message) {
  asio::post(io_, [this, liveness, message = std::move(message)] { launcher_->on_agent(liveness, message); });
}

void LauncherThread::run(const MakeOptions& make_options) {
  const Status served = guarded([&] { return serve(make_options); });
  launcher_.reset();
  if (!served.ok()) tell([error = served.error()](Events& events) { events.on_failed(error); });
}

Status LauncherThread::serve(const MakeOptions& make_options) {
  const auto work = asio::make_work_guard(io_);
  HONE_ASSIGN(options, make_options());
  launcher_ = std::make_unique<BrowserLauncher>(io_, std::move(options), [this](BrowserState state, const std::string& message) {
    tell([state, message](Events& events) { events.on_state(state, message); });
  });
  HONE_TRY(launcher_->start());
  io_.run();
  return ok_status();
}

void LauncherThread::tell(std::function<void(Events&)> what) {
  post_([weak = told_, what = std::move(what)] {
    if (const auto events = weak.lock()) what(*events);
  });
}

}  // namespace hone::launch
