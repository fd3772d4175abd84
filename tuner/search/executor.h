// Executor: runs pieces of work on some threads.
#pragma once
#include <functional>

#include "base/cancel.h"

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

using hone::CancelToken;

}  // namespace hone::tuner
