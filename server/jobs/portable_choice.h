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

  // Of the schedules that every class which knows the task has timed, the one that loses least on the class on which it loses most, its launches
  // counted, as it compiles for the target. Else, where a launch costs, the first seed of the fewest launches: nothing shows that further ones earn
  // their cost. Else as KernelChooser without records.
  Result<ChosenKernel> choose(const te::Task& task) const;

 private:
  struct Measured {
    std::vector<tuner::KnownTrial> trials;
    double launch_us = 0;
  };
  struct Candidate {
    const tuner::KnownTrial* trial;  // of the first class
    double loss;                     // without its launches
  };
  Result<std::vector<Measured>> classes_of(const te::Task& task) const;
  std::optional<ChosenKernel> least_loss(const te::Task& task, const std::vector<Measured>& classes) const;
  Result<ChosenKernel> choose_unmeasured(const te::Task& task) const;
  static std::vector<Candidate> candidates(const std::vector<Measured>& classes);
  static std::optional<double> worst_loss(const std::vector<Measured>& classes, const std::string& trace_json,
                                          const emit::KernelSource* source);

  tuner::RecordStore* const store_;
  const tuner::Planner planner_;
  const target::Target target_;
  const std::vector<KnownClass> classes_;
  const KernelChooser without_records_;
};

}  // namespace hone::server
