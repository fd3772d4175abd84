// The result of `hone bench` for people and for programs. Of both: a job's result as server/jobs/bench_job.h says.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace hone::cli {

// How many times the best's time another schedule takes: "seed_over_best" and "naive_over_best" are added, null where one has no time.
nlohmann::json with_ratios(nlohmann::json result);
// A table of the schedules, what they are to each other, and how many tasks are tuned; the tasks' times where they were asked for.
std::string bench_report_text(const nlohmann::json& result);

}  // namespace hone::cli
