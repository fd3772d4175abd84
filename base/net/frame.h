// A frame: u32 little-endian header length, a JSON header in UTF-8, payload bytes. Nothing here knows what a header says.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_bytes.h"

namespace hone::net {

inline constexpr size_t kHeaderBytesMax = 8 << 20;

// Views into the bytes that decode_frame was given.
struct FrameView {
  std::string_view header;
  std::string_view payload;
  std::shared_ptr<const void> owner = nullptr;  // of the bytes, where whoever hears the frame may keep them

  // Beyond the call: without a copy where it is long.
  SharedBytes kept_payload() const { return owner ? shared_part(owner, payload) : shared_bytes(std::string(payload)); }
};

// kLimitExceeded for a header longer than kHeaderBytesMax: what goes into headers comes from outside, too.
Result<std::string> encode_frame(std::string_view header, std::string_view payload = {});

// kProtocolError for bytes that are no frame, or whose header is longer than `header_bytes_max`. The header's JSON is not looked at.
Result<FrameView> decode_frame(std::string_view bytes, size_t header_bytes_max = kHeaderBytesMax);

}  // namespace hone::net
