// What a suite's comparisons say together: verdicts that hold for all of them at once, means over devices, and the classes on which a case differs (stats).
#pragma once
#include "base/result.h"
#include "schema/generated/bench_report.h"

namespace hone::cli {

// The numbers that comparisons are judged by. What differs by no more than fail_above is looked for by nobody, and is the same.
void set_rule(protocol::BenchReport& report);

// By that rule: takes the comparisons of each alone for those of all cases and devices (Holm), says which are slower by more than fail_above, and adds means and classes.
Status judge(protocol::BenchReport& report);

// Whether a case was tried and has no times.
bool has_failure(const protocol::BenchReport& report);

}  // namespace hone::cli
