// Runs the cases of a suite and makes the report of it.
#pragma once
#include <optional>

#include "cli/bench_build.h"
#include "cli/job_runner.h"

namespace hone::cli {

struct BenchRun {
  CommonOptions common;
  PlaceOptions place;
  BenchSuite suite;
  std::unique_ptr<BenchBuild> new_build, old_build;  // old_build: null where nothing is compared
  std::optional<double> fail_above;                  // a share
  int runs = 10;                                     // of each case, where nothing is compared
  double time_s = 5;                                 // likewise, at most
};

// A case that no device takes is skipped, and says why; one that fails costs the others nothing. Fails: as JobRunner::start; cancelled.
Result<protocol::BenchReport> run_suite(BenchRun run);

}  // namespace hone::cli
