// <utility> before Asio: Boost 1.74 uses std::exchange without naming its header.
#include <utility>

#include "browser-agent/launch/virtual_display.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>
#include <cerrno>
#include <cstring>

#include "base/cat.h"

namespace hone::launch {

namespace asio = boost::asio;

Result<std::unique_ptr<VirtualDisplay>> VirtualDisplay::start(asio::io_context& io, const Config& config,
                                                              Events events) {
  int answer[2];
  if (pipe2(answer, O_CLOEXEC) != 0)
    return Error{ErrorCode::kIoError, cat("no pipe for ", config.program, ": ", std::strerror(errno))};
  std::unique_ptr<VirtualDisplay> display(new VirtualDisplay(io, answer[0], std::move(events)));
  auto child = ChildProcess::start(
      io,
      {.program = config.program,
       .arguments = {"-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-nolisten", "unix"},
       .output = config.log,
       .answer = answer[1]},
      [display = display.get()](const std::string& how) {
        const auto on_end = std::move(display->events_.on_end);
        on_end(how);
      });
  close(answer[1]);
  if (!child.ok()) return child.error();
  display->child_ = std::move(*child);
  display->await_number();
  return display;
}

void VirtualDisplay::await_number() {
  asio::async_read_until(answer_, asio::dynamic_buffer(number_), '\n',
                         [this](const boost::system::error_code& error, size_t bytes) {
                           if (error) return;  // the object is gone, or the program ended, of which on_end tells
                           const auto on_ready = std::move(events_.on_ready);
                           on_ready(cat(':', number_.substr(0, bytes - 1)));
                         });
}

}  // namespace hone::launch
