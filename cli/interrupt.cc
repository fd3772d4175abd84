#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "cli/interrupt.h"

#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "cli/exit_code.h"

namespace hone::cli {

struct Interrupt::Impl : std::enable_shared_from_this<Impl> {
  Impl(net::EventLoop& loop, std::function<void()> on_interrupt)
      : signals(loop.io(), SIGINT, SIGTERM), on_interrupt(std::move(on_interrupt)) {}

  void wait() {
    signals.async_wait([self = shared_from_this()](boost::system::error_code error, int) {
      if (error) return;
      if (self->interrupted) _exit(static_cast<int>(ExitCode::kInterrupted));
      self->interrupted = true;
      self->wait();
      self->on_interrupt();
    });
  }

  boost::asio::signal_set signals;
  std::function<void()> on_interrupt;
  bool interrupted = false;
};

Interrupt::Interrupt(net::EventLoop& loop, std::function<void()> on_interrupt)
    : impl_(std::make_shared<Impl>(loop, std::move(on_interrupt))) {
  impl_->wait();
}

Interrupt::~Interrupt() { impl_->signals.cancel(); }

}  // namespace hone::cli
