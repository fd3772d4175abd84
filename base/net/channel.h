// Channel: one end of a stream of frames. Handler: what listens to it. Servers, clients and the in-memory pair of tests all speak through these.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/net/frame.h"

namespace hone::net {

enum class CloseCode : uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kProtocolError = 1002,
  kLost = 1006,  // never sent: the socket ended without a close frame
  kPolicy = 1008,
  kTooLarge = 1009,
  kInternal = 1011,  // a fault of the service, or it has no memory
  kTryLater = 4013,  // 1013 of the registry is refused by libwebsockets 4.1 when it receives it
  kReplaced = 4001,  // the same peer connected again
  kUnauthorized = 4003,
};

struct Closed {
  uint16_t code = static_cast<uint16_t>(CloseCode::kLost);
  std::string reason;
};

// Lives on the loop's thread. May outlive its socket: sending to a closed channel does nothing and returns false.
class Channel {
 public:
  virtual ~Channel() = default;
  // Queues one frame. False when the channel is closed; when the outbox is full, in which case it closes with kTryLater; or when the frame
  // is longer than the protocol permits, in which case it closes with kTooLarge. The payload is kept until it is sent, and not copied; null: none.
  virtual bool send(std::string_view header, SharedBytes payload) = 0;
  // The same of a payload that is copied.
  bool send(std::string_view header, std::string_view payload = {}) { return send(header, payload.empty() ? nullptr : shared_bytes(std::string(payload))); }
  // Sends what is queued, then a close frame; gives up after a few seconds. on_closed follows.
  virtual void close(CloseCode code, std::string_view reason) = 0;
  // The peer has shown who it is. Until then it is a stranger: it has a few seconds for that, and others may take its place (gate.h).
  virtual void set_greeted() = 0;
  // A larger frame from the peer closes the channel with kTooLarge. Starts at the endpoint's value, for peers that are not known yet.
  virtual void set_frame_bytes_max(size_t bytes) = 0;
  virtual size_t outbox_bytes() const = 0;
  virtual const std::string& peer() const = 0;  // address, for people: "127.0.0.1"
  // It comes from this machine, as far as its connection tells: neither another address nor a proxy in between, which must say so.
  virtual bool is_local() const = 0;
  virtual bool is_open() const = 0;
};

class Handler {
 public:
  virtual ~Handler() = default;
  // `frame` is valid during the call; `frame_bytes` is its whole size. A frame that cannot be split closes the channel before this.
  virtual void on_frame(const FrameView& frame, size_t frame_bytes) = 0;
  virtual void on_closed(const Closed& closed) = 0;  // the last call; the handler is destroyed after it
};

using Accept = std::function<std::unique_ptr<Handler>(std::shared_ptr<Channel>)>;

}  // namespace hone::net
