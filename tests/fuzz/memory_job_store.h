// MemoryJobStore: a JobStore without a disk and without a thread, so that each run is as the one before. It answers within the call.
#pragma once
#include <map>

#include "tuner/records/job_store.h"

namespace hone::fuzz {

class MemoryJobStore : public tuner::JobStore {
 public:
  void put(tuner::Submission submission, Ack ack) override {
    rows_[submission.place] = std::move(submission);
    if (ack) ack(ok_status());
  }
  void find(std::string id, Told told) override {
    std::vector<tuner::Submission> found;
    for (const auto& [place, row] : rows_)
      if (row.id == id) found.push_back(row);
    told(std::move(found));
  }
  void list(std::optional<std::string> user, int64_t before, size_t count_max, Told told) override {
    std::vector<tuner::Submission> found;
    for (auto row = rows_.rbegin(); row != rows_.rend() && found.size() < count_max; ++row)
      if ((!user || row->second.user == *user) && (before == 0 || row->first < before)) found.push_back(row->second);
    told(std::move(found));
  }
  Result<Loaded> load() override { return Loaded(); }

 private:
  std::map<int64_t, tuner::Submission> rows_;  // by place
};

}  // namespace hone::fuzz
