#include "base/printable_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace hone {

namespace {

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: what stands here is no UTF-8
};

// RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
Character first_of(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = code < (bytes == 4 ? 0x10000u : bytes == 3 ? 0x800u : 0x80u);
  return overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? Character{} : Character{code, bytes};
}

bool acts(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ||  // C0, DEL, C1
         code == 0x2028 || code == 0x2029 ||              // separators
         code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);  // direction
}

std::string named(const char* format, uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string shown(std::string_view text, bool lines) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    const size_t taken = c.bytes > 0 ? c.bytes : 1;
    const bool stays = lines && (c.code == '\n' || c.code == '\t');
    if (c.bytes == 0) out += named("\\x%02x", static_cast<uint8_t>(text.front()));
    else if (acts(c.code) && !stays) out += named("\\u%04x", c.code);
    else out += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shortened(std::string_view message) {
  constexpr size_t kMessageBytesMax = 1000;  // some ten lines of a terminal: more than any sentence of hone's own
  if (message.size() <= kMessageBytesMax) return std::string(message);
  size_t end = kMessageBytesMax;
  while (end > 0 && (static_cast<uint8_t>(message[end]) & 0xc0) == 0x80) --end;  // within a character
  return std::string(message.substr(0, end)) + " …";
}

std::string printable(std::string_view text) { return shown(text, false); }
std::string printable_lines(std::string_view text) { return shown(text, true); }

}  // namespace hone
