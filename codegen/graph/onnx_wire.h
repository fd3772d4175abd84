// Protobuf's wire format, as far as ONNX files use it: fields one after the other, nothing copied, nothing allocated.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace hone::graph {

// The numbers are those of the format.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // of a number; a fixed one's bits
  std::string_view bytes;  // of kBytes: within what is read
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}
  // The next field. False at the end, and where no sound field follows: then is_sound() is false, too. Groups are not sound.
  bool next(WireField& field);
  bool is_sound() const { return sound_; }
  // What is not read yet.
  std::string_view rest() const { return rest_; }

 private:
  bool take_varint(uint64_t& value);
  bool take_fixed(size_t size, uint64_t& value);
  bool take_bytes(std::string_view& bytes);

  std::string_view rest_;
  bool sound_ = true;
};

// The field's value as what the schema says that it is. False where the file says another: it is damaged.
bool read_field(const WireField& field, std::string_view& out);
bool read_field(const WireField& field, int64_t& out);
bool read_field(const WireField& field, float& out);
bool read_field(const WireField& field, double& out);

// A repeated number, packed or one by one: behind those that are there. At most one number per byte.
template <class T>
bool append_field(const WireField& field, std::vector<T>& out);

}  // namespace hone::graph
