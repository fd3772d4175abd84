#include "tracker/fingerprints.h"

#include <algorithm>

#include "base/sha256.h"
#include "schema/message.h"

namespace hone::tracker {

void Fingerprints::Release::operator()(const protocol::Fingerprint* gone) const {
  *bytes -= size;
  delete gone;
}

bool Fingerprints::owns(const FingerprintPtr& fingerprint) const {
  const Release* const release = std::get_deleter<Release>(fingerprint);
  return release && release->bytes == bytes_;
}

FingerprintPtr Fingerprints::shared(const protocol::Fingerprint& fingerprint) {
  const std::string json = protocol::encode(fingerprint);
  auto& known = known_[sha256_hex(json)];
  if (FingerprintPtr held = known.lock()) return held;
  *bytes_ += json.size();
  FingerprintPtr fresh(new protocol::Fingerprint(fingerprint), Release{bytes_, json.size()});
  known = fresh;
  if (known_.size() >= sweep_at_) sweep();
  return fresh;
}

// Each entry is looked at a bounded number of times in its life: the next sweep comes when there are twice as many.
void Fingerprints::sweep() {
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max<size_t>(64, 2 * known_.size());
}

}  // namespace hone::tracker
