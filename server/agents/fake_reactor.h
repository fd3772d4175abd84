// FakeReactor: the Reactor of tests.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "server/agents/reactor.h"

namespace hone::server {

// Turned by hand; after() waits for the fake time. post() may be called by the workers.
class FakeReactor : public Reactor {
 public:
  void post(std::function<void()> work) override {
    std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  void after(double ms, std::function<void()> work) override { timers_.emplace(now_ + ms, std::move(work)); }
  double now_ms() const override { return now_; }
  void turn() {
    while (true) {
      std::function<void()> work;
      {
        std::lock_guard lock(mutex_);
        if (posted_.empty()) return;
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      work();
    }
  }
  // Turns until `done`: what the workers post arrives in its own time.
  void turn_until(const std::function<bool()>& done) {
    for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
         !done() && std::chrono::steady_clock::now() < end;) {
      turn();
      std::this_thread::yield();
    }
    CHECK(done(), "what the test waits for did not come within 10 s");
  }
  void advance(double ms) {
    now_ += ms;
    while (!timers_.empty() && timers_.begin()->first <= now_) {
      auto work = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      work();
      turn();
    }
  }

 private:
  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
  std::multimap<double, std::function<void()>> timers_;
  double now_ = 1000;
};

}  // namespace hone::server
