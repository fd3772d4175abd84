#include "base/hash.h"

#include <cstring>

namespace hone {
namespace {
uint64_t hash64(std::string_view bytes, uint64_t seed) {
  uint64_t h = mix64(seed + bytes.size());
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    h = mix64(h ^ word) + 0x9e3779b97f4a7c15ull;
  }
  uint64_t tail = 0;
  if (i < bytes.size()) std::memcpy(&tail, bytes.data() + i, bytes.size() - i);
  return mix64(h ^ mix64(tail + 0x632be59bd9b4e019ull));
}
}  // namespace

Hash hash_bytes(std::string_view bytes) {
  return {hash64(bytes, 0x243f6a8885a308d3ull), hash64(bytes, 0x13198a2e03707344ull)};
}

std::string Hash::hex() const {
  static const char digits[] = "0123456789abcdef";
  std::string out(32, '0');
  for (int i = 0; i < 16; i++) out[15 - i] = digits[(hi >> (4 * i)) & 15];
  for (int i = 0; i < 16; i++) out[31 - i] = digits[(lo >> (4 * i)) & 15];
  return out;
}
}  // namespace hone
