#include "cli/record_views.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/console.h"
#include "cli/report/device_text.h"
#include "schema/generated/error_text.h"
#include "tuner/records/device_state.h"
#include "tuner/records/json_lines.h"
#include "tuner/records/trial_judge.h"

namespace hone::cli {

namespace {

using Json = nlohmann::ordered_json;

Result<std::map<Hash, tuner::TaskInfo>> tasks_by_id(tuner::RecordStore& store) {
  HONE_ASSIGN(tasks, store.tasks());
  std::map<Hash, tuner::TaskInfo> out;
  for (tuner::TaskInfo& task : tasks) out[task.id] = std::move(task);
  return out;
}

Result<std::map<std::string, std::string>> targets_by_device(tuner::RecordStore& store) {
  HONE_ASSIGN(devices, store.devices());
  std::map<std::string, std::string> out;
  for (const tuner::DeviceInfo& device : devices) out[device.key] = device.target;
  return out;
}

// "e4761e05 chromium 156, swiftshader"
Result<std::map<std::string, std::string>> names_by_device(tuner::RecordStore& store) {
  HONE_ASSIGN(devices, store.devices());
  std::map<std::string, std::string> out;
  for (const tuner::DeviceInfo& device : devices) {
    const std::string words = report::short_device_text(device.fingerprint_json);
    out[device.key] = cat(device.key.substr(0, 8), words.empty() ? "" : " ", words);
  }
  return out;
}

Result<std::map<std::string, std::string>> labels_by_device(tuner::RecordStore& store) {
  HONE_ASSIGN(labels, store.labels());
  std::map<std::string, std::string> out;
  for (tuner::DeviceLabel& one : labels) out[one.device] = printable(one.label);
  return out;
}

// What `made` makes of each record, in the order of recording. The store has the attempts of a trial together.
template <class Made>
auto in_time_order(tuner::RecordStore& store, const tuner::RecordFilter& filter, Made made)
    -> Result<std::vector<std::pair<int64_t, decltype(made(tuner::Record()))>>> {
  std::vector<std::pair<int64_t, decltype(made(tuner::Record()))>> all;
  HONE_TRY(store.list(filter, [&](const tuner::Record& r) {
    all.emplace_back(r.recorded_unix_ms, made(r));
    return ok_status();
  }));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return all;
}

// Of a class, that measured something: what more than one of them says can be confirmed.
Result<int> devices_known(tuner::RecordStore& store, const std::string& device_key, std::map<std::string, int>& known) {
  auto [found, is_new] = known.try_emplace(device_key);
  if (!is_new) return found->second;
  HONE_ASSIGN(devices, store.measured_devices(device_key));
  return found->second = static_cast<int>(devices.size());
}

}  // namespace

Result<std::string> records_table(tuner::RecordStore& store, const tuner::RecordFilter& filter) {
  HONE_ASSIGN(tasks, tasks_by_id(store));
  HONE_ASSIGN(names, names_by_device(store));
  HONE_ASSIGN(labels, labels_by_device(store));
  Table table{.rows = {{"when", "task", "class", "device", "origin", "outcome", "time", "caches", "other", "try"}},
              .numeric = {false, false, false, false, false, false, true, false, true, true}};
  HONE_ASSIGN(rows, in_time_order(store, filter, [&](const tuner::Record& r) -> std::vector<std::string> {
                return {moment_text(r.recorded_unix_ms),
                        tasks[r.task_id].name,
                        names[r.device_key],
                        r.device.empty()         ? "-"
                        : labels.count(r.device) ? labels[r.device]
                                                 : r.device.substr(0, 8),
                        std::string(tuner::origin_name(r.origin)),
                        r.standing == tuner::Standing::kRefuted ? "refuted" : std::string(error_name(r.outcome)),
                        time_text(r.latency_us_median / 1000), std::string(tuner::cache_name(r.cache)),
                        r.other_us > 0 ? time_text(r.other_us / 1000) : "-", cat(r.attempt)};
              }));
  for (auto& [recorded, row] : rows) table.rows.push_back(std::move(row));
  return table_text(table);
}

Result<std::string> records_json(tuner::RecordStore& store, const tuner::RecordFilter& filter) {
  HONE_ASSIGN(tasks, tasks_by_id(store));
  HONE_ASSIGN(targets, targets_by_device(store));
  HONE_ASSIGN(lines, in_time_order(store, filter, [&](const tuner::Record& r) {
                return tuner::record_to_json(r, tasks[r.task_id], targets[r.device_key]);
              }));
  std::string text = "{\"records\":[";
  for (const auto& [recorded, line] : lines) text += cat(text.back() == '[' ? "" : ",\n", line);
  return text + "]}\n";
}

Result<BestRecords> best_records(tuner::RecordStore& store, const tuner::RecordFilter& filter) {
  HONE_ASSIGN(tasks, store.tasks());
  HONE_ASSIGN(targets, targets_by_device(store));
  HONE_ASSIGN(names, names_by_device(store));
  BestRecords out;
  std::map<std::string, tuner::DeviceStates> states;
  std::map<std::string, int> known_in;
  for (const auto& [device, target] : targets) {
    HONE_ASSIGN(of_device, tuner::DeviceStates::read(store, device));
    states.emplace(device, std::move(of_device));
  }
  for (const tuner::TaskInfo& task : tasks) {
    if (filter.tasks && !filter.tasks->count(task.id)) continue;
    for (const auto& [device, target] : targets) {
      if (!filter.device_key.empty() && filter.device_key != device) continue;
      HONE_ASSIGN(trials, store.known_trials(task.id, device));
      out.refuted += static_cast<int>(
          std::count_if(trials.begin(), trials.end(), [](const tuner::KnownTrial& t) { return t.refuted_us > 0; }));
      HONE_ASSIGN(known, devices_known(store, device, known_in));
      const auto best = tuner::best_of(trials), naive = tuner::yardstick_of(trials);
      if (best)
        out.all.push_back({task, device, names[device], target, *best, naive ? naive->latency_us : 0,
                           states.at(device).slowdown(*best), known});
    }
  }
  return out;
}

std::string best_table(const std::vector<BestRecord>& best) {
  Table table{.rows = {{"task", "id", "target", "device", "best", "caches", "GFLOP/s", "naive/best", "confirmed", "device then"}},
              .numeric = {false, false, false, false, true, false, true, true, false, false}};
  const auto is_slow = [](const BestRecord& b) { return b.slowdown > tuner::kSlowState; };
  const bool any_slow = std::any_of(best.begin(), best.end(), is_slow);
  if (!any_slow) table.rows[0].pop_back(), table.numeric.pop_back();
  for (const BestRecord& b : best) {
    table.rows.push_back({b.task.name, b.task.id.hex().substr(0, 8), b.target, b.device_name,
                          time_text(b.best.latency_us / 1000), std::string(tuner::cache_name(b.best.cache)),
                          b.task.flops > 0 ? number_text(b.task.flops / b.best.latency_us / 1000) : "-",
                          b.naive_us > 0 ? cat(number_text(b.naive_us / b.best.latency_us), "×") : "-",
                          b.best.standing == tuner::Standing::kConfirmed ? "yes" : b.devices == 1 ? "no: one device" : "no"});
    if (any_slow) table.rows.back().push_back(is_slow(b) ? cat(number_text(b.slowdown), "× slower than usual") : "");
  }
  if (!any_slow) return table_text(table);
  return table_text(table) + "a time of a slow device is no time of its schedule: hone tune measures it again\n";
}

std::string best_json(const std::vector<BestRecord>& best) {
  Json list = Json::array();
  for (const BestRecord& b : best) {
    const auto trace = parse_json(b.best.trace_json);
    list.push_back({{"task", b.task.id.hex()},
                    {"op", b.task.name},
                    {"target", b.target},
                    {"device", b.device_key},
                    {"best_ms", b.best.latency_us / 1000},
                    {"cache", tuner::cache_name(b.best.cache)},
                    {"naive_ms", b.naive_us / 1000},
                    {"gflops", b.task.flops / b.best.latency_us / 1000},
                    {"samples", b.best.sample_count},
                    {"slowdown", b.slowdown},
                    {"standing", tuner::standing_name(b.best.standing)},
                    {"devices_known", b.devices},
                    {"source", b.best.source_hash.hex()},
                    {"trace", trace ? *trace : nlohmann::json()}});
  }
  return json_line(Json{{"best", list}}) + "\n";
}

std::string job_report_text(const report::JobCourse& course) {
  const tuner::JobInfo& job = course.job;
  std::string text = cat(report::title(course), ": ", job.state, ", begun ", moment_text(job.started_unix_ms));
  if (job.ended_unix_ms >= job.started_unix_ms)  // else it runs, or the clock was set back meanwhile
    text +=
        cat(", took ",
            duration_text((static_cast<double>(job.ended_unix_ms) - static_cast<double>(job.started_unix_ms)) / 1000));
  text += course.device.empty() ? "\n" : cat("\nmeasured on ", course.device, "\n");
  if (!job.message.empty()) text += cat(job.message, "\n");
  for (const report::TaskCourse& task : course.tasks) {
    text += cat("\n", task.task.name, " (", counted(task.trials, "trial"), ")\n");
    const double slowest = task.steps.empty() ? 0 : task.steps.front().best_us;
    Table table{.numeric = {true, true, false, false}};
    for (const report::Step& step : task.steps) {
      const auto length = static_cast<size_t>(std::max(1.0, 40 * step.best_us / slowest));
      table.rows.push_back({cat(step.trial), time_text(step.best_us / 1000), std::string(length, '#'),
                            std::string(tuner::origin_name(step.origin))});
    }
    text += table_text(table);
    for (const report::Ending& ending : report::endings(task))
      if (ending.outcome != ErrorCode::kOk)
        text += cat("        ", ending.trials, " ", error_name(ending.outcome), ": ", error_text(ending.outcome),
                    ending.first.empty() ? "" : "; the first: ", ending.first, "\n");
  }
  return text;
}

std::string job_report_json(const report::JobCourse& course) {
  Json tasks = Json::array();
  for (const report::TaskCourse& task : course.tasks) {
    Json steps = Json::array();
    for (const report::Step& step : task.steps)
      steps.push_back(
          {{"trial", step.trial}, {"best_ms", step.best_us / 1000}, {"origin", tuner::origin_name(step.origin)}});
    tasks.push_back({{"op", task.task.name}, {"trials", task.trials}, {"course", steps}});
  }
  const tuner::JobInfo& job = course.job;
  return json_line(Json{{"job", job.id},
                        {"state", job.state},
                        {"device", job.device_key},
                        {"message", job.message},
                        {"started_unix_ms", job.started_unix_ms},
                        {"ended_unix_ms", job.ended_unix_ms},
                        {"tasks", tasks}}) +
         "\n";
}

}  // namespace hone::cli
