#include "codegen/graph/onnx_wire.h"

#include <cstring>
#include <type_traits>

namespace hone::graph {
namespace {

constexpr int kVarintBytesMax = 10;
constexpr uint64_t kFieldNumberMax = (1 << 29) - 1;

bool varint_of(std::string_view& rest, uint64_t& value) {
  value = 0;
  for (int i = 0; i < kVarintBytesMax && static_cast<size_t>(i) < rest.size(); i++) {
    const auto byte = static_cast<uint8_t>(rest[static_cast<size_t>(i)]);
    value |= static_cast<uint64_t>(byte & 127) << (7 * i);
    if (byte & 128) continue;
    rest.remove_prefix(static_cast<size_t>(i) + 1);
    return true;
  }
  return false;
}

// Little-endian, as the machines that hone runs on.
bool fixed_of(std::string_view& rest, size_t size, uint64_t& value) {
  if (rest.size() < size) return false;
  value = 0;
  std::memcpy(&value, rest.data(), size);
  rest.remove_prefix(size);
  return true;
}

void assign(uint64_t bits, float& out) {
  const auto low = static_cast<uint32_t>(bits);
  std::memcpy(&out, &low, sizeof(out));
}
void assign(uint64_t bits, double& out) { std::memcpy(&out, &bits, sizeof(out)); }
void assign(uint64_t bits, int64_t& out) { out = static_cast<int64_t>(bits); }

template <class T>
constexpr WireType wire_type_of() {
  return std::is_same_v<T, float> ? WireType::kFixed32 : std::is_same_v<T, double> ? WireType::kFixed64 : WireType::kVarint;
}

template <class T>
bool number_of(const WireField& field, T& out) {
  if (field.type != wire_type_of<T>()) return false;
  assign(field.value, out);
  return true;
}

}  // namespace

bool WireReader::take_varint(uint64_t& value) { return varint_of(rest_, value); }

bool WireReader::take_fixed(size_t size, uint64_t& value) { return fixed_of(rest_, size, value); }

bool WireReader::take_bytes(std::string_view& bytes) {
  uint64_t length = 0;
  if (!take_varint(length) || length > rest_.size()) return false;
  bytes = rest_.substr(0, static_cast<size_t>(length));
  rest_.remove_prefix(static_cast<size_t>(length));
  return true;
}

bool WireReader::next(WireField& field) {
  if (rest_.empty() || !sound_) return false;
  uint64_t tag = 0;
  sound_ = take_varint(tag) && tag >> 3 >= 1 && tag >> 3 <= kFieldNumberMax;
  if (!sound_) return false;
  field = {static_cast<uint32_t>(tag >> 3), static_cast<WireType>(tag & 7), 0, {}};
  switch (field.type) {
    case WireType::kVarint:
      return sound_ = take_varint(field.value);
    case WireType::kFixed64:
      return sound_ = take_fixed(8, field.value);
    case WireType::kBytes:
      return sound_ = take_bytes(field.bytes);
    case WireType::kFixed32:
      return sound_ = take_fixed(4, field.value);
  }
  return sound_ = false;
}

bool read_field(const WireField& field, std::string_view& out) {
  out = field.bytes;
  return field.type == WireType::kBytes;
}
bool read_field(const WireField& field, int64_t& out) { return number_of(field, out); }
bool read_field(const WireField& field, float& out) { return number_of(field, out); }
bool read_field(const WireField& field, double& out) { return number_of(field, out); }

template <class T>
bool append_field(const WireField& field, std::vector<T>& out) {
  if (field.type != WireType::kBytes) return number_of(field, out.emplace_back());
  std::string_view rest = field.bytes;
  if (out.empty() && wire_type_of<T>() != WireType::kVarint) out.reserve(rest.size() / sizeof(T));
  for (uint64_t bits = 0; !rest.empty(); assign(bits, out.emplace_back()))
    if (!(wire_type_of<T>() == WireType::kVarint ? varint_of(rest, bits) : fixed_of(rest, sizeof(T), bits))) return false;
  return true;
}
template bool append_field(const WireField&, std::vector<int64_t>&);
template bool append_field(const WireField&, std::vector<float>&);
template bool append_field(const WireField&, std::vector<double>&);

}  // namespace hone::graph
