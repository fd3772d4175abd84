// VirtualDisplay: an X display without a screen, for Firefox, which has WebGL on a display only, also when it is headless. Ends with the object;
// it leaves no file behind, because it listens on an abstract socket alone. Other users of the machine may connect to it, too; they see nothing:
// a headless Firefox has no window. On the io_context's thread.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "browser-agent/launch/child_process.h"

namespace hone::launch {

class VirtualDisplay {
 public:
  struct Config {
    std::string program;  // Xvfb's path
    std::string log;      // file that receives what it complains of
  };
  struct Events {
    std::function<void(const std::string& name)> on_ready;  // ":7", a display that was free
    std::function<void(const std::string& how)> on_end;     // it ended by itself; both may destroy the object
  };
  static Result<std::unique_ptr<VirtualDisplay>> start(boost::asio::io_context& io, const Config& config,
                                                       Events events);

  pid_t pid() const { return child_->pid(); }

 private:
  VirtualDisplay(boost::asio::io_context& io, int answer, Events events)
      : answer_(io, answer), events_(std::move(events)) {}
  void await_number();

  boost::asio::posix::stream_descriptor answer_;  // the display's number, once clients may come
  std::string number_;
  Events events_;
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace hone::launch
