// A job of many trials, as a whole model's search is one: what it costs the host.
#pragma once

namespace hone::bench {

struct BigJob {
  int trials = 0;
  double ms_per_trial = 0;   // of one core, the records' commits and the simulated device included
  double memory_mb_max = 0;  // resident, of this process
};

// So many trials over ten tasks of one model on a simulated GPU, with first schedules, as `hone tune` searches.
BigJob big_job(int trials);

}  // namespace hone::bench
