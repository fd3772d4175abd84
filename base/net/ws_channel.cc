#include "base/net/ws_channel.h"

#include <fcntl.h>
#include <libwebsockets.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/cat.h"
#include "base/net/limits.h"

namespace hone::net {

WsChannel::WsChannel(EventLoop& loop, lws* wsi, WsLimits limits, std::string peer)
    : loop_(loop), wsi_(wsi), limits_(limits), peer_(std::move(peer)) {}

bool WsChannel::send(std::string_view header, std::string_view payload) {
  CHECK(loop_.on_thread(), "Channel::send on another thread; post to the event loop");
  if (!is_open()) return false;
  std::string frame = encode_frame(header, payload);
  if (outbox_bytes_ + frame.size() > limits_.outbox_bytes_max) {
    close(CloseCode::kTryLater, "the peer reads too slowly");
    return false;
  }
  outbox_bytes_ += frame.size();
  outbox_.push_back(std::move(frame));
  lws_callback_on_writable(wsi_);
  loop_.pump_soon();
  return true;
}

void WsChannel::close(CloseCode code, std::string_view reason) {
  CHECK(loop_.on_thread(), "Channel::close on another thread; post to the event loop");
  if (!is_open()) return;
  closing_ = true;
  closed_ = {static_cast<uint16_t>(code), std::string(reason)};
  lws_callback_on_writable(wsi_);
  lws_set_timeout(wsi_, PENDING_TIMEOUT_LAGGING, kCloseTimeoutS);
  lws_cancel_service(
      lws_get_context(wsi_));  // outside of its callbacks, libwebsockets looks at a new timeout only when it is woken
  loop_.pump_soon();
}

void WsChannel::on_open(const Accept& accept) { handler_ = accept(shared_from_this()); }

// For use in a callback of libwebsockets: what is queued is dropped.
int WsChannel::close_now(CloseCode code, std::string_view reason) {
  closing_ = true;
  closed_ = {static_cast<uint16_t>(code), std::string(reason)};
  std::array<unsigned char, kCloseReasonBytesMax> text;
  const size_t length = std::min(reason.size(), text.size());
  std::memcpy(text.data(), reason.data(), length);
  lws_close_reason(wsi_, static_cast<lws_close_status>(code), text.data(), length);
  return -1;
}

int WsChannel::on_receive(const char* bytes, size_t length) {
  if (!is_open()) return 0;
  if (!lws_frame_is_binary(wsi_)) return close_now(CloseCode::kProtocolError, "a text message; hone.v1 is binary");
  const size_t rest = lws_remaining_packet_payload(wsi_);
  const size_t known = inbox_.size() + length + rest;
  if (known > limits_.frame_bytes_max)
    return close_now(CloseCode::kTooLarge,
                     cat("a frame of ", known, " bytes or more exceeds the limit of ", limits_.frame_bytes_max));
  const bool whole = rest == 0 && lws_is_final_fragment(wsi_);
  if (whole && inbox_.empty()) {
    deliver({bytes, length});
    return 0;
  }
  inbox_.append(bytes, length);
  if (whole) deliver(std::exchange(inbox_, {}));
  return 0;
}

void WsChannel::deliver(std::string_view frame) {
  const auto view = decode_frame(frame);
  if (!view.ok()) return close(CloseCode::kProtocolError, view.error().message);
  if (handler_) handler_->on_frame(*view, frame.size());
}

// One write per callback, as libwebsockets wants it; long frames go in fragments so that its buffers stay small.
int WsChannel::on_writable() {
  if (outbox_.empty()) {
    if (closing_) lws_set_timer_usecs(wsi_, 1);
    return 0;
  }
  const std::string& frame = outbox_.front();
  const size_t length = std::min(frame.size() - sent_, kFragmentBytes);
  static thread_local std::array<unsigned char, LWS_PRE + kFragmentBytes> scratch;
  std::memcpy(scratch.data() + LWS_PRE, frame.data() + sent_, length);
  const bool first = sent_ == 0, last = sent_ + length == frame.size();
  const int flags = lws_write_ws_flags(LWS_WRITE_BINARY, first, last);
  if (lws_write(wsi_, scratch.data() + LWS_PRE, length, static_cast<lws_write_protocol>(flags)) <
      static_cast<int>(length))
    return -1;
  sent_ += length;
  if (last) {
    outbox_bytes_ -= frame.size();
    outbox_.pop_front();
    sent_ = 0;
  }
  if (!outbox_.empty() || closing_) lws_callback_on_writable(wsi_);
  return 0;
}

// A refusal out of on_writable would end the connection without a close frame; out of a timer it does not.
int WsChannel::on_timer() {
  return closing_ ? close_now(static_cast<CloseCode>(closed_.code), std::string(closed_.reason)) : 0;
}

void WsChannel::on_peer_close(const unsigned char* bytes, size_t length) {
  if (closing_) return;
  closed_.code = static_cast<uint16_t>(CloseCode::kNormal);
  if (length >= 2) closed_.code = static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
  if (length > 2) closed_.reason.assign(reinterpret_cast<const char*>(bytes) + 2, length - 2);
}

void WsChannel::on_closed() {
  wsi_ = nullptr;
  outbox_.clear();
  outbox_bytes_ = 0;
  if (!handler_) return;
  const auto self = shared_from_this();  // the handler may hold the last other reference
  handler_->on_closed(closed_);
  handler_.reset();
}

namespace {

// libwebsockets 4.1 closes its event descriptor twice: within lws_context_destroy, and again when libuv has let go of its handle. In between
// the number may become another file's: a connection that is accepted in the same turn, or whatever another thread opens. So libuv's callback
// is held back until the number is ours. Delete with a libwebsockets that closes once.
class EventDescriptor {
 public:
  // Before lws_context_destroy.
  EventDescriptor(uv_loop_t* loop, lws_context* context) : context_(context) {
    CHECK(pipe2(ends_.data(), O_CLOEXEC) == 0, "no descriptor is left");
    uv_walk(
        loop, [](uv_handle_t* handle, void* self) { static_cast<EventDescriptor*>(self)->look_at(handle); }, this);
  }
  ~EventDescriptor() {
    for (int end : ends_) close(end);
  }
  EventDescriptor(const EventDescriptor&) = delete;

