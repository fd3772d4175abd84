#include "server/compile/worker_pool.h"

#include <utility>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/log.h"

namespace hone::server {

WorkerPool::WorkerPool(Config config) : config_(config) {
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
  }
  changed_.notify_one();
}

void WorkerPool::pause() {
  std::lock_guard lock(mutex_);
  ++pauses_;
  pause_end_ = std::chrono::steady_clock::now() + config_.pause_max;
}

void WorkerPool::resume() {
  {
    std::lock_guard lock(mutex_);
    if (pauses_ > 0) --pauses_;
  }
  changed_.notify_all();
}

bool WorkerPool::paused() {
  std::lock_guard lock(mutex_);
  return pauses_ > 0 && std::chrono::steady_clock::now() < pause_end_;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!may_run()) {
      if (pauses_ > 0 && !queue_.empty()) changed_.wait_until(lock, pause_end_);
      else changed_.wait(lock);
      continue;
    }
    std::function<void()> next = std::move(queue_.front());
    queue_.pop_front();
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
