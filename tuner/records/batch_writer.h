// BatchWriter: the one thread that writes. Takes pieces of writing, runs several in one transaction, acknowledges after the commit. A first piece waits for company as long as the
// commit before took: so it takes at most about twice as long as it must, and the disk at most about half of the time, whatever its speed.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "base/commit_meter.h"
#include "base/sql/database.h"
#include "tuner/records/limits.h"

namespace hone::tuner {

// Statements that go in one round trip with those of the pieces before and behind.
struct Statements {
  std::optional<sql::Command> guard;  // where it changes no row, the commands are left out, and the other pieces are none the worse. Those of pieces that follow each other go first
  std::vector<sql::Command> shared;    // before the commands; of equal ones of pieces that follow each other one is run
  std::vector<sql::Command> commands;
  // In the transaction, and once more where it is tried again: how many rows each command changed. What it says counts when the piece is acknowledged.
  std::function<void(bool held, std::span<const int64_t> changed)> told = nullptr;
};

class BatchWriter {
 public:
  // On the writer's thread, in the transaction; once more where it is tried again.
  using Make = std::function<Statements()>;
  using Step = std::function<Status(sql::Database&)>;  // of what has to read first
  using Ack = std::function<void(Status)>;
  struct Limits {
    int records_max = kBatchRecordsMax;
    int delay_ms = 20;  // the longest wait for company
    std::chrono::milliseconds busy_wait{0};  // a commit of which nobody knows whether it was done is done again until then: each piece may be written twice
  };

  BatchWriter(std::unique_ptr<sql::Database> db, Limits limits);
  ~BatchWriter();  // commits what is queued

  // Queues. `ack` comes on the writer's thread. May be called from any thread but not from an ack.
  void post(Make make, Ack ack) { enqueue({std::move(make), std::move(ack)}, false); }
  void post_step(Step step, Ack ack) { enqueue({std::move(step), std::move(ack)}, false); }
  // Queues and waits for the commit.
  Status run(Make make) { return wait_for(std::move(make)); }
  Status run_step(Step step) { return wait_for(std::move(step)); }
  // Waits until all that was posted before is committed or has failed.
  void flush() { (void)wait_for(std::monostate()); }
  CommitReading commits() const;  // any thread

 private:
  using Write = std::variant<std::monostate, Make, Step>;  // none: whoever flushes waits for its turn
  struct Item {
    Write write;
    Ack ack;
  };

  Status wait_for(Write write);
  std::chrono::nanoseconds delay() const;
  void enqueue(Item item, bool urgent);
  void loop();
  std::vector<Item> take_batch();
  void commit(std::vector<Item> batch);
  Status commit_together(std::span<const Item> batch);
  Status transaction(std::span<const Item> batch, CommitMeter::Time began);
  Status write_all(std::span<const Item> batch);
  Status write_statements(std::vector<Statements>& pieces);

  const std::unique_ptr<sql::Database> db_;
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
