// The kernel of a task for devices that nobody has measured, chosen by what is known of those that were.
#pragma once
#include <vector>

#include "server/jobs/kernel_choice.h"

namespace hone::server {

// On one thread.
class PortableChooser {
 public:
  // target: what every device of the kind has. device_keys: the classes of the kind that the store knows. store: null where there are no records.
  PortableChooser(tuner::RecordStore* store, tuner::Planner planner, target::Target target,
                  std::vector<std::string> device_keys);

  // Of the best of each class and the seeds, as they compile for the target, the one that loses least on the class on which it loses most; only
  // what was measured on every class that knows the task is compared. Else as KernelChooser without records.
  Result<ChosenKernel> choose(const te::Task& task) const;

 private:
  using Trials = std::vector<tuner::KnownTrial>;
  Result<std::vector<Trials>> classes_of(const te::Task& task) const;
  std::vector<ChosenKernel> candidates(const te::Task& task, const std::vector<Trials>& classes) const;

  tuner::RecordStore* const store_;
  const tuner::Planner planner_;
  const target::Target target_;
  const std::vector<std::string> device_keys_;
  const KernelChooser without_records_;
};

}  // namespace hone::server
