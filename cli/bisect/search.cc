#include "cli/bisect/search.h"

#include <algorithm>
#include <set>

#include "base/cat.h"

namespace hone::bisect {
namespace {

class Search {
 public:
  Search(const GitRepository& repository, std::string good, std::string bad, const Judge& judge) : repository_(repository), good_{std::move(good)}, bad_(std::move(bad)), judge_(judge) {}

  Result<Found> run() {
    HONE_ASSIGN(first, judge_(bad_));
    found_.steps.push_back({bad_, first});
    if (first.judgement != Judgement::kBad) return std::move(found_);
    while (true) {
      HONE_ASSIGN(candidates, repository_.between(good_, bad_));
      const std::string next = next_of(candidates);
      if (next.empty()) return ended(std::move(candidates));
      HONE_TRY(take(next));
    }
  }

 private:
  std::string next_of(const std::vector<std::string>& candidates) const {
    const auto open = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& commit) { return commit != bad_ && !skipped_.count(commit); });
    return open == candidates.end() ? "" : *open;
  }

  Status take(const std::string& commit) {
    HONE_ASSIGN(judged, judge_(commit));
    found_.steps.push_back({commit, judged});
    switch (judged.judgement) {
      case Judgement::kGood: good_.push_back(commit); break;
      case Judgement::kBad: bad_ = commit; break;
      case Judgement::kUnknown: skipped_.insert(commit); break;
    }
    return ok_status();
  }

  Found ended(std::vector<std::string> candidates) {
    if (candidates.size() <= 1) found_.first_bad = bad_;
    else found_.left = std::move(candidates);
    return std::move(found_);
  }

  const GitRepository& repository_;
  std::vector<std::string> good_;
  std::string bad_;
  const Judge& judge_;
  std::set<std::string> skipped_;
  Found found_;
};

}  // namespace

const char* judgement_name(Judgement judgement) {
  switch (judgement) {
    case Judgement::kGood: return "good";
    case Judgement::kBad: return "bad";
    case Judgement::kUnknown: break;
  }
  return "not known";
}

// GOOD must be what BAD grew out of: a side branch's times say nothing of the commits before it.
Status check_ends(const GitRepository& repository, const std::string& good, const std::string& bad) {
  if (good == bad) return Error{ErrorCode::kInvalidArgument, cat("GOOD and BAD are the same commit, ", repository.title(bad), "; give one that is faster and a later one that is slower")};
  const std::string base = repository.merge_base(good, bad);
  if (base == good) return ok_status();
  return Error{ErrorCode::kInvalidArgument, cat("BAD, ", repository.title(bad), ", does not descend from GOOD, ", repository.title(good),
                                                base.empty() || base == bad ? "; give an earlier commit as GOOD" : cat("; give ", base, " as GOOD, where they part"))};
}

Result<Found> find_first_bad(const GitRepository& repository, const std::string& good, const std::string& bad, const Judge& judge) {
  HONE_TRY(check_ends(repository, good, bad));
  return Search(repository, good, bad, judge).run();
}

}  // namespace hone::bisect
