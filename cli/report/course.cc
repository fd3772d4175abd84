#include "cli/report/course.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/cat.h"
#include "base/json_text.h"
#include "cli/report/device_text.h"
#include "codegen/ir/type.h"
#include "tuner/cost_model/cost_model.h"
#include "tuner/records/trial_judge.h"

namespace hone::report {

namespace {

using tuner::KnownTrial;
using tuner::Origin;

// What people know a device by; a fingerprint that says nothing leaves the key.
Result<std::string> device_of(tuner::RecordStore& store, const std::string& key) {
  HONE_ASSIGN(devices, store.devices());
  std::string text = key;
  for (const tuner::DeviceInfo& device : devices) {
    if (device.key != key) continue;
    const auto said = parse_json(device.fingerprint_json);
    if (!said.ok()) continue;
    const auto fingerprint = protocol::from_json<protocol::Fingerprint>(*said);
    if (fingerprint.ok() && !fingerprint->browser.empty()) text = device_text(*fingerprint);
  }
  return text;
}

std::string asked_for(const tuner::JobInfo& job) {
  const auto request = parse_json(job.request_json);
  if (!request.ok() || !request->is_object() || !request->contains("source")) return "";
  const auto source = protocol::from_json<protocol::JobSource>((*request)["source"]);
  return source.ok() ? source->op.value_or(source->model_name.value_or("")) : "";
}

void take(const tuner::Record& r, TaskCourse& course, std::set<Hash>& seen) {
  if (r.origin != Origin::kNaive) course.trials += seen.insert(r.source_hash).second;
  const bool faster = course.steps.empty() || r.latency_us_median < course.steps.back().best_us;
  if (r.outcome == ErrorCode::kOk && r.standing != tuner::Standing::kRefuted && faster)
    course.steps.push_back({course.trials, r.latency_us_median, r.origin});
}

Status add_yardsticks(tuner::RecordStore& store, const std::string& device_key, TaskCourse& course) {
  HONE_ASSIGN(known, store.known_trials(course.task.id, device_key));
  for (const KnownTrial& trial : known) {
    if (trial.yardstick) course.naive_us = trial.latency_us;
    if (trial.origin == Origin::kSeed && course.seed_us == 0) course.seed_us = trial.latency_us;
  }
  return ok_status();
}

}  // namespace

Result<tuner::JobInfo> job_of(tuner::RecordStore& store, const std::string& id) {
  HONE_ASSIGN(jobs, store.jobs());
  tuner::JobInfo found;
  for (const tuner::JobInfo& job : jobs)
    if (id.empty() ? job.kind == "tune" && job.started_unix_ms >= found.started_unix_ms : job.id == id) found = job;
  if (!found.id.empty()) return found;
  return Error{ErrorCode::kNotFound, id.empty() ? "the records hold no tuning job yet; hone tune makes one"
                                                : cat("the records hold no job ", id)};
}

Result<std::vector<std::string>> tuning_jobs(tuner::RecordStore& store) {
  HONE_ASSIGN(jobs, store.jobs());
  std::erase_if(jobs, [](const tuner::JobInfo& job) { return job.kind != "tune"; });
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const auto& a, const auto& b) { return a.started_unix_ms > b.started_unix_ms; });
  std::vector<std::string> ids;
  for (const tuner::JobInfo& job : jobs) ids.push_back(job.id);
  return ids;
}

Result<JobCourse> course_of(tuner::RecordStore& store, const std::string& job_id) {
  JobCourse course;
  HONE_ASSIGN(job, job_of(store, job_id));
  HONE_ASSIGN(tasks, store.tasks());
  HONE_ASSIGN(device, device_of(store, job.device_key));
  course.job = std::move(job);
  course.device = std::move(device);
  std::map<Hash, size_t> place;
  std::map<Hash, std::set<Hash>> seen;
  std::vector<tuner::TrialJudge> judges;
  std::string device_key;
  HONE_TRY(store.list({.job_id = course.job.id}, [&](const tuner::Record& r) {
    auto [where, fresh] = place.emplace(r.task_id, course.tasks.size());
    if (fresh) {
      course.tasks.emplace_back();
      judges.emplace_back();
    }
    take(r, course.tasks[where->second], seen[r.task_id]);
    judges[where->second].add(r);
    device_key = r.device_key;
    return ok_status();
  }));
  for (tuner::TaskInfo& task : tasks)
    if (auto found = place.find(task.id); found != place.end()) course.tasks[found->second].task = std::move(task);
  for (size_t i = 0; i < course.tasks.size(); ++i) {
    course.tasks[i].candidates = judges[i].take();
    std::erase_if(course.tasks[i].candidates, [](const KnownTrial& trial) { return !trial.candidate; });
    HONE_TRY(add_yardsticks(store, device_key, course.tasks[i]));
  }
  course.subject = asked_for(course.job);
  if (course.subject.empty() && course.tasks.size() == 1) course.subject = course.tasks.front().task.name;
  return course;
}

std::string title(const JobCourse& course) {
  return course.subject.empty() ? cat("job ", course.job.id) : cat(course.subject, " (job ", course.job.id, ")");
}

std::vector<Ending> endings(const TaskCourse& course) {
  std::map<ErrorCode, Ending> found;
  for (const KnownTrial& trial : course.candidates) {
    Ending& ending = found[trial.outcome];
    if (++ending.trials == 1) ending = {trial.outcome, 1, trial.message};
  }
  std::vector<Ending> all;
  for (const auto& [outcome, ending] : found) all.push_back(ending);
  std::stable_sort(all.begin(), all.end(), [](const Ending& a, const Ending& b) { return a.trials > b.trials; });
  return all;
}

double best_us(const TaskCourse& course) {
  double best = 0;
  for (const KnownTrial& trial : course.candidates)
    if (trial.latency_us > 0 && (best == 0 || trial.latency_us < best)) best = trial.latency_us;
  return best;
}

// Its lines: "input t0 f32 (128,128)"; "compute t3 f32 (128,128) t4 f32 (1)", of which "output t3" names some.
double argument_bytes(const std::string& canonical_text) {
  std::map<std::string, double> bytes;
  double sum = 0;
  std::istringstream lines(canonical_text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name, type, shape;
    words >> kind;
    if (kind == "output" && words >> name) sum += bytes[name];
    if (kind != "input" && kind != "compute") continue;
    while (words >> name >> type >> shape) {
      ir::DType dtype;
      if (!ir::parse_dtype(type, &dtype)) return 0;
      double size = ir::size_bytes(dtype);
      std::istringstream extents(shape.substr(1));
      for (double extent; extents >> extent; extents.ignore()) size *= extent;
      bytes[name] = size;
      if (kind == "input") sum += size;
    }
  }
  return sum;
}

std::optional<double> predicted_in_order(const TaskCourse& course) {
  std::vector<float> predicted, measured;
  for (const KnownTrial& trial : course.candidates) {
    if (trial.predicted_us <= 0 || trial.latency_us <= 0) continue;
    predicted.push_back(static_cast<float>(1 / trial.predicted_us));
    measured.push_back(static_cast<float>(1 / trial.latency_us));
  }
  if (predicted.empty()) return std::nullopt;
  return tuner::pairwise_accuracy(predicted, measured);
}

}  // namespace hone::report
