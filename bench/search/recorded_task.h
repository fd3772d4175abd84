// RecordedTask: a recording of tests/replay with its task, its sub-space and the features of its kernels.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codegen/te/task.h"
#include "tuner/cost_model/cost_model.h"
#include "tuner/measure/recording.h"

namespace hone::bench {

struct RecordedTask {
  std::string name;    // "matmul_128.chromium"
  std::string device;  // "chromium"
  tuner::Recording recording;
  std::unique_ptr<te::Task> task;       // recordings of one operator have equal ones
  tuner::CostGroup rows;                // a kernel each; speeds relative to the fastest
  std::vector<schedule::Trace> traces;  // of the rows
  double features_per_second = 0;       // of one core that nothing disturbs
};

// All of a folder, by name; the rows are shuffled, always alike. Aborts with the reason when one cannot be read.
std::vector<RecordedTask> load_recorded_tasks(const std::string& folder);

// Of this process since it began, all its threads: what other work on the machine does is no part of it.
double cpu_s();

}  // namespace hone::bench
