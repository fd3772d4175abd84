// WorkerPool: an Executor of a few threads that can be paused, because timed samples on the same host suffer from neighbours.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/search/executor.h"

namespace hone::tuner {

class WorkerPool final : public Executor {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool() override;  // finishes what is queued, paused or not

  void post(std::function<void()> work) override;
  // While paused no new piece of work starts; what runs goes on.
  void set_paused(bool paused);

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool paused_ = false, stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hone::tuner
