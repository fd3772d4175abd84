// The result of `hone tune` for people and for programs.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace hone::cli {

// The keys in the order of docs/cli.md: the wire sorts them.
nlohmann::ordered_json in_documented_order(const nlohmann::json& result);
// A table of the tasks, then the model's sums.
std::string tune_report_text(const nlohmann::json& result);
// Why measured tasks have no time of their naive kernels, in a run with a limit of time; "" where all have one.
std::string naive_hint(const nlohmann::json& result);
// One sentence that names the tasks of which no candidate got a time, with their errors; "" where all have one.
std::string tasks_without_time(const nlohmann::json& result);

}  // namespace hone::cli
