#include "server/compile/expected_outputs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/log.h"
#include "server/compile/limits.h"
#include "server/compile/reference_bytes.h"

namespace hone::server {

namespace fs = std::filesystem;

namespace {

// Rises when the inputs' generator, the reference's meaning or its bytes change: older files are then no longer found.
constexpr int kReferenceVersion = 14;

ExpectedOutput with_magnitudes(BlobPtr blob, const std::vector<float>& values) {
  std::vector<float> magnitudes;
  for (float value : values)
    if (std::isfinite(value) && value != 0) magnitudes.push_back(std::fabs(value));
  if (magnitudes.empty()) return {std::move(blob)};
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return {std::move(blob), *std::max_element(middle, magnitudes.end()), *middle};
}

size_t bytes_of_outputs(const Expected& expected) {
  size_t bytes = 0;
  for (const auto& set : expected.sets)
    for (const ExpectedOutput& output : set) bytes += output.blob->bytes.size();
  return bytes;
}

// Whole or not at all: a reader never sees half a file, whoever else writes the same one.
void write_file(const std::string& path, const std::string& bytes) {
  std::ostringstream name;
  name << path << ".new." << std::this_thread::get_id();
  std::ofstream out(name.str(), std::ios::binary);
  out << bytes;
  out.close();
  std::error_code error;
  if (out) fs::rename(name.str(), path, error);
  if (!out || error) {
    log_warn(cat("expected outputs are not kept: ", path, " cannot be written"));
    fs::remove(name.str(), error);
  }
}

}  // namespace

ExpectedOutputs::ExpectedOutputs(Config config, tuner::Executor& workers, BlobStore& blobs)
    : config_(std::move(config)), workers_(workers), blobs_(blobs) {
  std::error_code ignored;
  if (!config_.folder.empty()) fs::create_directories(config_.folder, ignored);
}

void ExpectedOutputs::request(const te::Task& task, IsWanted is_wanted, OnReady on_ready) {
  ExpectedPtr known;
  {
    std::lock_guard lock(mutex_);
    Entry& entry = entries_[task.id];
    known = entry.expected;
    if (!known) {
      entry.waiting.push_back({std::move(is_wanted), std::move(on_ready)});
      if (entry.waiting.size() > 1) return;
    }
  }
  if (known) return on_ready(std::move(known));
  workers_.post([this, &task] { compute(task); });
}

bool ExpectedOutputs::Entry::is_wanted() const {
  return std::any_of(waiting.begin(), waiting.end(), [](const Request& one) { return one.is_wanted(); });
}

void ExpectedOutputs::cancel_unwanted() {
  std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : entries_)
    if (!entry.waiting.empty() && !entry.is_wanted()) entry.cancel->cancel();
}

// Of the task's entry; a new one where the old one was cancelled and somebody has asked since.
std::shared_ptr<CancelToken> ExpectedOutputs::token_of(const Hash& id) {
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[id];
  if (entry.cancel->cancelled() && entry.is_wanted()) entry.cancel = std::make_shared<CancelToken>();
  return entry.cancel;
}

void ExpectedOutputs::compute(const te::Task& task) {
  std::shared_ptr<CancelToken> token;
  Result<ExpectedPtr> expected = ExpectedPtr{};
  do {
    token = token_of(task.id);
    expected = guarded([&] { return load_or_make(task, token.get()); });
  } while (token->cancelled() && token != token_of(task.id));
  std::vector<Request> waiting;
  {
    std::lock_guard lock(mutex_);
    waiting.swap(entries_[task.id].waiting);
    if (expected.ok()) keep(task.id, *expected);
    else entries_.erase(task.id);
  }
  for (Request& one : waiting) one.on_ready(expected);
}

Result<ExpectedPtr> ExpectedOutputs::load_or_make(const te::Task& task, const CancelToken* cancel) {
  std::optional<emit::Reference> reference;
  if (std::ifstream in(file_of(task.id), std::ios::binary); !config_.folder.empty() && in) {
    std::stringstream text;
    text << in.rdbuf();
    reference = reference_from_bytes(text.str(), task.program);
  }
  if (!reference) {
    HONE_ASSIGN(made, config_.reference(task, cancel));
    if (!config_.folder.empty()) write_file(file_of(task.id), reference_to_bytes(made));
    reference = std::move(made);
  }
  auto expected = std::make_shared<Expected>();
  expected->tolerance = reference->tolerance;
  expected->ranges = std::move(reference->ranges);
  expected->more_seeds = std::move(reference->more_seeds);
  for (const emit::Outputs& set : reference->sets) {
    expected->sets.emplace_back();
    for (const std::vector<float>& output : set) expected->sets.back().push_back(with_magnitudes(blobs_.put(std::string(reinterpret_cast<const char*>(output.data()), output.size() * sizeof(float))), output));
  }
  return ExpectedPtr(std::move(expected));
}

void ExpectedOutputs::keep(const Hash& id, ExpectedPtr expected) {
  bytes_ += bytes_of_outputs(*expected);
  entries_[id].expected = std::move(expected);
  order_.push_back(id);
  while (bytes_ > kExpectedBytesMax && order_.size() > 1) {
    bytes_ -= bytes_of_outputs(*entries_[order_.front()].expected);
    entries_.erase(order_.front());
    order_.pop_front();
  }
}

std::string ExpectedOutputs::file_of(const Hash& id) const {
  return cat(config_.folder, "/", id.hex(), ".v", kReferenceVersion, ".ref");
}

}  // namespace hone::server
