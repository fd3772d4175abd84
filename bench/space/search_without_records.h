// A search that finds no records and leaves none.
#pragma once
#include <string>

#include "codegen/te/task.h"
#include "tuner/measure/runner.h"
#include "tuner/search/strategy.h"

namespace hone::bench {

struct Device {
  tuner::Builder& builder;
  tuner::Runner& runner;
};

// The best time of so many trials, in µs; 0: no trial had one. On the caller's thread, without a clock. Aborts with the reason where there
// is no search.
double search_without_records(const te::Task& task, const tuner::Planner& planner, const Device& device, const std::string& target,
                              int trials);

}  // namespace hone::bench
