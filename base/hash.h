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

// Finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
inline uint64_t mix64(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
inline uint64_t hash_mix(uint64_t seed, uint64_t value) { return mix64(seed + 0x9e3779b97f4a7c15ull + mix64(value)); }

struct HashHasher {
  size_t operator()(const Hash& h) const { return static_cast<size_t>(h.lo); }
};

}  // namespace hone
