// A benchmark's report for people, on a terminal.
#pragma once
#include <string>

#include "schema/generated/bench_report.h"

namespace hone::cli {

// A table of cases and devices, then what differs where, what was not measured and why, and a line that counts.
std::string bench_text(const protocol::BenchReport& report);

}  // namespace hone::cli
