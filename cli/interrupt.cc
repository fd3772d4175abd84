#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "cli/interrupt.h"

#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "cli/exit_code.h"

namespace hone::cli {

struct Interrupt::Impl : std::enable_shared_from_this<Impl> {
  Impl(net::EventLoop& loop, std::function<void()> on_interrupt, std::function<void()> on_terminate)
      : signals(loop.io(), SIGINT, SIGTERM),
        on_interrupt(std::move(on_interrupt)),
        on_terminate(std::move(on_terminate)) {}

  void wait() {
    signals.async_wait([self = shared_from_this()](boost::system::error_code error, int signal) {
      if (!error) self->on_signal(signal);
    });
  }
  void on_signal(int signal) {
    if (interrupted) _exit(static_cast<int>(ExitCode::kInterrupted));
    wait();
    if (signal == SIGTERM && on_terminate) return std::exchange(on_terminate, nullptr)();
    interrupted = true;
    on_interrupt();
  }

  boost::asio::signal_set signals;
  std::function<void()> on_interrupt, on_terminate;
  bool interrupted = false;
};

Interrupt::Interrupt(net::EventLoop& loop, std::function<void()> on_interrupt, std::function<void()> on_terminate)
    : impl_(std::make_shared<Impl>(loop, std::move(on_interrupt), std::move(on_terminate))) {
  impl_->wait();
}

Interrupt::~Interrupt() { impl_->signals.cancel(); }

}  // namespace hone::cli
