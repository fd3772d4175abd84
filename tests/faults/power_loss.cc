#include "tests/faults/power_loss.h"

#include <algorithm>

namespace hone::faults {

namespace {

constexpr size_t kSectorBytes = 512;  // the smallest that disks write whole

void put(std::string& content, int64_t offset, std::string_view bytes) {
  const size_t at = static_cast<size_t>(offset);
  if (content.size() < at + bytes.size()) content.resize(at + bytes.size());
  std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
}

void apply(std::string& content, const DiskEvent& event) {
  if (event.kind == DiskEvent::Kind::kWrite) put(content, event.offset, event.bytes);
  if (event.kind == DiskEvent::Kind::kTruncate) content.resize(static_cast<size_t>(event.offset));
}

// All of it, nothing, or some of its sectors.
void apply_some(std::string& content, const DiskEvent& event, Rng& rng) {
  const uint64_t luck = rng.below(3);
  if (luck == 0) return;
  if (luck == 1 || event.kind != DiskEvent::Kind::kWrite) return apply(content, event);
  for (size_t at = 0; at < event.bytes.size();) {
    const size_t place = static_cast<size_t>(event.offset) + at;
    const size_t size = std::min(kSectorBytes - place % kSectorBytes, event.bytes.size() - at);
    if (rng.below(2) == 0) put(content, static_cast<int64_t>(place), std::string_view(event.bytes).substr(at, size));
    at += size;
  }
}

std::string with_some(std::string content, std::vector<DiskEvent> unsynced, Rng& rng) {
  for (size_t i = unsynced.size(); i > 1; --i) std::swap(unsynced[i - 1], unsynced[rng.below(i)]);
  for (const DiskEvent& event : unsynced) apply_some(content, event, rng);
  return content;
}

}  // namespace

void Disk::happen(const DiskEvent& event, Rng& rng) {
  File& file = files_[event.file];
  switch (event.kind) {
    case DiskEvent::Kind::kWrite:
    case DiskEvent::Kind::kTruncate: file.unsynced.push_back(event); return;
    case DiskEvent::Kind::kSync:
      for (const DiskEvent& written : file.unsynced) apply(file.durable, written);
      file.unsynced.clear();
      file.exists = true;
      return;
    case DiskEvent::Kind::kLostSync:
      file.durable = with_some(std::move(file.durable), std::move(file.unsynced), rng);
      file.unsynced.clear();
      file.exists = true;
      return;
    case DiskEvent::Kind::kRemove: files_.erase(event.file); return;
  }
}

std::map<std::string, std::string> Disk::after_power_loss(Rng& rng) const {
  std::map<std::string, std::string> left;
  for (const auto& [path, file] : files_)
    if (file.exists || rng.below(2) == 0) left[path] = with_some(file.durable, file.unsynced, rng);
  return left;
}

}  // namespace hone::faults
