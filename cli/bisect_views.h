// What a bisection shows: for people and for programs.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "cli/bisect/search.h"

namespace hone::cli {

// "0123abcd subject: bad, +12.0 % (+11.2 % to +12.7 %)"
std::string step_text(const std::string& title, const bisect::Judged& judged);

// The first bad commit, or those that are left; where BAD is not slower, that.
std::string found_text(const bisect::Found& found, const bisect::GitRepository& repository);

// schema/cli/bench_bisect.json
nlohmann::ordered_json found_json(const bisect::Found& found, const bisect::GitRepository& repository);

}  // namespace hone::cli
