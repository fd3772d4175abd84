// Fingerprints: each kept once. Browsers of one kind on one kind of GPU say the same 8 KiB of themselves, so a farm of ten thousand has few.
// A fingerprint lives as long as somebody holds it, on any thread; the table itself is for one.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include "schema/generated/protocol.h"

namespace hone::tracker {

using FingerprintPtr = std::shared_ptr<const protocol::Fingerprint>;  // never null

class Fingerprints {
 public:
  // The one that equals it, of those that live.
  FingerprintPtr shared(const protocol::Fingerprint& fingerprint);
  FingerprintPtr shared(const FingerprintPtr& fingerprint) { return owns(fingerprint) ? fingerprint : shared(*fingerprint); }
  // Of those that live, as JSON.
  size_t bytes() const { return *bytes_; }

 private:
  using Bytes = std::shared_ptr<std::atomic<size_t>>;
  struct Release {
    Bytes bytes;
    size_t size = 0;
    void operator()(const protocol::Fingerprint* gone) const;
  };
  bool owns(const FingerprintPtr& fingerprint) const;
  void sweep();

  std::unordered_map<std::string, std::weak_ptr<const protocol::Fingerprint>> known_;  // by the SHA-256 of its JSON
  Bytes bytes_ = std::make_shared<std::atomic<size_t>>(0);
  size_t sweep_at_ = 64;
};

}  // namespace hone::tracker
