// decode: a frame's header to the one message of a union that it is. encode: a message to a frame's header text.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "base/cat.h"
#include "base/json_text.h"
#include "schema/generated/protocol.h"

namespace hone::protocol {

// The header's text of a message, UTF-8.
template <class Message>
std::string encode(const Message& message) {
  return json_line(to_json(message));
}

namespace message_detail {
template <class Union, class Message>
bool try_decode(const nlohmann::json& header, std::string_view kind, size_t frame_bytes, std::optional<Result<Union>>& out) {
  if (kind != Message::kKind) return false;
  if (frame_bytes > Message::kBytesMax) {
    out = Error{ErrorCode::kProtocolError, cat(kind, ": a frame of ", frame_bytes, " bytes exceeds the limit of ", Message::kBytesMax)};
    return true;
  }
  auto message = from_json<Message>(header);
  if (message.ok())
    out = Union(std::move(*message));
  else
    out = message.error();
  return true;
}
template <class Union, class... Messages>
Result<Union> decode(const nlohmann::json& header, size_t frame_bytes, std::variant<Messages...>*) {
  const auto found = header.is_object() ? header.find("kind") : header.end();
  if (!header.is_object() || found == header.end() || !found->is_string())
    return Error{ErrorCode::kProtocolError, "the frame's header has no kind"};
  const std::string kind = found->template get<std::string>();
  std::optional<Result<Union>> out;
  if ((try_decode<Union, Messages>(header, kind, frame_bytes, out) || ...)) return std::move(*out);
  return Error{ErrorCode::kProtocolError, cat("a message of the kind '", kind.substr(0, 64), "' is not expected here")};
}
}  // namespace message_detail

// decode reads a parsed header, decode_text its text. Union is one of protocol.h's directions (ControlFromAgent, …): what the peer may not send is refused with kProtocolError.
template <class Union>
Result<Union> decode(const nlohmann::json& header, size_t frame_bytes) {
  return message_detail::decode<Union>(header, frame_bytes, static_cast<Union*>(nullptr));
}
template <class Union>
Result<Union> decode_text(std::string_view header_text, size_t frame_bytes) {
  const auto header = parse_json(header_text);
  if (!header.ok()) return Error{ErrorCode::kProtocolError, cat("the frame's header: ", header.error().message)};
  return decode<Union>(*header, frame_bytes);
}

}  // namespace hone::protocol
