#include "base/secret.h"

#include <unistd.h>

#include "base/check.h"

namespace hone {

std::string random_secret() {
  static constexpr char kDigits[] = "0123456789abcdef";
  unsigned char bytes[16];
  CHECK(getentropy(bytes, sizeof bytes) == 0, "the operating system gives no random bytes");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace hone
