#include "server/jobs/named_schedules.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/compile.h"
#include "server/jobs/launch_cost.h"
#include "tuner/records/trial_judge.h"

namespace hone::server {

namespace {

using Known = std::vector<tuner::KnownTrial>;

Result<NamedSchedule> compiled(schedule::Trace trace, const te::Task& task, const target::Target& target) {
  HONE_ASSIGN(source, compile_kernel(task, trace, target));
  return NamedSchedule{.trace = std::move(trace), .source = std::move(source)};
}

Result<NamedSchedule> seed(const te::Task& task, const tuner::Planner& planner, const target::Target& target) {
  HONE_ASSIGN(plan, planner(task));
  for (const schedule::Trace& trace : plan.seeds)
    if (auto found = compiled(trace, task, target); found.ok()) return found;
  return Error{ErrorCode::kNotFound, cat("no seed of ", task.name, " compiles for this device; leave seed out")};
}

Result<const tuner::KnownTrial*> recorded(const std::string& hash, const Known& known) {
  const tuner::KnownTrial* found = nullptr;
  for (const tuner::KnownTrial& trial : known) {
    if (!trial.source_hash.hex().starts_with(hash)) continue;
    if (found)
      return Error{ErrorCode::kInvalidArgument,
                   cat("the source ", hash, " fits several records; give more digits of it")};
    found = &trial;
  }
  if (found) return found;
  return Error{ErrorCode::kNotFound,
               cat("the records have no schedule ", hash,
                   " of this task on this class of devices; hone records list --json shows their sources")};
}

Result<NamedSchedule> named(const std::string& name, const te::Task& task, const Known& known,
                            const tuner::Planner& planner, const target::Target& target) {
  if (name == "seed") return seed(task, planner, target);
  if (name == "naive") {
    HONE_ASSIGN(trace, baseline_trace(task, target));
    return compiled(std::move(trace), task, target);
  }
  if (name == "best" && !tuner::best_of(known))
    return Error{ErrorCode::kNotFound,
                 cat("the records have no best of ", task.name, " on this class of devices; hone tune finds one")};
  const tuner::KnownTrial best = name == "best" ? *tuner::best_of(known) : tuner::KnownTrial{};
  HONE_ASSIGN(trial, name == "best" ? Result<const tuner::KnownTrial*>(&best) : recorded(name, known));
  HONE_ASSIGN(trace, schedule::trace_from_json(trial->trace_json));
  return compiled(std::move(trace), task, target);
}

int next_attempt(const Known& known, const Hash& source) {
  const auto trial = std::find_if(known.begin(), known.end(), [&](const auto& t) { return t.source_hash == source; });
  return trial == known.end() ? 0 : trial->attempts;
}

}  // namespace

Result<std::vector<NamedSchedule>> named_schedules(const std::vector<std::string>& names, const te::Task& task,
                                                   const Known& known, const tuner::Planner& planner,
                                                   const target::Target& target) {
  std::vector<NamedSchedule> all;
  for (const std::string& name : names) {
    HONE_ASSIGN(one, named(name, task, known, planner, target));
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.source.hash == one.source.hash; });
    if (same != all.end()) {
      same->name += cat(", ", name);
      continue;
    }
    one.name = name;
    one.attempt = next_attempt(known, one.source.hash);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace hone::server
