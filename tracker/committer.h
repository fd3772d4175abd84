// Committer: commits the writes of outcomes on a thread of its own, in order, several in one transaction when they pile up. Where that fails,
// each goes alone: one that cannot be written keeps no other from the disk.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/commit_meter.h"
#include "tracker/store.h"

namespace hone::tracker {

class Committer {
 public:
  using Done = std::function<void(Status)>;
  explicit Committer(std::unique_ptr<Store> store);
  ~Committer();  // commits what is queued

  // `done` comes on the committer's thread, in the order of the calls.
  void commit(std::vector<Write> writes, Done done);
  // As the store's, with what was to be written before; `done` comes on the committer's thread.
  using Told = std::function<void(Result<std::vector<protocol::DeviceEvent>>)>;
  void history(std::vector<std::string> device_ids, Told told);
  CommitReading commits() const;  // any thread

 private:
  struct Item {
    std::vector<Write> writes;
    Done done;
  };
  struct Question {
    std::vector<std::string> device_ids;
    Told told;
  };
  void loop();
  void commit(const std::deque<Item>& batch);
  void answer(const Question& question);
  Status commit_together(const std::deque<Item>& batch);
  Status write(const std::vector<Write>& writes);

  std::unique_ptr<Store> store_;
  mutable std::mutex mutex_;
  CommitMeter meter_;
  std::condition_variable wake_;
  std::deque<Item> queue_;          // guarded by mutex_
  std::deque<Question> questions_;  // guarded by mutex_
  bool stopping_ = false;   // guarded by mutex_
  std::thread thread_;
};

}  // namespace hone::tracker
