// The kernel of a task for devices that nobody has measured, chosen by what is known of those that were.
#pragma once
#include <vector>

#include "server/jobs/kernel_choice.h"

namespace hone::server {

// A class of devices of the records.
struct KnownClass {
  std::string key;
  double launch_us = 0;  // of its devices
};

// On one thread.
class PortableChooser {
 public:
  // target: what every device of the kind has. classes: those of the kind that the store knows. store: null where there are no records.
  PortableChooser(tuner::RecordStore* store, tuner::Planner planner, target::Target target,
                  std::vector<KnownClass> classes);

  // Of the best of each class and the seeds, as they compile for the target, the one that loses least on the class on which it loses most, its
  // launches counted; only what was measured on every class that knows the task is compared. Else, where a launch costs, the first seed of the
  // fewest launches: nothing shows that further ones earn their cost. Else as KernelChooser without records.
  Result<ChosenKernel> choose(const te::Task& task) const;

 private:
  struct Measured {
    std::vector<tuner::KnownTrial> trials;
    double launch_us = 0;
  };
  Result<std::vector<Measured>> classes_of(const te::Task& task) const;
  std::vector<ChosenKernel> candidates(const te::Task& task, const std::vector<Measured>& classes) const;
  Result<ChosenKernel> choose_unmeasured(const te::Task& task) const;
  static double worst_loss(const std::vector<Measured>& classes, const emit::KernelSource& source);

  tuner::RecordStore* const store_;
  const tuner::Planner planner_;
  const target::Target target_;
  const std::vector<KnownClass> classes_;
  const KernelChooser without_records_;
};

}  // namespace hone::server
