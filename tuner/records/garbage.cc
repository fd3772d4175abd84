#include "tuner/records/garbage.h"

#include <algorithm>
#include <map>
#include <set>

namespace hone::tuner {

namespace {

using Ages = std::map<Hash, int64_t>;  // when each source's latest attempt was recorded

Result<Ages> latest_attempts(RecordStore& store, const Hash& task, const std::string& device) {
  Ages ages;
  HONE_TRY(store.list({.tasks = std::set{task}, .device_key = device}, [&ages](const Record& record) {
    int64_t& latest = ages[record.source_hash];
    latest = std::max(latest, record.recorded_unix_ms);
    return ok_status();
  }));
  return ages;
}

std::set<Hash> worth_keeping(const std::vector<KnownTrial>& trials, int best_kept) {
  std::vector<std::pair<double, Hash>> timed;
  std::set<Hash> kept;
  for (const KnownTrial& trial : trials) {
    if (trial.yardstick) kept.insert(trial.source_hash);
    if (trial.outcome == ErrorCode::kOk) timed.push_back({trial.latency_us, trial.source_hash});
  }
  std::sort(timed.begin(), timed.end());
  for (size_t i = 0; i < timed.size() && i < static_cast<size_t>(best_kept); ++i) kept.insert(timed[i].second);
  return kept;
}

}  // namespace

Result<GarbageReport> collect_garbage(RecordStore& store, int64_t before_unix_ms, int best_kept) {
  GarbageReport report;
  HONE_ASSIGN(tasks, store.tasks());
  HONE_ASSIGN(devices, store.devices());
  std::set<std::string> keys;
  for (const DeviceInfo& device : devices) keys.insert(device.key);
  for (const TaskInfo& task : tasks)
    for (const std::string& device : keys) {
      HONE_ASSIGN(trials, store.known_trials(task.id, device));
      HONE_ASSIGN(ages, latest_attempts(store, task.id, device));
      const std::set<Hash> kept = worth_keeping(trials, best_kept);
      std::vector<Hash> old;
      for (const auto& [source, latest] : ages)
        if (latest < before_unix_ms && !kept.count(source)) old.push_back(source);
      HONE_TRY(store.forget(task.id, device, old));
      report.trials_removed += static_cast<int>(old.size());
      report.trials_kept += static_cast<int>(ages.size() - old.size());
    }
  if (report.trials_removed > 0) HONE_TRY(store.compact());
  return report;
}

}  // namespace hone::tuner
