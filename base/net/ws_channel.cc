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
#include <thread>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/net/limits.h"

namespace hone::net {

namespace {

// Outside of its callbacks, libwebsockets looks at a new timeout only when it is woken.
void wake(lws* wsi) { lws_cancel_service(lws_get_context(wsi)); }

// Giving pages back to the system takes as long as a copy of a tenth of them: not on the loop's thread where they are many.
void let_go(SharedBytes payload) {
  if (!payload || payload->size() < kFreedElsewhereBytes) return;
  (void)guarded([&] { return std::thread([kept = std::move(payload)] {}).detach(), ok_status(); });  // without a thread it is freed here
}

}  // namespace

WsChannel::WsChannel(EventLoop& loop, lws* wsi, WsLimits limits, std::string peer, WsServing serving)
    : loop_(loop),
      wsi_(wsi),
      limits_(limits),
      peer_(std::move(peer)),
      local_(serving.local),
      serving_(std::move(serving)),
      deadline_(loop),
      liveness_(limits.liveness, std::chrono::steady_clock::now()),
      greeted_(limits.hello_timeout.count() == 0) {}

WsChannel::~WsChannel() { empty_outbox(); }

void Outgoing::copy(size_t from, size_t length, unsigned char* to) const {
  const size_t of_head = from < head.size() ? std::min(length, head.size() - from) : 0;
  std::memcpy(to, head.data() + from, of_head);
  if (length > of_head) std::memcpy(to + of_head, payload->data() + (from + of_head - head.size()), length - of_head);
}

bool WsChannel::send(std::string_view header, SharedBytes payload) {
  CHECK(loop_.on_thread(), "Channel::send on another thread; post to the event loop");
  if (!is_open()) return false;
  auto head = encode_frame(header);
  if (!head.ok()) {
    close(CloseCode::kTooLarge, head.error().message);
    return false;
  }
  Outgoing frame{std::move(*head), std::move(payload)};
  const size_t bytes = frame.size() + kOutboxFrameBytes;
  if (outbox_bytes_ + bytes > limits_.outbox_bytes_max + kOutboxFrameBytes) {
    close(CloseCode::kTryLater, "the peer reads too slowly");
    return false;
  }
  OutboxTotal* total = serving_.total;
  while (total && total->bytes + bytes > total->bytes_max && total->relieve()) {}
  if (!is_open()) return false;  // it was this one's
  count(static_cast<ptrdiff_t>(bytes));
  outbox_.push_back(std::move(frame));
  steer_reading();
  lws_callback_on_writable(wsi_);
  loop_.pump_soon();
  return true;
}

void WsChannel::count(ptrdiff_t bytes) {
  outbox_bytes_ += static_cast<size_t>(bytes);
  if (serving_.total) serving_.total->bytes += static_cast<size_t>(bytes);
}

void WsChannel::empty_outbox() {
  count(-static_cast<ptrdiff_t>(outbox_bytes_));
  for (Outgoing& frame : outbox_) let_go(std::move(frame.payload));
  std::deque<Outgoing>().swap(outbox_);  // clear() keeps memory
  sent_ = 0;
}

void WsChannel::steer_reading() {
  const bool pause = serving_.total && outbox_bytes_ > kOutboxPausesReadingBytes;
  if (pause == reading_paused_) return;
  reading_paused_ = pause;
  lws_rx_flow_control(wsi_, pause ? 0 : 1);
}

void WsChannel::give_up_after(std::chrono::milliseconds time, std::string why) {
  deadline_.start(time, [this, why = std::move(why)] { drop(CloseCode::kPolicy, why); });
}

void WsChannel::set_greeted() {
  if (std::exchange(greeted_, true)) return;
  deadline_.cancel();
  if (serving_.on_greeted) serving_.on_greeted();
}

void WsChannel::drop(CloseCode code, std::string_view reason) {
  if (!wsi_) return;
  empty_outbox();
  close(code, reason);
}

void WsChannel::close(CloseCode code, std::string_view reason) {
  CHECK(loop_.on_thread(), "Channel::close on another thread; post to the event loop");
  if (!is_open()) return;
  closing_ = true;
  closed_ = {static_cast<uint16_t>(code), std::string(reason)};
  lws_callback_on_writable(wsi_);
  lws_set_timeout(wsi_, PENDING_TIMEOUT_LAGGING, kCloseTimeoutS);
  wake(wsi_);
  loop_.pump_soon();
}

void WsChannel::on_open(const Accept& accept) {
  if (!greeted_)
    give_up_after(limits_.hello_timeout, cat("no hello came within ", limits_.hello_timeout.count() / 1000.0, " s"));
  handler_ = accept(shared_from_this());
}

// For use in a callback of libwebsockets: what is queued is dropped.
int WsChannel::close_now(CloseCode code, std::string_view reason) {
  closing_ = true;
  closed_ = {static_cast<uint16_t>(code), std::string(reason)};
  std::array<unsigned char, kCloseReasonBytesMax> text;
  size_t length = std::min(reason.size(), text.size());
  // A browser takes a reason that ends within a character for a broken connection.
  while (length < reason.size() && length > 0 && (static_cast<unsigned char>(reason[length]) & 0xc0) == 0x80) --length;
  std::memcpy(text.data(), reason.data(), length);
  lws_close_reason(wsi_, static_cast<lws_close_status>(code), text.data(), length);
  return -1;
}

int WsChannel::end(CloseCode code, std::string_view reason) {
  if (!limits_.reads_on) return close_now(code, reason);
  close(code, reason);
  return 0;
}

void WsChannel::on_pong() { liveness_.heard(std::chrono::steady_clock::now()); }

void WsChannel::look() {
  if (!wsi_) return;
  switch (liveness_.due(std::chrono::steady_clock::now())) {
    case Liveness::Due::kNothing: return;
    case Liveness::Due::kPing:
      ping_due_ = true;
      lws_callback_on_writable(wsi_);
      return;
    case Liveness::Due::kHangUp:
      lws_set_timeout(wsi_, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
      wake(wsi_);
      return;
  }
}

int WsChannel::on_receive(const char* bytes, size_t length) {
  liveness_.heard(std::chrono::steady_clock::now());
  if (serving_.traffic) serving_.traffic->received += length;
  if (!is_open()) return 0;
  if (!lws_frame_is_binary(wsi_)) return end(CloseCode::kProtocolError, "a text message; hone.v1 is binary");
  const size_t rest = lws_remaining_packet_payload(wsi_);
  const size_t known = inbox_.size() + length + rest;
  if (known > limits_.frame_bytes_max)
    return end(CloseCode::kTooLarge,
               cat("a frame of ", known, " bytes or more exceeds the limit of ", limits_.frame_bytes_max));
  const bool whole = rest == 0 && lws_is_final_fragment(wsi_);
  if (whole && inbox_.empty()) {
    deliver({bytes, length});
    return 0;
  }
  if (inbox_.empty()) begin_message();
  inbox_.append({bytes, length}, rest);
  if (!whole) return 0;
  if (greeted_) deadline_.cancel();
  const SharedBytes message = inbox_.take();
  deliver(*message, message);
  return 0;
}

// Of a stranger, the time of its hello holds.
void WsChannel::begin_message() {
  if (!greeted_ || !serving_.total) return;
  const auto time =
      serving_.message_timeout + std::chrono::seconds(limits_.frame_bytes_max / kReceiveBytesPerSecondMin);
  give_up_after(time, cat("a message that began was not whole within ", time.count() / 1000.0, " s"));
}

void WsChannel::deliver(std::string_view frame, SharedBytes owner) {
  auto view = decode_frame(frame);
  if (!view.ok()) return close(CloseCode::kProtocolError, view.error().message);
  view->owner = std::move(owner);
  if (handler_) handler_->on_frame(*view, frame.size());
}

int WsChannel::ping() {
  std::array<unsigned char, LWS_PRE + 1> payload{};  // of the pong to an empty one, libwebsockets 4.1 does not tell
  if (lws_write(wsi_, payload.data() + LWS_PRE, 1, LWS_WRITE_PING) < 1) return -1;
  if (!outbox_.empty() || closing_) lws_callback_on_writable(wsi_);
  return 0;
}

// One write per callback, as libwebsockets wants it; long frames go in fragments so that its buffers stay small.
int WsChannel::on_writable() {
  if (std::exchange(ping_due_, false)) return ping();
  if (outbox_.empty()) {
    if (closing_) lws_set_timer_usecs(wsi_, 1);
    return 0;
  }
  const Outgoing& frame = outbox_.front();
  const size_t length = std::min(frame.size() - sent_, kFragmentBytes);
  static thread_local std::array<unsigned char, LWS_PRE + kFragmentBytes> scratch;
  frame.copy(sent_, length, scratch.data() + LWS_PRE);
  const bool first = sent_ == 0, last = sent_ + length == frame.size();
  const int flags = lws_write_ws_flags(LWS_WRITE_BINARY, first, last);
  if (lws_write(wsi_, scratch.data() + LWS_PRE, length, static_cast<lws_write_protocol>(flags)) <
      static_cast<int>(length))
    return -1;
  if (serving_.traffic) serving_.traffic->sent += length;
  sent_ += length;
  if (reading_paused_) on_pong();  // its pongs are not read, but it takes what it is sent
  if (last) {
    count(-static_cast<ptrdiff_t>(frame.size() + kOutboxFrameBytes));
    let_go(std::move(outbox_.front().payload));
    outbox_.pop_front();
    sent_ = 0;
    steer_reading();
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

int WsChannel::on_thrown(const Error& error) {
  empty_outbox();
  return end(CloseCode::kInternal, error.code == ErrorCode::kOutOfMemory
                                       ? "the service is out of memory"
                                       : "an error within the service; its log says more");
}

void WsChannel::on_closed() {
  wsi_ = nullptr;
  deadline_.cancel();
  empty_outbox();
  inbox_.clear();
  serving_ = {};                         // the channel may outlive its server
  const auto self = shared_from_this();  // the handler may hold the last other reference
  if (const auto handler = std::move(handler_)) handler->on_closed(closed_);
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
