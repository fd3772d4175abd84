// Content hashes. Hash is 128 bits (two independent 64-bit mixes): an identity for tasks, sources and blobs within one store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct Hash {
  uint64_t hi = 0, lo = 0;
  friend bool operator==(const Hash&, const Hash&) = default;
  friend bool operator<(const Hash& a, const Hash& b) { return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo; }
  bool empty() const { return hi == 0 && lo == 0; }
  std::string hex() const;  // 32 lower-case digits
};

Hash hash_bytes(std::string_view bytes);
uint64_t hash_mix(uint64_t seed, uint64_t value);

struct HashHasher {
  size_t operator()(const Hash& h) const { return static_cast<size_t>(h.lo); }
};

}  // namespace hone
