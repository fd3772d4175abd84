// The record store as tables and JSON.
#pragma once
#include <string>
#include <vector>

#include "tuner/records/store.h"

namespace hone::cli {

Result<std::string> records_table(tuner::RecordStore& store, const tuner::RecordFilter& filter);
Result<std::string> records_json(tuner::RecordStore& store, const tuner::RecordFilter& filter);  // {"records":[…]}

struct BestRecord {
  tuner::TaskInfo task;
  std::string device_key, target;
  tuner::KnownTrial best;
  double naive_us = 0;  // 0 = not measured
};
// Tasks without a time are left out.
Result<std::vector<BestRecord>> best_records(tuner::RecordStore& store, const tuner::RecordFilter& filter);
std::string best_table(const std::vector<BestRecord>& best);
std::string best_json(const std::vector<BestRecord>& best);  // {"best":[…]}

// The course of one job: per task, each measurement that was faster than all before it.
struct JobCourse {
  struct Step {
    int trial = 0;  // counted from 1 within the task
    double best_us = 0;
    std::string origin;
  };
  struct Task {
    std::string name;
    int trials = 0;
    std::vector<Step> steps;
  };
  tuner::JobInfo job;
  std::vector<Task> tasks;
};
// An empty id means the latest job. Fails: not_found.
Result<JobCourse> job_report(tuner::RecordStore& store, const std::string& job_id);
std::string job_report_text(const JobCourse& course);
std::string job_report_json(const JobCourse& course);

}  // namespace hone::cli
