// CommitBuilds: a commit's build, made by the user's command in a folder of its own, held against GOOD's, which is made once and kept.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/bisect/search.h"
#include "schema/generated/bench_report.h"

namespace hone::bisect {

// The new build held against the old one, as paths of what was built. Fails: as cli's run_suite.
using CompareBuilds = std::function<Result<protocol::BenchReport>(const std::string& old_build, const std::string& new_build)>;

class CommitBuilds {
 public:
  struct Config {
    const GitRepository& repository;
    std::string folder;                // for the commits' folders; there, and private
    std::vector<std::string> command;  // run in a commit's folder
    std::string build;                 // what the command leaves, relative to that folder; inside of it
    CompareBuilds compare;
  };

  // Builds GOOD. Fails: invalid_argument for a build that lies elsewhere; the build's failure, because nothing can be compared without it.
  static Result<CommitBuilds> start(Config config, const std::string& good);

  // A commit that cannot be built or compared is kUnknown, and says why. Fails: cancelled; no_device, which no commit would change.
  Result<Judged> judge(const std::string& commit);

 private:
  struct Built {
    WorkTree tree;
    std::string path;  // of what was built
  };
  CommitBuilds(Config config, Built good) : config_(std::move(config)), good_(std::move(good)) {}
  static Result<Built> build(const Config& config, const std::string& commit);

  Config config_;
  Built good_;
};

// Bad where a result is slower, by more than fail_above where the report has one; good where each is known not to be; else not known.
Judged judged_of(const protocol::BenchReport& report);

}  // namespace hone::bisect
