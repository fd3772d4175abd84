// Experience: what searches of other tasks, or of the same task on other devices, taught: features and times, from which a model is made that
// a new search begins with. Shared by the searches of a job. One thread.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "tuner/cost_model/cost_model.h"

namespace hone::tuner {

class Experience {
 public:
  // One schedule of a task on the job's own device; 0 µs: it failed.
  void add(const Hash& task, const Features& features, double latency_us);
  // What was learnt of some task on some device before this job; speeds relative to the best of the group.
  void add_group(CostGroup group);

  size_t rows_of_others(const Hash& task) const;
  // A model of all but this task's rows of this job, of at most kRowsMax rows, evenly chosen. nullptr where there are fewer than kRowsMin.
  std::shared_ptr<const CostModel> model_of_others(const Hash& task) const;

  static constexpr size_t kRowsMin = 40, kRowsMax = 1500;

 private:
  struct Timed {
    Features features;
    double latency_us;
  };
  std::map<Hash, std::vector<Timed>> tasks_;
  std::vector<CostGroup> before_;
};

}  // namespace hone::tuner
