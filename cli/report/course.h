// The course of a job: what it measured of each task, as the record store holds it.
#pragma once
#include <string>
#include <vector>

#include "tuner/records/store.h"

namespace hone::report {

// A measurement that was faster than all before it.
struct Step {
  int trial = 0;  // counted from 1 within the task; the yardstick is none
  double best_us = 0;
  tuner::Origin origin = tuner::Origin::kSearch;
};

struct TaskCourse {
  tuner::TaskInfo task;
  int trials = 0;
  std::vector<Step> steps;
  // This job's candidates, judged, in the order of their trials. The model speaks of some of them (predicted_us).
  std::vector<tuner::KnownTrial> candidates;
  double naive_us = 0;  // the yardstick, whichever job measured it; 0 = none
  double seed_us = 0;   // the first seed with a time, likewise
};

struct JobCourse {
  tuner::JobInfo job;
  std::string subject;  // what it worked on, a model's file or an operator; of a job that does not say so, its only task; else ""
  std::string device;   // "chromium 140, SwiftShader": what the fingerprint says
  std::vector<TaskCourse> tasks;
};

// An empty id means the latest tuning job. Fails: not_found.
// Ids of the jobs that tuned, the latest first.
Result<std::vector<std::string>> tuning_jobs(tuner::RecordStore& store);
Result<tuner::JobInfo> job_of(tuner::RecordStore& store, const std::string& id);
Result<JobCourse> course_of(tuner::RecordStore& store, const std::string& job_id);
// "resnet18.onnx (job tune-0dec15efa659)": the subject first.
std::string title(const JobCourse& course);

// Candidates that ended alike.
struct Ending {
  ErrorCode outcome = ErrorCode::kOk;
  int trials = 0;
  std::string first;  // the message of the first of them; "" where it has none
};
std::vector<Ending> endings(const TaskCourse& course);  // the most frequent first

// The fastest candidate's time; 0 = none.
double best_us(const TaskCourse& course);
// Of all arguments of a task, each once, as its canonical text declares them; 0 when that cannot be read.
double argument_bytes(const std::string& canonical_text);
// Of two candidates at least 5 % apart, how often their predictions say rightly which is the faster one; nullopt without predictions.
std::optional<double> predicted_in_order(const TaskCourse& course);

}  // namespace hone::report
