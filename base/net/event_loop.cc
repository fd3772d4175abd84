#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "base/net/event_loop.h"

#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>

#include "base/check.h"
#include "base/net/guard.h"

namespace hone::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
// Closing a handle takes one or two turns of libuv; more means that a handle was forgotten.
constexpr int kDrainTurnsMax = 1000;
// libwebsockets wants its next turn at once for as long as a socket has bytes that it cannot look at yet, say those behind a request that is being answered. Policy: after so many turns in
// a row in which it called nobody back, the next one comes so much later, and after many later still. A TLS handshake, or a write that goes out in pieces, is some turns without a callback, too.
constexpr int kIdleTurnsMax = 16, kIdleTurnsMany = 256;
constexpr std::chrono::microseconds kIdlePause{100}, kLongIdlePause{1'000};
}  // namespace

struct EventLoop::Impl {
  asio::io_context io{1};
  uv_loop_t uv{};
  asio::posix::stream_descriptor uv_fd{io};
  asio::steady_timer uv_timer{io}, pause_timer{io};
  std::atomic<std::thread::id> thread{};
  bool pump_posted = false;
  uint64_t events = 0;  // since the last turn of libuv
  int idle_turns = 0;   // in a row, without one

  Impl() {
    CHECK(uv_loop_init(&uv) == 0, "uv_loop_init");
    uv_fd.assign(dup(uv_backend_fd(&uv)));
    wait_for_uv();
  }

  void wait_for_uv() {
    uv_fd.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code error) {
      if (error) return;
      pump();
      turns_in_a_circle() ? pause() : wait_for_uv();
    });
  }
  void pause() {
    pause_timer.expires_after(idle_pause());
    pause_timer.async_wait([this](error_code error) {
      if (!error) wait_for_uv();
    });
  }
  bool turns_in_a_circle() const { return idle_turns > kIdleTurnsMax; }
  std::chrono::microseconds idle_pause() const { return idle_turns > kIdleTurnsMany ? kLongIdlePause : kIdlePause; }

  // One turn of libuv without waiting; then a timer for its next deadline.
  void pump() {
    uv_run(&uv, UV_RUN_NOWAIT);
    idle_turns = std::exchange(events, 0) == 0 ? std::min(idle_turns, kIdleTurnsMany) + 1 : 0;
    const int timeout_ms = uv_backend_timeout(&uv);
    if (timeout_ms == 0 && !turns_in_a_circle()) return post_pump();
    uv_timer.cancel();
    if (timeout_ms < 0) return;
    uv_timer.expires_after(timeout_ms == 0 ? idle_pause() : std::chrono::microseconds(std::chrono::milliseconds(timeout_ms)));
    uv_timer.async_wait([this](error_code error) {
      if (!error) pump();
    });
  }

  void post_pump() {
    if (std::exchange(pump_posted, true)) return;
    asio::post(io, [this] {
      pump_posted = false;
      pump();
    });
  }
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}

EventLoop::~EventLoop() {
  drain_uv();
  impl_->uv_timer.cancel();
  impl_->pause_timer.cancel();
  impl_->uv_fd.close();
  CHECK(uv_loop_close(&impl_->uv) == 0, "an EventLoop ended before its servers and clients");
}

void EventLoop::run() {
  impl_->thread = std::this_thread::get_id();
  auto guard = asio::make_work_guard(impl_->io);
  impl_->io.restart();
  impl_->post_pump();
  while (!impl_->io.stopped()) (void)guarded([this] { impl_->io.run(); });
  impl_->thread = std::thread::id();
}

bool EventLoop::run_until(const std::function<bool()>& done, std::chrono::milliseconds limit) {
  impl_->thread = std::this_thread::get_id();
  auto guard = asio::make_work_guard(impl_->io);
  impl_->io.restart();
  impl_->post_pump();
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!done() && !impl_->io.stopped() && std::chrono::steady_clock::now() < end)
    (void)guarded([&] { impl_->io.run_one_until(end); });
  impl_->thread = std::thread::id();
  return done();
}

void EventLoop::stop() { impl_->io.stop(); }

void EventLoop::post(std::function<void()> work) { asio::post(impl_->io, std::move(work)); }

bool EventLoop::on_thread() const {
  const std::thread::id id = impl_->thread;
  return id == std::thread::id() || id == std::this_thread::get_id();
}

asio::io_context& EventLoop::io() { return impl_->io; }

uv_loop_t* EventLoop::uv() { return &impl_->uv; }

void EventLoop::count_event() { ++impl_->events; }

void EventLoop::pump_soon() { impl_->post_pump(); }

void EventLoop::drain_uv() {
  for (int turn = 0; turn < kDrainTurnsMax && uv_run(&impl_->uv, UV_RUN_NOWAIT) != 0; ++turn) {
  }
}

struct Timer::Impl : std::enable_shared_from_this<Timer::Impl> {
  explicit Impl(EventLoop& loop) : timer(loop.io()) {}

  // `generation` tells the current start from forgotten ones, whose completion may be queued already.
  void wait(std::chrono::milliseconds after, bool repeat, std::shared_ptr<std::function<void()>> on_time) {
    timer.expires_after(after);
    timer.async_wait([self = shared_from_this(), generation = generation, after, repeat, on_time](error_code error) {
      if (error || generation != self->generation) return;
      (void)guarded(*on_time);  // the next time may be better
      if (repeat && generation == self->generation) self->wait(after, repeat, on_time);
    });
  }

  asio::steady_timer timer;
  uint64_t generation = 0;
};

Timer::Timer(EventLoop& loop) : impl_(std::make_shared<Impl>(loop)) {}

Timer::~Timer() { cancel(); }

void Timer::start(std::chrono::milliseconds after, std::function<void()> on_time) {
  cancel();
  impl_->wait(after, false, std::make_shared<std::function<void()>>(std::move(on_time)));
}

void Timer::start_repeating(std::chrono::milliseconds every, std::function<void()> on_time) {
  cancel();
  impl_->wait(every, true, std::make_shared<std::function<void()>>(std::move(on_time)));
}

void Timer::cancel() {
  ++impl_->generation;
  impl_->timer.cancel();
}

}  // namespace hone::net
