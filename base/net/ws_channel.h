// WsChannel: a Channel over one lws connection; reassembles what comes, queues what goes. Shared by server and client; not for other folders.
#pragma once
#include <deque>

#include "base/net/channel.h"
#include "base/net/event_loop.h"

struct lws;
struct lws_context;

namespace hone::net {

struct WsLimits {
  size_t frame_bytes_max = 0;
  size_t outbox_bytes_max = 0;
};

class WsChannel : public Channel, public std::enable_shared_from_this<WsChannel> {
 public:
  WsChannel(EventLoop& loop, lws* wsi, WsLimits limits, std::string peer);

  bool send(std::string_view header, std::string_view payload) override;
  void close(CloseCode code, std::string_view reason) override;
  void set_frame_bytes_max(size_t bytes) override { limits_.frame_bytes_max = bytes; }
  size_t outbox_bytes() const override { return outbox_bytes_; }
  const std::string& peer() const override { return peer_; }
  bool is_open() const override { return wsi_ != nullptr && !closing_; }

  // The callbacks of libwebsockets; what they return goes back to it: not 0 ends the connection.
  void on_open(const Accept& accept);
  int on_receive(const char* bytes, size_t length);
  int on_writable();
  int on_timer();
  void on_peer_close(const unsigned char* bytes, size_t length);
  void on_closed();

 private:
  int close_now(CloseCode code, std::string_view reason);
  void deliver(std::string_view frame);

  EventLoop& loop_;
  lws* wsi_;  // null once closed
  WsLimits limits_;
  const std::string peer_;
  std::unique_ptr<Handler> handler_;
  std::string inbox_;               // the message that is coming in, as far as it came
  std::deque<std::string> outbox_;  // whole frames; of the first, sent_ bytes are gone
  size_t sent_ = 0;
  size_t outbox_bytes_ = 0;         // the sum of the outbox's sizes
  bool closing_ = false;
  Closed closed_;
};

// Ends a libwebsockets context on the loop: closes its sockets (their handlers get on_closed), then frees it.
void end_context(EventLoop& loop, lws_context* context);

}  // namespace hone::net
