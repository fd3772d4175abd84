#include "tuner/records/batch_writer.h"

#include <algorithm>
#include <chrono>
#include <future>

namespace hone::tuner {

BatchWriter::BatchWriter(sql::SqliteDb db, Limits limits) : db_(std::move(db)), checkpointer_(db_.path()), limits_(limits) {
  db_.on_commit(&on_commit_);
  thread_ = std::thread([this] { loop(); });
}

BatchWriter::~BatchWriter() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BatchWriter::enqueue(Item item, bool urgent) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(item));
    urgent_ |= urgent;
  }
  wake_.notify_all();
}

void BatchWriter::post(Write write, Ack ack) { enqueue({std::move(write), std::move(ack)}, false); }

Status BatchWriter::run(Write write) {
  std::promise<Status> done;
  enqueue({std::move(write), [&done](Status status) { done.set_value(std::move(status)); }}, true);
  return done.get_future().get();
}

void BatchWriter::flush() {
  (void)run(nullptr);
}

CommitReading BatchWriter::commits() const {
  CommitReading reading = meter_.read();
  std::lock_guard lock(mutex_);
  reading.queued = queue_.size();
  return reading;
}

void BatchWriter::loop() {
  for (;;) {
    std::vector<Item> batch = take_batch();
    if (batch.empty()) return;
    commit(std::move(batch));
    if (checkpointer_.take_rest()) db_.checkpoint();
  }
}

std::chrono::nanoseconds BatchWriter::delay() const {
  return std::min<std::chrono::nanoseconds>(last_commit_, std::chrono::milliseconds(limits_.delay_ms));
}

// Empty only when there is nothing left and the writer stops.
std::vector<BatchWriter::Item> BatchWriter::take_batch() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  auto full = [this] { return stopping_ || urgent_ || queue_.size() >= static_cast<size_t>(limits_.records_max); };
  wake_.wait_for(lock, delay(), full);
  std::vector<Item> batch;
  while (!queue_.empty() && batch.size() < static_cast<size_t>(limits_.records_max)) {
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  if (queue_.empty()) urgent_ = false;
  return batch;
}

void BatchWriter::commit(std::vector<Item> batch) {
  // A database that is locked stays so for each of them.
  const Status together = commit_together(batch);
  if (together.ok() || together.error().code == ErrorCode::kBusy || batch.size() == 1) {
    for (Item& item : batch)
      if (item.ack) item.ack(together);
    return;
  }
  // One of them spoils the transaction: alone, each gets its own verdict.
  for (Item& item : batch) {
    Status status = commit_together({{item.write, nullptr}});
    if (item.ack) item.ack(std::move(status));
  }
}

Status BatchWriter::commit_together(const std::vector<Item>& batch) {
  // That nothing could be written says nothing of the disk.
  const bool writes = std::any_of(batch.begin(), batch.end(), [](const Item& item) { return item.write != nullptr; });
  const CommitMeter::Time began = writes ? meter_.begin() : CommitMeter::now();
  Status status = transaction(batch);
  if (writes) meter_.ended(began, status);
  last_commit_ = CommitMeter::now() - began;
  return status;
}

Status BatchWriter::transaction(const std::vector<Item>& batch) {
  HONE_TRY(db_.execute("BEGIN IMMEDIATE"));
  Status status = ok_status();
  for (const Item& item : batch) {
    if (item.write) status = item.write(db_);
    if (!status.ok()) break;
  }
  if (status.ok()) status = db_.execute("COMMIT");
  if (!status.ok()) (void)db_.execute("ROLLBACK");  // fails harmlessly where SQLite rolled back by itself
  return status;
}

}  // namespace hone::tuner
