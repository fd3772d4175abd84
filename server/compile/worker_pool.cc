#include "server/compile/worker_pool.h"

#include <utility>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/log.h"

namespace hone::server {

WorkerPool::WorkerPool(Config config) : config_(config), budget_(config.pause_max) {
  for (int i = 0; i < config.threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::post(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    queue_.push_back(std::move(work));
    weigh_pauses();
  }
  changed_.notify_one();
}

void WorkerPool::pause() {
  std::lock_guard lock(mutex_);
  ++pauses_;
  weigh_pauses();
}

void WorkerPool::resume() {
  {
    std::lock_guard lock(mutex_);
    if (pauses_ > 0) --pauses_;
    weigh_pauses();
  }
  changed_.notify_all();
}

bool WorkerPool::paused() {
  std::lock_guard lock(mutex_);
  return pauses_ > 0;
}

void WorkerPool::weigh_pauses() {
  budget_.want(pauses_ > 0 && !queue_.empty(), std::chrono::steady_clock::now());
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (queue_.empty()) {
      changed_.wait(lock);
      continue;
    }
    if (const auto now = std::chrono::steady_clock::now(); budget_.still(now)) {
      changed_.wait_until(lock, budget_.changes_at(now));
      continue;
    }
    std::function<void()> next = std::move(queue_.front());
    queue_.pop_front();
    weigh_pauses();
    lock.unlock();
    const Status done = guarded([&next] {
      next();
      return ok_status();
    });
    if (!done.ok()) log_error(cat("a piece of work on a worker failed: ", done.error().message));
    next = nullptr;  // what it captured goes before the lock is taken again
    lock.lock();
  }
}

}  // namespace hone::server
