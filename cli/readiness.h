// Readiness: whether a service takes work, and why not, for GET /readyz and whoever balances load. Pure.
#pragma once
#include "base/commit_meter.h"

namespace hone::cli {

struct ReadinessOf {
  bool stopping = false;
  CommitReading fleet, records;  // two writers of one database
};
// Fails: busy while it stops; with the error of the latest commit where that failed, whichever store tried it.
Status readiness(const ReadinessOf& service);

}  // namespace hone::cli
