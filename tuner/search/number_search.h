// A search without compiler and device: its schedules are numbers, and a script says how long each takes.
#pragma once
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/te/builder.h"
#include "tuner/search/tune.h"
#include "tuner/search/worker_pool.h"

namespace hone::tuner {

// A space of whole numbers: the trace holds one, and the scripted device takes (number − optimum)² + 100 µs.
inline schedule::Trace trace_of(int64_t number) {
  schedule::Trace trace;
  trace.steps.push_back(schedule::split("Y", "x", {number}));
  return trace;
}
inline int64_t number_of(const schedule::Trace& trace) { return trace.steps[0].factors[0]; }

class NumberStrategy final : public Strategy {
 public:
  NumberStrategy(uint64_t seed, int64_t size) : rng_(seed), size_(size) {}
  std::vector<Proposal> propose(int n) override {
    std::vector<Proposal> out;
    for (int tries = 0; tries < 1000 && static_cast<int>(out.size()) < n; ++tries) {
      bool mutate = best_ > 0 && tries % 3 != 0;
      auto number = static_cast<int64_t>(mutate ? best_ - 4 + static_cast<int64_t>(rng_.below(9))
                                                : 1 + static_cast<int64_t>(rng_.below(static_cast<uint64_t>(size_))));
      if (number >= 1 && number <= size_ && seen_.insert(number).second) out.push_back({trace_of(number)});
    }
    return out;
  }
  void observe(const Observation& o) override {
    seen_.insert(number_of(o.trace));
    if (o.outcome != ErrorCode::kOk || (best_us_ > 0 && o.latency_us >= best_us_)) return;
    best_us_ = o.latency_us;
    best_ = number_of(o.trace);
  }

 private:
  Rng rng_;
  int64_t size_, best_ = 0;
  double best_us_ = 0;
  std::set<int64_t> seen_;
};

// Says of each proposal how long it takes.
class Predicting final : public Strategy {
 public:
  explicit Predicting(std::unique_ptr<Strategy> inner) : inner_(std::move(inner)) {}
  std::vector<Proposal> propose(int n) override {
    std::vector<Proposal> all = inner_->propose(n);
    for (Proposal& p : all) p.predicted_us = std::pow(static_cast<double>(number_of(p.trace)) - 377, 2) + 100;
    return all;
  }
  void observe(const Observation& o) override { inner_->observe(o); }

 private:
  std::unique_ptr<Strategy> inner_;
};

class NumberBuilder final : public Builder {
 public:
  Result<emit::KernelSource> build(const te::Task&, const schedule::Trace& trace) override {
    int64_t number = number_of(trace);
    if (number % 50 == 13) return Error{ErrorCode::kIllegalSchedule, "thirteen"};
    emit::KernelSource source;
    source.launches.push_back({.code = cat(number)});
    source.hash = {5, static_cast<uint64_t>(number)};
    if (number == 2) source.hash = {5, 3};  // two traces, one source
    return source;
  }
};

// Answers on its own thread, the youngest first, so that results come out of order.
class ScriptedRunner final : public Runner {
 public:
  using Script = std::function<MeasureResult(int64_t number, const MeasureInput& input)>;
  // Nothing is answered before outstanding_first inputs were outstanding at once.
  explicit ScriptedRunner(Script script, int outstanding_first = 1)
      : outstanding_first_(outstanding_first), script_(std::move(script)), thread_([this] { loop(); }) {}
  ~ScriptedRunner() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  void submit(MeasureInput input, OnResult on_result) override {
    {
      std::lock_guard lock(mutex_);
      submitted_.push_back({input.task, input.in_turns, outstanding_});
      queue_.push_back({std::move(input), std::move(on_result)});
      outstanding_max = std::max(outstanding_max, ++outstanding_);
    }
    wake_.notify_all();
  }
  int capacity() const override { return 4; }
  std::string device_key() const override { return "device-a"; }
  void cancel() override { cancelled_ = true; }

  struct Submitted {
    const te::Task* task;
    bool in_turns;
    int outstanding;  // before it
  };
  std::vector<Submitted> submitted() {
    std::lock_guard lock(mutex_);
    return submitted_;
  }
  std::vector<std::pair<int64_t, int>> measured() {  // (number, attempt)
    std::lock_guard lock(mutex_);
    return measured_;
  }
  int outstanding_max = 0;

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || (!queue_.empty() && outstanding_max >= outstanding_first_); });
      if (queue_.empty()) return;
      auto [input, on_result] = std::move(queue_.back());
      queue_.pop_back();
      int64_t number = std::stoll(input.source.launches[0].code);
      MeasureResult result = script_(number, input);
      if (cancelled_) result = {.outcome = ErrorCode::kCancelled};
      else measured_.push_back({number, input.attempt});
      result.trial_id = input.trial_id;
      result.attempt = input.attempt;
      --outstanding_;
      lock.unlock();
      on_result(result);
      lock.lock();
    }
  }

  const int outstanding_first_;
  Script script_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<MeasureInput, OnResult>> queue_;
  std::vector<Submitted> submitted_;
  std::vector<std::pair<int64_t, int>> measured_;
  std::atomic<bool> cancelled_{false};
  int outstanding_ = 0;  // submitted, not answered
  bool stopping_ = false;
  std::thread thread_;
};

inline MeasureResult timed(double us, const MeasureInput& input) {
  MeasureResult result{.outcome = ErrorCode::kOk, .latency_us_median = us, .method = "timestamp", .device_ms = 1};
  result.samples_us.assign(static_cast<size_t>(input.samples_wanted), us);
  return result;
}

inline MeasureResult valley(int64_t number, const MeasureInput& input) {
  return timed(std::pow(static_cast<double>(number) - 377, 2) + 100, input);
}

class Silent final : public ProgressSink {
 public:
  void on_progress(const TuneProgress& progress) override {
    last = progress;
    predicted += progress.predicted_us > 0 && progress.predicted_us == progress.latency_us;
    if (on_each) on_each(progress);
  }
  TuneProgress last;
  int predicted = 0;  // results that were what the strategy had said
  std::function<void(const TuneProgress&)> on_each;
};

inline te::Task small_task(const std::string& name, int64_t extent) {
  te::Builder b;
  te::Tensor x = b.input("x", ir::DType::kF32, {extent});
  auto axes = b.axes({"i"}, {extent});
  b.output(b.map("y", axes, b.at(x, b.syms(axes)) * 2.0));
  te::Task task{.name = name, .program = b.take(), .args = {{te::Role::kActivation, {}}, {te::Role::kOutput, {}}}};
  te::finish_task(task);
  return task;
}

}  // namespace hone::tuner
