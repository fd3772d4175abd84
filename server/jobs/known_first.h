// KnownFirst: a Runner that measures only what nobody has measured. Before a candidate goes to the device the store is asked once more: since
// the search began, other users of the same database may have measured it. What another job of this service measures right now is waited
// for. A result that is taken so says `recorded`. Finalists are measured in any case. An attempt whose number another job has used gets the
// next one.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "server/jobs/under_way.h"
#include "tuner/measure/runner.h"
#include "tuner/records/store.h"
#include "tuner/search/executor.h"

namespace hone::server {

class KnownFirst : public tuner::Runner, public std::enable_shared_from_this<KnownFirst> {
 public:
  // What is given outlives the job. `executor`: where the store is read when another job has ended what this one waited for.
  KnownFirst(std::shared_ptr<tuner::Runner> runner, tuner::RecordStore& store, UnderWay& under_way,
             tuner::Executor& executor)
      : runner_(std::move(runner)), store_(store), under_way_(under_way), executor_(executor) {}

  void submit(tuner::MeasureInput input, OnResult on_result) override;
  int capacity() const override { return runner_->capacity(); }
  std::string device_key() const override { return runner_->device_key(); }
  void cancel() override;
  tuner::RunnerWait waits_for() const override { return runner_->waits_for(); }

  // A record of this job is stored, or refused for good: others need not wait for it.
  void settled(const Hash& task, const Hash& source);
  // The search has ended: others need not wait for anything.
  void close();

 private:
  using Waiting = std::pair<tuner::MeasureInput, OnResult>;

  UnderWay::Key key_of(const tuner::MeasureInput& input) const;
  bool wait_for_other(const tuner::MeasureInput& input, const OnResult& on_result);
  void again(uint64_t number);
  std::optional<tuner::MeasureResult> recorded(tuner::MeasureInput& input);
  void measure(tuner::MeasureInput input, OnResult on_result);
  void end(const UnderWay::Key& key);

  const std::shared_ptr<tuner::Runner> runner_;
  tuner::RecordStore& store_;
  UnderWay& under_way_;
  tuner::Executor& executor_;

  std::mutex mutex_;
  std::map<uint64_t, Waiting> waiting_;  // for other jobs
  std::set<UnderWay::Key> held_;         // by this job
  uint64_t next_ = 1;
  bool cancelled_ = false;
};

}  // namespace hone::server
