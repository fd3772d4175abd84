// EventLoop: one thread, one Asio io_context that owns timers, signals, child processes and posted work, with libuv's loop (and so
// libwebsockets) embedded in it. Everything of base/net lives on the thread that calls run(); only post() and stop() may be called elsewhere.
// A callback that throws is logged and over; the loop goes on (guard.h).
#pragma once
#include <chrono>
#include <functional>
#include <memory>

typedef struct uv_loop_s uv_loop_t;
namespace boost::asio {
class io_context;
}

namespace hone::net {

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();  // every Server, Client and Timer of the loop is gone by then
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Serves until stop(). The calling thread is the loop's thread while it runs; may be called again afterwards.
  void run();
  // Serves until `done` is true, or `limit` has passed; returns done(). For tests and short-lived clients.
  bool run_until(const std::function<bool()>& done, std::chrono::milliseconds limit);
  void stop();                           // any thread
  void post(std::function<void()> work); // any thread; runs later, in order, on the loop's thread
  bool on_thread() const;                // also true before the first run, when no thread is the loop's yet

  boost::asio::io_context& io();         // for signal_set, process, …
  uv_loop_t* uv();                       // for libwebsockets, within base/net
  void pump_soon();                      // within base/net: after libwebsockets was touched outside of its callbacks
  void count_event();                    // within base/net: libwebsockets has called back
  void drain_uv();                       // within base/net: runs libuv until nothing closes any more

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A timer of the loop's thread. Destroying or restarting it forgets the earlier start; the callback may do either.
class Timer {
 public:
  explicit Timer(EventLoop& loop);
  ~Timer();
  void start(std::chrono::milliseconds after, std::function<void()> on_time);
  void start_repeating(std::chrono::milliseconds every, std::function<void()> on_time);
  void cancel();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hone::net
