// The tasks by which the space is judged on simulated hardware. They stand in no list of tests, and no seed or rule was chosen by them.
#pragma once
#include <string>
#include <vector>

#include "codegen/te/task.h"

namespace hone::bench {

struct HardwareTask {
  std::string name;
  te::Task task;
};

std::vector<HardwareTask> hardware_tasks();
// Others, on which estimates are made: nothing is judged by them.
std::vector<HardwareTask> design_tasks();

}  // namespace hone::bench
