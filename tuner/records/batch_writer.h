// BatchWriter: the one thread that writes. Takes pieces of writing, runs several in one transaction, acknowledges after the commit. A first piece waits for company as long as the
// commit before took: so it takes at most about twice as long as it must, and the disk at most about half of the time, whatever its speed.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/commit_meter.h"
#include "tuner/records/checkpointer.h"
#include "tuner/records/limits.h"
#include "base/sql/sqlite_db.h"

namespace hone::tuner {

class BatchWriter {
 public:
  using Write = std::function<Status(sql::SqliteDb&)>;
  using Ack = std::function<void(Status)>;
  struct Limits {
    int records_max = kBatchRecordsMax;
    int delay_ms = 20;  // the longest wait for company
  };

  BatchWriter(sql::SqliteDb db, Limits limits);
  ~BatchWriter();  // commits what is queued

  // Queues. `ack` comes on the writer's thread. May be called from any thread but not from an ack.
  void post(Write write, Ack ack);
  // Queues and waits for the commit.
  Status run(Write write);
  // Waits until all that was posted before is committed or has failed.
  void flush();
  CommitReading commits() const;  // any thread

 private:
  struct Item {
    Write write;  // none: whoever flushes waits for its turn
    Ack ack;
  };

  std::chrono::nanoseconds delay() const;
  void enqueue(Item item, bool urgent);
  void loop();
  std::vector<Item> take_batch();
  void commit(std::vector<Item> batch);
  Status commit_together(const std::vector<Item>& batch);
  Status transaction(const std::vector<Item>& batch);

  sql::SqliteDb db_;
  Checkpointer checkpointer_;
  std::function<void(int)> on_commit_ = [this](int pages) { checkpointer_.log_has(pages); };
  const Limits limits_;
  CommitMeter meter_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> queue_;
  bool urgent_ = false;  // somebody waits: no delay for company
  bool stopping_ = false;
  std::chrono::nanoseconds last_commit_{0};  // how long it took; of the writer's thread
  std::thread thread_;
};

}  // namespace hone::tuner
