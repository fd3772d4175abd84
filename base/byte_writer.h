// ByteWriter: numbers as they lie in memory, lists and texts behind their lengths, for ByteReader in another process of the same program on the same machine.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hone {

class ByteWriter {
 public:
  std::string take() && { return std::move(out_); }

  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class E>
  void kind(E value) {
    static_assert(std::is_enum_v<E>);
    number(static_cast<uint8_t>(value));
  }
  void flag(bool value) { number(static_cast<uint8_t>(value)); }
  void text(std::string_view text) {
    number(uint64_t{text.size()});
    out_.append(text);
  }
  template <class List, class Write>
  void list(const List& list, Write write) {
    number(uint64_t{list.size()});
    for (const auto& one : list) write(one);
  }
  template <class T>
  void numbers(const std::vector<T>& values) {
    list(values, [this](T value) { number(value); });
  }

 private:
  std::string out_;
};

}  // namespace hone
