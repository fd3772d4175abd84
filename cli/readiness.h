// Readiness: whether a service takes work, and why not, for GET /readyz and whoever balances load. Pure.
#pragma once
#include "base/commit_meter.h"

namespace hone::cli {

// No disk that works takes so long for a commit; whoever waits for an acknowledgement waits for it.
inline constexpr std::chrono::seconds kCommitWait{3};

struct ReadinessOf {
  bool stopping = false;
  CommitReading fleet, records;  // two writers of one database
  CommitMeter::Time now;
};
// Fails: busy while it stops, and while a commit takes longer than kCommitWait; with the error of the latest commit where that failed, whichever store tried it.
Status readiness(const ReadinessOf& service);

}  // namespace hone::cli
