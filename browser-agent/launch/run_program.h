// Runs a program to its end.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::launch {

// Returns what it printed on stdout and stderr. program: a path; environment: "NAME=value" besides this process's. Fails: io_error where it cannot be started, there is no room for what it prints, or ends with another code than
// 0: with the last line that it printed. Cancelled at SIGINT and SIGTERM, which end it and all that it started.
Result<std::string> run_program(const std::string& program, const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

}  // namespace hone::launch
