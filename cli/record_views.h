// The record store as tables and JSON.
#pragma once
#include <string>
#include <vector>

#include "cli/report/course.h"
#include "tuner/records/store.h"

namespace hone::cli {

// In the order of their times of recording.
Result<std::string> records_table(tuner::RecordStore& store, const tuner::RecordFilter& filter);
Result<std::string> records_json(tuner::RecordStore& store, const tuner::RecordFilter& filter);  // {"records":[…]}

struct BestRecord {
  tuner::TaskInfo task;
  std::string device_key, device_name, target;  // device_name: for people
  tuner::KnownTrial best;
  double naive_us = 0;  // 0 = not measured
  double slowdown = 1;  // of the device when it was timed (tuner/records/device_state.h)
  int devices = 0;      // of its class that measured something
};
struct BestRecords {
  std::vector<BestRecord> all;  // tasks without a time are left out
  int refuted = 0;              // trials whose time is not believed, of all tasks
};
Result<BestRecords> best_records(tuner::RecordStore& store, const tuner::RecordFilter& filter);
std::string best_table(const std::vector<BestRecord>& best);
std::string best_json(const std::vector<BestRecord>& best);  // {"best":[…]}

// The course of one job: per task, each measurement that was faster than all before it.
std::string job_report_text(const report::JobCourse& course);
std::string job_report_json(const report::JobCourse& course);

}  // namespace hone::cli
