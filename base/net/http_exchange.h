// One HTTP request of one lws connection: its body as it comes in, then the answer, in one piece or as a stream. For server.cc.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "base/net/http_message.h"
#include "base/net/inbox.h"
#include "base/net/ws_channel.h"

struct lws;

namespace hone::net {

// Whose request it is, and what all of a server have in common.
struct HttpServing {
  OutboxTotal* total = nullptr;
  Traffic* traffic = nullptr;
  size_t outbox_bytes_max = 0;
  std::chrono::milliseconds message_timeout{0};  // for a body; more where it is long (limits.h)
  std::function<void()> on_greeted;
  std::string peer;
  bool local = false;
};

class HttpExchange : public HttpResponse {
 public:
  HttpExchange(EventLoop& loop, lws* wsi, HttpServing serving, bool is_head);

  void reply(HttpReply reply) override;
  void begin_stream(std::string content_type) override;
  void write(std::string piece) override;
  void end_stream() override;
  void hold_body() override { held_ = true; }
  void release_body() override;
  void set_greeted() override;
  bool is_open() const override { return wsi_ != nullptr; }
  size_t outbox_bytes() const override { return queued_bytes_; }
  const std::string& peer() const override { return serving_.peer; }
  bool is_local() const override { return serving_.local; }

  // So much follows the head. The answer to a request whose body was not read is its connection's last: what follows on it is no request's head.
  void expect_body(uint64_t bytes) { body_left_ = bytes; }
  void listen(std::unique_ptr<HttpCall> call);

  // The callbacks of libwebsockets; what they return goes back to it: not 0 ends the connection.
  int on_head(bool waits_for_continue);  // RFC 9110, 10.1.1
  int on_body(std::string_view piece);
  int on_body_end();
  int on_writable();
  void on_gone();  // the connection has ended; whoever still has the response may keep it longer than the server lives

 private:
  bool is_answered() const { return replied_ || streams_; }
  int write_headers();
  int write_some();
  int finish();
  void count(ptrdiff_t bytes);
  void put(std::shared_ptr<const std::string> piece);
  void want_to_write();
  void call_body();
  int refuse_body();
  int say_continue();
  void steer_reading();

  EventLoop& loop_;
  lws* wsi_;  // null: gone
  HttpServing serving_;
  const bool is_head_;
  std::unique_ptr<HttpCall> call_;
  Inbox inbox_;
  uint64_t body_left_ = 0;
  bool held_ = false, reading_held_ = false, owes_continue_ = false;  // reading_held_: libwebsockets was told
  bool body_ended_ = false, heard_ = false;  // heard_: by the call; libwebsockets says that a body of no bytes has ended, too
  std::chrono::steady_clock::time_point body_until_{};
  HttpReply head_;  // status, type and the like; its body is queued
  size_t length_ = 0;
  bool replied_ = false, streams_ = false, ended_ = false, headers_sent_ = false;
  std::deque<std::shared_ptr<const std::string>> queue_;
  size_t queued_bytes_ = 0, sent_ = 0;  // sent_: of the first in the queue
};

// Answers at once with a sentence and closes: for refused handshakes.
int refuse(lws* wsi, int status, const std::string& message);

}  // namespace hone::net
