#include "browser-agent/native/pipe_frame.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/cat.h"
#include "base/json_text.h"

namespace hone::native {
namespace {

struct Sizes {
  uint32_t header_bytes, payload_bytes;
};
static_assert(sizeof(Sizes) == 8);

// How many bytes came before the end of the stream.
Result<size_t> read_all(int descriptor, char* out, size_t bytes) {
  size_t at = 0;
  while (at < bytes) {
    const ssize_t got = read(descriptor, out + at, bytes - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{ErrorCode::kIoError, cat("the input cannot be read: ", std::strerror(errno))};
    if (got == 0) break;
    at += static_cast<size_t>(got);
  }
  return at;
}

Status read_exactly(int descriptor, std::string& out, size_t bytes) {
  out.resize(bytes);
  HONE_ASSIGN(got, read_all(descriptor, out.data(), bytes));
  if (got < bytes) return Error{ErrorCode::kProtocolError, "the input ended within a frame"};
  return ok_status();
}

Status write_all(int descriptor, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = write(descriptor, data, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return Error{ErrorCode::kIoError, cat("the answer cannot be written: ", std::strerror(errno))};
    data += put;
    bytes -= static_cast<size_t>(put);
  }
  return ok_status();
}

}  // namespace

Result<std::optional<PipeFrame>> read_frame(int descriptor) {
  Sizes sizes{};
  HONE_ASSIGN(got, read_all(descriptor, reinterpret_cast<char*>(&sizes), sizeof sizes));
  if (got == 0) return std::optional<PipeFrame>();
  if (got < sizeof sizes) return Error{ErrorCode::kProtocolError, "the input ended within a frame"};
  if (sizes.header_bytes > kHeaderBytesMax || sizes.payload_bytes > kPayloadBytesMax)
    return Error{ErrorCode::kProtocolError, cat("a frame of ", sizes.header_bytes, " and ", sizes.payload_bytes,
                                                " bytes is larger than ", kHeaderBytesMax, " and ", kPayloadBytesMax)};
  PipeFrame frame;
  std::string header;
  HONE_TRY(read_exactly(descriptor, header, sizes.header_bytes));
  HONE_TRY(read_exactly(descriptor, frame.payload, sizes.payload_bytes));
  frame.header = nlohmann::json::parse(header, nullptr, false);
  if (!frame.header.is_object()) return Error{ErrorCode::kProtocolError, "a frame's header is not a JSON object"};
  return std::optional(std::move(frame));
}

Status write_frame(int descriptor, const PipeFrame& frame) {
  const std::string header = json_line(frame.header);
  const Sizes sizes{static_cast<uint32_t>(header.size()), static_cast<uint32_t>(frame.payload.size())};
  HONE_TRY(write_all(descriptor, reinterpret_cast<const char*>(&sizes), sizeof sizes));
  HONE_TRY(write_all(descriptor, header.data(), header.size()));
  return write_all(descriptor, frame.payload.data(), frame.payload.size());
}

}  // namespace hone::native
