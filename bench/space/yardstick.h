// Yardstick: the best of many even draws of the space, of each task on each simulated GPU, kept in a file of the repository: it takes long
// to find.
#pragma once
#include <string>
#include <vector>

#include "bench/space/hardware.h"
#include "bench/space/hardware_search.h"
#include "bench/space/hardware_tasks.h"

namespace hone::bench {

struct Yardstick {
  std::string gpu, task;
  int draws = 0;
  Drawn drawn;
};

// Aborts where the file is there and cannot be read; none where there is no file.
std::vector<Yardstick> load_yardsticks(const std::string& path);

struct Drawing {
  int draws = 0, threads = 1;
};
// Draws for each pair that the file does not have with so many draws, on so many threads, and writes the file after each pair.
void find_yardsticks(const std::vector<Hardware>& gpus, const std::vector<HardwareTask>& tasks, Drawing how, const std::string& path);

// The best time that is known: the file's schedule as it is judged now, or the file's own time where the space no longer makes that. 0: not
// in the file.
double yardstick_us(const std::vector<Yardstick>& all, const Hardware& gpu, const HardwareTask& task);

}  // namespace hone::bench
