#include "tuner/records/batch_writer.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace hone::tuner {

BatchWriter::BatchWriter(std::unique_ptr<sql::Database> db, Limits limits) : db_(std::move(db)), limits_(limits) {
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

Status BatchWriter::wait_for(Write write) {
  std::promise<Status> done;
  enqueue({std::move(write), [&done](Status status) { done.set_value(std::move(status)); }}, true);
  return done.get_future().get();
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
    db_->tidy();
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

namespace {

// A database that is locked, away or silent is so for each piece.
bool is_for_all(const Error& why) { return why.code == ErrorCode::kBusy || why.code == ErrorCode::kTimeout; }

}  // namespace

void BatchWriter::commit(std::vector<Item> batch) {
  const Status together = commit_together(batch);
  if (together.ok() || is_for_all(together.error()) || batch.size() == 1) {
    for (Item& item : batch)
      if (item.ack) item.ack(together);
    return;
  }
  // One of them spoils the transaction: alone, each gets its own verdict.
  for (Item& item : batch) {
    Status status = commit_together({&item, 1});
    if (item.ack) item.ack(std::move(status));
  }
}

Status BatchWriter::commit_together(std::span<const Item> batch) {
  // That nothing could be written says nothing of the disk.
  const bool writes = std::any_of(batch.begin(), batch.end(), [](const Item& item) { return item.write.index() != 0; });
  const CommitMeter::Time began = writes ? meter_.begin() : CommitMeter::now();
  Status status = writes ? transaction(batch, began) : ok_status();
  if (writes) meter_.ended(began, status);
  last_commit_ = CommitMeter::now() - began;
  return status;
}

Status BatchWriter::transaction(std::span<const Item> batch, CommitMeter::Time began) {
  for (;;) {
    Status status = db_->transaction([&] { return write_all(batch); });
    const bool may_again = !status.ok() && is_for_all(status.error()) && CommitMeter::now() - began < limits_.busy_wait;
    if (!may_again) return status;
    std::this_thread::sleep_for(kBusyPause);
  }
}

Status BatchWriter::write_all(std::span<const Item> batch) {
  std::vector<Statements> together;
  const auto write_those = [&]() -> Status {
    const Status written = write_statements(together);
    together.clear();
    return written;
  };
  for (const Item& item : batch) {
    if (const Make* const make = std::get_if<Make>(&item.write)) {
      Statements piece = (*make)();
      if (!together.empty() && together.back().guard.has_value() != piece.guard.has_value()) HONE_TRY(write_those());
      together.push_back(std::move(piece));
    } else if (const Step* const step = std::get_if<Step>(&item.write)) {
      HONE_TRY(write_those());
      HONE_TRY((*step)(*db_));
    }
  }
  return write_those();
}

namespace {

// Of each piece whether its guard changed a row; equal guards are one. True where there is none.
Result<std::vector<bool>> held_of(sql::Database& db, const std::vector<Statements>& pieces) {
  std::map<std::vector<sql::Value>, size_t> places;
  std::vector<sql::Command> guards;
  for (const Statements& piece : pieces)
    if (piece.guard && places.try_emplace(piece.guard->values, guards.size()).second) guards.push_back(*piece.guard);
  HONE_ASSIGN(changed, db.run(guards));
  std::vector<bool> held;
  for (const Statements& piece : pieces) held.push_back(!piece.guard || changed[places.at(piece.guard->values)] > 0);
  return held;
}

std::vector<sql::Command> shared_of(std::vector<Statements>& pieces, const std::vector<bool>& held) {
  std::set<std::pair<const char*, std::vector<sql::Value>>> known;
  std::vector<sql::Command> shared;
  for (size_t i = 0; i < pieces.size(); ++i)
    for (sql::Command& command : pieces[i].shared)
      if (held[i] && known.emplace(command.sql, command.values).second) shared.push_back(std::move(command));
  return shared;
}

}  // namespace

Status BatchWriter::write_statements(std::vector<Statements>& pieces) {
  if (pieces.empty()) return ok_status();
  HONE_ASSIGN(held, held_of(*db_, pieces));
  std::vector<sql::Command> all = shared_of(pieces, held);
  const size_t shared = all.size();
  for (size_t i = 0; i < pieces.size(); ++i)
    if (held[i]) std::move(pieces[i].commands.begin(), pieces[i].commands.end(), std::back_inserter(all));
  HONE_ASSIGN(changed, db_->run(all));
  std::span<const int64_t> left = std::span<const int64_t>(changed).subspan(shared);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t count = held[i] ? pieces[i].commands.size() : 0;
    if (pieces[i].told) pieces[i].told(held[i], left.first(count));
    left = left.subspan(count);
  }
  return ok_status();
}

}  // namespace hone::tuner
