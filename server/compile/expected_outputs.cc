#include "server/compile/expected_outputs.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/sha256.h"
#include "server/compile/limits.h"

namespace hone::server {

namespace fs = std::filesystem;

namespace {

// Rises when the inputs' generator or the reference's meaning changes: older files are then no longer found.
constexpr int kReferenceVersion = 3;
constexpr size_t kDigestDigits = 64;

std::string bytes_of(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// File: SHA-256 of the rest in hexadecimal; then per output its size in bytes (u64) and its bytes.
std::string pack(const std::vector<std::string>& outputs) {
  std::string body;
  for (const std::string& output : outputs) {
    uint64_t size = output.size();
    body.append(reinterpret_cast<const char*>(&size), sizeof size);
    body += output;
  }
  return sha256_hex(body) + body;
}

// Empty when the file is damaged: it is then made anew.
std::vector<std::string> unpack(std::string_view file) {
  if (file.size() < kDigestDigits || sha256_hex(file.substr(kDigestDigits)) != file.substr(0, kDigestDigits)) return {};
  std::vector<std::string> outputs;
  for (std::string_view rest = file.substr(kDigestDigits); !rest.empty();) {
    uint64_t size = 0;
    if (rest.size() < sizeof size) return {};
    std::memcpy(&size, rest.data(), sizeof size);
    if (size > rest.size() - sizeof size) return {};
    outputs.emplace_back(rest.substr(sizeof size, size));
    rest.remove_prefix(sizeof size + size);
  }
  return outputs;
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
  std::vector<BlobPtr> known;
  {
    std::lock_guard lock(mutex_);
    Entry& entry = entries_[task.id];
    known = entry.blobs;
    if (known.empty()) {
      entry.waiting.push_back({std::move(is_wanted), std::move(on_ready)});
      if (entry.waiting.size() > 1) return;
    }
  }
  if (!known.empty()) return on_ready(std::move(known));
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
  Result<std::vector<BlobPtr>> blobs = std::vector<BlobPtr>{};
  do {
    token = token_of(task.id);
    blobs = guarded([&] { return load_or_make(task, token.get()); });
  } while (token->cancelled() && token != token_of(task.id));
  std::vector<Request> waiting;
  {
    std::lock_guard lock(mutex_);
    waiting.swap(entries_[task.id].waiting);
    if (blobs.ok()) keep(task.id, *blobs);
    else entries_.erase(task.id);
  }
  for (Request& one : waiting) one.on_ready(blobs);
}

Result<std::vector<BlobPtr>> ExpectedOutputs::load_or_make(const te::Task& task, const CancelToken* cancel) {
  std::vector<std::string> outputs;
  if (std::ifstream in(file_of(task.id), std::ios::binary); !config_.folder.empty() && in) {
    std::stringstream text;
    text << in.rdbuf();
    outputs = unpack(text.str());
  }
  if (outputs.empty()) {
    HONE_ASSIGN(values, config_.reference(task, cancel));
    for (const std::vector<float>& output : values) outputs.push_back(bytes_of(output));
    if (!config_.folder.empty()) write_file(file_of(task.id), pack(outputs));
  }
  std::vector<BlobPtr> blobs;
  for (std::string& output : outputs) blobs.push_back(blobs_.put(std::move(output)));
  return blobs;
}

void ExpectedOutputs::keep(const Hash& id, std::vector<BlobPtr> blobs) {
  for (const BlobPtr& blob : blobs) bytes_ += blob->bytes.size();
  entries_[id].blobs = std::move(blobs);
  order_.push_back(id);
  while (bytes_ > kExpectedBytesMax && order_.size() > 1) {
    for (const BlobPtr& blob : entries_[order_.front()].blobs) bytes_ -= blob->bytes.size();
    entries_.erase(order_.front());
    order_.pop_front();
  }
}

std::string ExpectedOutputs::file_of(const Hash& id) const {
  return cat(config_.folder, "/", id.hex(), ".v", kReferenceVersion, ".ref");
}

}  // namespace hone::server
