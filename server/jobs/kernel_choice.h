// Which kernel a task of a model runs with on a device, and what the records know of it.
#pragma once
#include <string>

#include "codegen/emit/kernel_source.h"
#include "codegen/target/target.h"
#include "schema/generated/protocol.h"
#include "tuner/records/store.h"
#include "tuner/search/strategy.h"

namespace hone::server {

struct ChosenKernel {
  emit::KernelSource source;
  std::string
      origin;  // "tuned": the best of the device's records; "seed", "naive": what there is without any, or the only one
  int trials = 0;          // of a tuned one: candidates of its task that the device has records of
  double recorded_us = 0;  // its time there; 0: none
  int browser_major = 0;   // of a tuned one: the browser in which it was timed; 0: none
};

// On one thread. store: null where there are no records.
class KernelChooser {
 public:
  KernelChooser(tuner::RecordStore* store, tuner::Planner planner, target::Target target, std::string device_key)
      : store_(store), planner_(std::move(planner)), target_(std::move(target)), device_key_(std::move(device_key)) {}

  // Of what a search has timed, what costs a model least (launch_cost.h). Falls back from that to the first seed that compiles, and from
  // there to the plain schedule. Fails: where that one does not compile either, and as the store.
  Result<ChosenKernel> choose(const te::Task& task, protocol::ScheduleChoice choice) const;

 private:
  std::optional<ChosenKernel> best(const te::Task& task, const std::vector<tuner::KnownTrial>& trials) const;
  std::optional<ChosenKernel> seed(const te::Task& task) const;

  tuner::RecordStore* const store_;
  const tuner::Planner planner_;
  const target::Target target_;
  const std::string device_key_;
};

}  // namespace hone::server
