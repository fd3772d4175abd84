// Compares two builds that lie on the disk, as hone bench --baseline does.
#pragma once
#include <optional>
#include <string>

#include "cli/bench_run.h"

namespace hone::cli {

// What --baseline may name, on both sides.
struct PairPaths {
  std::string old_build, new_build;
};

// Each case of both builds in turns. Fails: as named_build and run_suite.
Result<protocol::BenchReport> compare_pair(const PairPaths& pair, const BenchSuite& suite, const CommonOptions& common, const PlaceOptions& place, std::optional<double> fail_above);

}  // namespace hone::cli
