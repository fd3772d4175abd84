// The tuner on simulated hardware: its first schedule, its search, and even draws of its space as a yardstick.
#pragma once
#include <string>

#include "bench/space/hardware.h"
#include "codegen/te/task.h"

namespace hone::bench {

// The time of the first seed: what an untuned task gets. Aborts where the space has none that can be compiled.
double first_schedule_us(const Hardware& gpu, const te::Task& task);

// The best of so many trials of the whole search, experts' choices included and nothing recalled. On the caller's thread.
double searched_us(const Hardware& gpu, const te::Task& task, int trials, uint64_t seed);

struct Drawn {
  double best_us = 0;  // 0: none
  std::string sketch;  // of the best, Space's words
  int legal = 0;       // draws that made a kernel, repeated ones included
};

// The best of so many even draws of the space.
Drawn draw_schedules(const Hardware& gpu, const te::Task& task, int draws, uint64_t seed);

// The time of a schedule by its sketch; 0 where the space has changed since and no longer makes it.
double sketch_us(const Hardware& gpu, const te::Task& task, const std::string& sketch);

}  // namespace hone::bench
