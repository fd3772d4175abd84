// cat(a, b, …): joins strings, characters and numbers into one std::string. std::format is missing in g++ 12 and Emscripten 3.1.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace hone {

// One part of what is joined. A view: the text must outlive it.
class CatPart {
 public:
  CatPart(std::string_view text) : kind_(Kind::kText), text_(text) {}
  CatPart(const char* text) : CatPart(std::string_view(text)) {}
  CatPart(const std::string& text) : CatPart(std::string_view(text)) {}
  CatPart(bool value) : CatPart(value ? "true" : "false") {}
  CatPart(char value) : kind_(Kind::kChar), char_(value) {}
  template <std::signed_integral T>
  CatPart(T value) : kind_(Kind::kSigned), signed_(value) {}
  template <std::unsigned_integral T>
  CatPart(T value) : kind_(Kind::kUnsigned), unsigned_(value) {}
  template <std::floating_point T>
  CatPart(T value) : kind_(Kind::kReal), real_(value) {}

  // Numbers as std::to_string writes them.
  void append_to(std::string& out) const;

 private:
  enum class Kind : std::uint8_t { kText, kChar, kSigned, kUnsigned, kReal };
  Kind kind_;
  union {
    std::string_view text_;
    char char_;
    std::int64_t signed_;
    std::uint64_t unsigned_;
    double real_;
  };
};

std::string cat_all(std::initializer_list<CatPart> parts);

// What a thousand calls instantiate makes no more than a list: the work is in one function.
template <class... Parts>
std::string cat(const Parts&... parts) {
  return cat_all({CatPart(parts)...});
}

}  // namespace hone
