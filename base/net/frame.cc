#include "base/net/frame.h"

#include "base/cat.h"

namespace hone::net {

namespace {
constexpr size_t kLengthBytes = 4;
}

Result<std::string> encode_frame(std::string_view header, std::string_view payload) {
  if (header.size() > kHeaderBytesMax)
    return Error{ErrorCode::kLimitExceeded,
                 cat("a header of ", header.size(), " bytes exceeds the limit of ", kHeaderBytesMax)};
  std::string frame;
  frame.reserve(kLengthBytes + header.size() + payload.size());
  for (size_t i = 0; i < kLengthBytes; ++i) frame += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  frame += header;
  frame += payload;
  return frame;
}

Result<FrameView> decode_frame(std::string_view bytes, size_t header_bytes_max) {
  if (bytes.size() < kLengthBytes) return Error{ErrorCode::kProtocolError, cat("a frame of ", bytes.size(), " bytes is too short")};
  size_t header_bytes = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) header_bytes |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  if (header_bytes > header_bytes_max)
    return Error{ErrorCode::kProtocolError, cat("a header of ", header_bytes, " bytes exceeds the limit of ", header_bytes_max)};
  if (header_bytes > bytes.size() - kLengthBytes)
    return Error{ErrorCode::kProtocolError, cat("a header of ", header_bytes, " bytes does not fit into a frame of ", bytes.size())};
  return FrameView{bytes.substr(kLengthBytes, header_bytes), bytes.substr(kLengthBytes + header_bytes)};
}

}  // namespace hone::net
