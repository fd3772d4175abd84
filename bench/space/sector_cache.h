// SectorCache: a cache of sectors of 32 bytes. What was touched last is held until as many bytes as the cache has were filled since, as
// where the oldest leaves first. Bytes may be filled that no address is known of: those of iterations that a walk leaves out.
#pragma once
#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace hone::bench {

inline constexpr int64_t kSectorBytes = 32;

class SectorCache {
 public:
  enum class Found : uint8_t { kHeld, kGone, kNew };

  explicit SectorCache(double bytes) : bytes_(bytes), slots_(kSlotsMin) {}

  Found touch(uint64_t sector) {
    Slot& slot = find(sector);
    const Found found = slot.sector != sector ? Found::kNew : filled_ - slot.filled < bytes_ ? Found::kHeld : Found::kGone;
    if (found != Found::kHeld) filled_ += kSectorBytes;
    slot.filled = filled_;
    if (found == Found::kNew) {
      slot.sector = sector;
      if (2 * ++count_ > slots_.size()) grow();
    }
    return found;
  }
  double filled() const { return filled_; }  // bytes
  void fill(double bytes) { filled_ += bytes; }

 private:
  struct Slot {
    uint64_t sector = UINT64_MAX;
    double filled = 0;  // as it was touched last
  };
  static constexpr size_t kSlotsMin = 1024;  // a power of two, like all sizes

  Slot& find(uint64_t sector) {
    const size_t last = slots_.size() - 1;
    for (size_t i = hash_mix(sector, 1) & last;; i = (i + 1) & last)
      if (slots_[i].sector == sector || slots_[i].sector == UINT64_MAX) return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.sector != UINT64_MAX) find(slot.sector) = slot;
  }

  const double bytes_;
  double filled_ = 0;
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace hone::bench