  // After it, before libuv runs.
  void hold_back() {
    if (handle_) on_close_ = std::exchange(handle_->close_cb, [](uv_handle_t*) {});
  }
  // After libuv has run.
  void close_again() {
    if (!handle_) return;
    int kept = -1;
    if (!take())
      kept = fcntl(number_, F_DUPFD_CLOEXEC,
                   0);  // of a thread that was faster and keeps its file: it is without it for an instant
    on_close_(handle_);
    if (kept < 0) return;
    dup3(kept, number_, O_CLOEXEC);
    close(kept);
  }

 private:
  // All poll handles of the loop are of libwebsockets; the event descriptor is the one that is no socket.
  void look_at(uv_handle_t* handle) {
    if (handle->type != UV_POLL || uv_is_closing(handle) ||
        lws_get_context(static_cast<lws*>(handle->data)) != context_)
      return;
    int number = -1, type = 0;
    socklen_t size = sizeof type;
    if (uv_fileno(handle, &number) != 0 || getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0) return;
    handle_ = handle;
    number_ = number;
  }
  bool take() const {
    for (int tries = 0; tries < kTakeTriesMax; ++tries) {
      const int got = fcntl(ends_[0], F_DUPFD_CLOEXEC, number_);
      if (got == number_) return true;
      if (got >= 0) close(got);
      usleep(1000);
    }
    return false;
  }

  static constexpr int kTakeTriesMax = 100;  // ms
  lws_context* const context_;
  uv_handle_t* handle_ = nullptr;
  uv_close_cb on_close_ = nullptr;
  int number_ = -1;
  std::array<int, 2> ends_{-1, -1};
};

}  // namespace

void end_context(EventLoop& loop, lws_context* context) {
  EventDescriptor event(loop.uv(), context);
  // On a loop that is not its own, libwebsockets needs both calls: the first begins to close, the second frees what libuv has let go.
  lws_context_destroy(context);
  event.hold_back();
  loop.drain_uv();
  event.close_again();
  loop.drain_uv();
  lws_context_destroy(context);
  loop.drain_uv();
}

}  // namespace hone::net
