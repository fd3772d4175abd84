// WsChannel: a Channel over one lws connection; reassembles what comes, queues what goes. Shared by server and client; not for other folders.
#pragma once
#include <chrono>
#include <deque>
#include <functional>

#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "base/net/inbox.h"
#include "base/net/liveness.h"

struct lws;
struct lws_context;

namespace hone::net {

// What waits in all outboxes of a server.
struct OutboxTotal {
  size_t bytes = 0;
  size_t bytes_max = 0;
  // Drops the channel with the largest outbox; false where all are empty.
  std::function<bool()> relieve;
};

// What went through a server's sockets: the bytes of frames and of HTTP's bodies.
struct Traffic {
  uint64_t received = 0, sent = 0;
};

struct WsLimits {
  // What is refused is read on, dropped, until the close has been sent: within a message, libwebsockets 4.1's client writes beyond its buffer
  // when its callback ends the connection.
  bool reads_on = false;
  size_t frame_bytes_max = 0;
  size_t outbox_bytes_max = 0;
  std::chrono::milliseconds hello_timeout{0};  // 0: the peer is known from the start
  Liveness::Limits liveness;
};

// A frame on its way: its beginning with the header, and the payload where it is.
struct Outgoing {
  std::string head;
  SharedBytes payload;  // null: none

  size_t size() const { return head.size() + (payload ? payload->size() : 0); }
  void copy(size_t from, size_t length, unsigned char* to) const;
};

// What the server's side has more: its peers may mean ill.
struct WsServing {
  OutboxTotal* total = nullptr;
  Traffic* traffic = nullptr;
  std::chrono::milliseconds message_timeout{0};
  std::function<void()> on_greeted;
  bool local = false;  // is_local
};

class WsChannel : public Channel, public std::enable_shared_from_this<WsChannel> {
 public:
  WsChannel(EventLoop& loop, lws* wsi, WsLimits limits, std::string peer, WsServing serving = {});
  ~WsChannel() override;

  bool send(std::string_view header, SharedBytes payload) override;
  void close(CloseCode code, std::string_view reason) override;
  void set_greeted() override;
  void set_frame_bytes_max(size_t bytes) override { limits_.frame_bytes_max = bytes; }
  size_t outbox_bytes() const override { return outbox_bytes_; }
  const std::string& peer() const override { return peer_; }
  bool is_local() const override { return local_; }
  bool is_open() const override { return wsi_ != nullptr && !closing_; }
  // As close, but what is queued is dropped.
  void drop(CloseCode code, std::string_view reason);

  // The callbacks of libwebsockets; what they return goes back to it: not 0 ends the connection.
  void on_open(const Accept& accept);
  int on_receive(const char* bytes, size_t length);
  int on_writable();
  int on_timer();
  void on_pong();
  void on_peer_close(const unsigned char* bytes, size_t length);
  void on_closed();

  // To be called now and then: pings a quiet peer, ends the connection to one that is gone.
  void look();

  // The connection ends: something that it asked for has thrown.
  int on_thrown(const Error& error);

 private:
  int close_now(CloseCode code, std::string_view reason);
  int end(CloseCode code, std::string_view reason);
  void deliver(std::string_view frame, SharedBytes owner = nullptr);
  int ping();
  void begin_message();
  void steer_reading();
  void empty_outbox();
  void count(ptrdiff_t bytes);
  void give_up_after(std::chrono::milliseconds time, std::string why);

  EventLoop& loop_;
  lws* wsi_;  // null once closed
  WsLimits limits_;
  const std::string peer_;
  const bool local_;
  std::unique_ptr<Handler> handler_;
  WsServing serving_;               // empty once closed
  Timer deadline_;                  // of the hello, then of the message that is coming in
  Inbox inbox_;
  std::deque<Outgoing> outbox_;  // of the first, sent_ bytes are gone
  size_t sent_ = 0;
  size_t outbox_bytes_ = 0;  // what the outbox takes
  Liveness liveness_;
  bool ping_due_ = false;
  bool greeted_ = false;
  bool reading_paused_ = false;
  bool closing_ = false;
  Closed closed_;
};

// Ends a libwebsockets context on the loop: closes its sockets (their handlers get on_closed), then frees it.
void end_context(EventLoop& loop, lws_context* context);

}  // namespace hone::net
