// WorkerPool: the threads that compile. A gate holds them back while an agent on this host takes timed samples, because work here would
// show in its times. The gate is looked at between pieces of work, so pieces should be short.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/compile/pause_budget.h"
#include "tuner/search/executor.h"

namespace hone::server {

class WorkerPool : public tuner::Executor {
 public:
  // Pauses may last for pause_max while work waits, then it has its turn (pause_budget.h): neither an agent that died while timing nor several that
  // time one after the other stop the server.
  struct Config {
    int threads = 1;
    std::chrono::milliseconds pause_max{2000};
  };
  explicit WorkerPool(Config config);
  // Work that has not begun is dropped; what runs is waited for.
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Any thread. Who waits for a piece of work guards it: what it throws is logged here, and nobody else hears of it.
  void post(std::function<void()> work) override;
  void pause();  // pauses nest: as many resumes as pauses open the gate
  void resume();
  bool paused();  // somebody wants it
  int threads() const { return config_.threads; }

 private:
  void work();
  void weigh_pauses();  // after a change of queue_ or pauses_

  const Config config_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  int pauses_ = 0;
  PauseBudget budget_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace hone::server
