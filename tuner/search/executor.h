// Executor: runs pieces of work on some threads. Progress and cancellation of a search.
#pragma once
#include <atomic>
#include <functional>

namespace hone::tuner {

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void post(std::function<void()> work) = 0;
};

// Does the work where it is posted: what comes first is then the same in every run.
class InlineExecutor final : public Executor {
 public:
  void post(std::function<void()> work) override { work(); }
};

// Set from any thread (a signal's handler posts to one); read by the search between its steps.
class CancelToken {
 public:
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace hone::tuner
