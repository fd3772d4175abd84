// Strategy: which candidates of one task to try next. Proposals depend on the seed and on what was observed, never on time.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "codegen/schedule/trace.h"
#include "codegen/te/task.h"

namespace hone::tuner {

class Experience;

struct Observation {
  const schedule::Trace& trace;
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;  // 0 unless ok
  double create_ms = 0;   // of its pipelines; 0 = unknown
};

struct Proposal {
  schedule::Trace trace;
  double predicted_us = 0;  // what a model expects of it; 0 = there is none
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to n candidates, none of which was proposed or observed before; fewer when the space is exhausted.
  virtual std::vector<Proposal> propose(int n) = 0;
  virtual void observe(const Observation& observation) = 0;
  // Few trials are left: what is proposed from now on should be near the best, not far from all that is known.
  virtual void refine() {}
  // Samples that were dropped before they became a trace, by reason.
  virtual std::map<std::string, int> dropped() const { return {}; }
};

// What makes two traces the same schedule: the steps, without the words about where they come from.
Hash identity(const schedule::Trace& trace);

// What the search needs to know of a task.
struct Plan {
  schedule::Trace baseline;            // the yardstick
  std::vector<schedule::Trace> seeds;  // first schedules, the best guess first
  std::unique_ptr<Strategy> strategy;
  // The features of a schedule, for its record; called on worker threads. None: no features.
  std::function<std::vector<float>(const schedule::Trace&)> describe;
  std::string kind;  // tasks of one kind have similar schedules
  // That the searches of a job share; none: nothing is remembered of other jobs.
  std::shared_ptr<Experience> experience;
  // The schedule for this task that is most like one of another task or device; nullopt: there is none.
  std::function<std::optional<schedule::Trace>(const schedule::Trace&)> adapt;
  bool races = true;  // false: candidates that are far behind also get all their samples (recordings)
};
using Planner = std::function<Result<Plan>(const te::Task&)>;

}  // namespace hone::tuner
