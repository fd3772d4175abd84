// ByteReader: what a ByteWriter wrote, taken for anybody's bytes. What is missing or out of range is read as 0 and remembered, and ends every list; so a reader asks once, at its end.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}  // which outlive it

  // What was wrong first; null: nothing.
  const char* wrong() const { return wrong_; }
  bool at_end() const { return rest_.empty(); }
  void expect(bool holds, const char* otherwise) {
    if (!holds && !wrong_) wrong_ = otherwise;
  }

  template <class T>
  T number() {
    T value{};
    expect(rest_.size() >= sizeof value, "they end too early");
    if (wrong_) return value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  bool flag() { return number<uint8_t>() != 0; }
  // An enumerator up to `last`.
  template <class E>
  E kind(E last) {
    const auto value = number<uint8_t>();
    expect(value <= static_cast<uint8_t>(last), "a kind is none");
    return wrong_ ? E{} : static_cast<E>(value);
  }
  std::string text() {
    const auto size = number<uint64_t>();
    expect(size <= rest_.size(), "a text is longer than they are");
    if (wrong_) return "";
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  // Each element takes a byte at least.
  template <class Read>
  void list(Read read) {
    const auto size = number<uint64_t>();
    expect(size <= rest_.size(), "a list is longer than they are");
    for (uint64_t i = 0; i < size && !wrong_; i++) read();
  }
  template <class T>
  std::vector<T> numbers() {
    std::vector<T> out;
    list([&] { out.push_back(number<T>()); });
    return out;
  }

 private:
  std::string_view rest_;
  const char* wrong_ = nullptr;
};

}  // namespace hone
