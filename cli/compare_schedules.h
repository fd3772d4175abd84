// hone bench --schedules: several schedules of one task, timed in turns on one device.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/job_runner.h"
#include "cli/options.h"

namespace hone::cli {

struct CompareOptions {
  std::string model, op;  // of which one is given
  std::string task;       // which one, where a model has several
  std::vector<std::string> schedules;
  int rounds = 0;     // 0: until it is known
  std::string cache;  // "" = as hone tune has it
};

ExitCode compare_schedules(const CommonOptions& common, const PlaceOptions& place, const CompareOptions& options);

// A compare job's result as a table and a sentence for each schedule behind the first.
std::string compare_text(const nlohmann::json& result);

}  // namespace hone::cli
