// TuneWorld: a search over numbers on a real store; what the tests of tune share.
#pragma once
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "base/check.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/number_search.h"
#include "tuner/search/tune.h"
#include "tuner/search/worker_pool.h"

namespace hone::tuner {

class TuneWorld {
 protected:
  TuneWorld() {
    folder_ = std::filesystem::temp_directory_path() / cat("hone_tune_", getpid());
    std::filesystem::create_directories(folder_);
    reopen();
    options_.trials_per_task = 48;
    options_.target = "webgpu";
    options_.job_id = "job-1";
  }
  ~TuneWorld() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void reopen(const std::string& name = "a.db") {
    store_.reset();
    auto store = open_record_store({.where = folder_ / name});
    CHECK(store.ok(), store.error().message);
    store_ = std::move(*store);
  }

  Planner planner(int64_t size = 1000, uint64_t seed = 1) {
    return [=](const te::Task&) -> Result<Plan> {
      return Plan{
          trace_of(9000), {trace_of(13), trace_of(300), trace_of(3)}, std::make_unique<NumberStrategy>(seed, size)};
    };
  }

  Result<TuneReport> run(const ScriptedRunner::Script& script, int64_t size = 1000) {
    ScriptedRunner runner(script, outstanding_first_);
    WorkerPool pool(2);
    auto report = tune({{&task_, 3}}, planner_ ? planner_ : planner(size), builder_, runner, *store_, options_, pool,
                       progress_, cancel_);
    measured_ = runner.measured();
    outstanding_max_ = runner.outstanding_max;
    return report;
  }

  // The source numbers of the stored trials and how often each was tried.
  std::map<uint64_t, int> stored() {
    std::map<uint64_t, int> all;
    const Status listed = store_->list({}, [&all](const Record& r) {
      ++all[r.source_hash.lo];
      return ok_status();
    });
    CHECK(listed.ok(), listed.error().message);
    return all;
  }

  te::Task task_ = small_task("double", 16);
  std::filesystem::path folder_;
  std::unique_ptr<RecordStore> store_;
  NumberBuilder builder_;
  TuneOptions options_;
  Silent progress_;
  CancelToken cancel_;
  Planner planner_;  // none: planner(size)
  std::vector<std::pair<int64_t, int>> measured_;
  int outstanding_first_ = 1, outstanding_max_ = 0;
};

}  // namespace hone::tuner
