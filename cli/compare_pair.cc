#include "cli/compare_pair.h"

namespace hone::cli {

Result<protocol::BenchReport> compare_pair(const PairPaths& pair, const BenchSuite& suite, const CommonOptions& common, const PlaceOptions& place, std::optional<double> fail_above) {
  BenchRun run{.common = common, .place = place, .suite = suite, .fail_above = fail_above};
  HONE_ASSIGN(old_build, named_build(pair.old_build, common));
  HONE_ASSIGN(new_build, named_build(pair.new_build, common));
  run.old_build = std::move(old_build), run.new_build = std::move(new_build);
  return run_suite(std::move(run));
}

}  // namespace hone::cli
