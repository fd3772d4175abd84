// Finds the first commit that is slower, as `git bisect run` finds the first that fails: but "slower" is what a comparison in turns says, which may not know.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/bisect/git_repository.h"
#include "schema/generated/bench_report.h"

namespace hone::bisect {

enum class Judgement {
  kGood,     // surely not slower than GOOD by more than is permitted
  kBad,      // surely slower
  kUnknown,  // it cannot be built or measured, or the interval permits both: left out, as by `git bisect skip`
};
const char* judgement_name(Judgement judgement);  // "good", "bad", "not known"

struct Judged {
  Judgement judgement = Judgement::kUnknown;
  std::string message;                                // why it is not known
  std::optional<protocol::BenchComparison> comparison;  // with GOOD, of the case that is slowest by it
};

struct Step {
  std::string commit;
  Judged judged;
};

struct Found {
  std::vector<Step> steps;         // in the order of trying, bad first
  std::string first_bad;           // "": not known
  std::vector<std::string> left;  // the commits one of which is the first bad one, where nothing tells them apart; newest first where history is a line
};

// Of a commit's build, held against GOOD's. Fails: cancelled, or what ends the search; a commit that has no build is kUnknown.
using Judge = std::function<Result<Judged>(const std::string& commit)>;

// Fails: invalid_argument where bad, an id as good is, does not descend from good, with what to give instead.
Status check_ends(const GitRepository& repository, const std::string& good, const std::string& bad);

// bad is judged first: where it is not surely slower, it is the only step, and nothing is found. Fails: as check_ends, judge and git.
Result<Found> find_first_bad(const GitRepository& repository, const std::string& good, const std::string& bad, const Judge& judge);

}  // namespace hone::bisect
