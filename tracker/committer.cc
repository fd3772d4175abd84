#include "tracker/committer.h"

#include "base/net/guard.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {
// A database that is locked, silent or another tracker's is so for all, and each would wait for it anew.
bool is_for_all(ErrorCode code) { return code == ErrorCode::kBusy || code == ErrorCode::kTimeout || code == ErrorCode::kStaleFence; }
}  // namespace

Committer::Committer(std::unique_ptr<Store> store) : store_(std::move(store)), thread_([this] { loop(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Committer::commit(std::vector<Write> writes, Done done) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(writes), std::move(done)});
  }
  wake_.notify_one();
}

void Committer::history(std::vector<std::string> device_ids, Told told) {
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back({std::move(device_ids), std::move(told)});
  }
  wake_.notify_one();
}

CommitReading Committer::commits() const {
  CommitReading reading = meter_.read();
  const std::lock_guard lock(mutex_);
  reading.queued = queue_.size();
  return reading;
}

void Committer::loop() {
  for (;;) {
    std::deque<Item> batch;
    std::deque<Question> questions;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty() || !questions_.empty(); });
      if (queue_.empty() && questions_.empty()) return;
      batch.swap(queue_);
      questions.swap(questions_);
    }
    if (!batch.empty()) commit(batch);
    for (const Question& question : questions) answer(question);
  }
}

void Committer::commit(const std::deque<Item>& batch) {
  const Status together = commit_together(batch);
  const bool final = together.ok() || batch.size() == 1 || is_for_all(together.error().code);
  for (const Item& item : batch) item.done(final ? together : write(item.writes));
}

void Committer::answer(const Question& question) {
  Result<std::vector<protocol::DeviceEvent>> events = std::vector<protocol::DeviceEvent>();
  const Status ran = net::guarded([&] { events = store_->history(question.device_ids, kHistoryShownMax); });
  question.told(ran.ok() ? std::move(events) : ran.error());
}

Status Committer::commit_together(const std::deque<Item>& batch) {
  std::vector<Write> writes;
  for (const Item& item : batch) writes.insert(writes.end(), item.writes.begin(), item.writes.end());
  return write(writes);
}

Status Committer::write(const std::vector<Write>& writes) {
  Status status = ok_status();
  const CommitMeter::Time began = writes.empty() ? CommitMeter::now() : meter_.begin();
  if (const Status ran = net::guarded([&] { status = store_->commit(writes); }); !ran.ok()) status = ran;
  if (!writes.empty()) meter_.ended(began, status);
  return status;
}

}  // namespace hone::tracker
