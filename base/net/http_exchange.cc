#include "base/net/http_exchange.h"

#include <libwebsockets.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include "base/check.h"
#include "base/net/limits.h"

namespace hone::net {

namespace {

struct HeaderLine {
  const char* name;
  const char* value;
};

// COOP and COEP make the page cross-origin isolated: a 5 µs clock and SharedArrayBuffer. The rest keeps other sites away.
constexpr std::array<HeaderLine, 6> kHeaders{{
    {"cross-origin-opener-policy:", "same-origin"},
    {"cross-origin-embedder-policy:", "require-corp"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"content-security-policy:",
     "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
     "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
}};

// For whoever compares clocks: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return text.data();
}

bool add_header(lws* wsi, HeaderLine line, unsigned char** at, unsigned char* end) {
  if (!*line.value) return true;
  return lws_add_http_header_by_name(wsi, reinterpret_cast<const unsigned char*>(line.name),
                                     reinterpret_cast<const unsigned char*>(line.value),
                                     static_cast<int>(std::strlen(line.value)), at, end) == 0;
}

std::chrono::milliseconds time_for(uint64_t body_bytes, std::chrono::milliseconds least) {
  return least + std::chrono::seconds(body_bytes / kReceiveBytesPerSecondMin);
}

}  // namespace

HttpExchange::HttpExchange(EventLoop& loop, lws* wsi, HttpServing serving, bool is_head)
    : loop_(loop), wsi_(wsi), serving_(std::move(serving)), is_head_(is_head) {}

void HttpExchange::count(ptrdiff_t bytes) {
  queued_bytes_ += static_cast<size_t>(bytes);
  serving_.total->bytes += static_cast<size_t>(bytes);
}

void HttpExchange::put(std::shared_ptr<const std::string> piece) {
  if (!piece || piece->empty()) return;
  count(static_cast<ptrdiff_t>(piece->size()));
  queue_.push_back(std::move(piece));
}

// While nothing is read, libwebsockets does not say when it can be written either.
void HttpExchange::steer_reading() {
  const bool holds = held_ && call_ && body_left_ > 0 && !is_answered();
  if (!wsi_ || holds == reading_held_) return;
  reading_held_ = holds;
  lws_rx_flow_control(wsi_, holds ? 0 : 1);
  loop_.pump_soon();
}

void HttpExchange::release_body() {
  held_ = false;
  steer_reading();
  if (owes_continue_) want_to_write();
}

void HttpExchange::want_to_write() {
  if (!wsi_) return;
  steer_reading();
  lws_callback_on_writable(wsi_);
  loop_.pump_soon();
}

void HttpExchange::reply(HttpReply reply) {
  CHECK(loop_.on_thread(), "HttpResponse::reply on another thread; post to the event loop");
  if (!wsi_ || is_answered()) return;
  replied_ = ended_ = true;
  length_ = reply.body ? reply.body->size() : 0;
  if (reply.greeted) set_greeted();
  if (!is_head_) put(std::move(reply.body));
  head_ = std::move(reply);
  want_to_write();
}

void HttpExchange::begin_stream(std::string content_type) {
  if (!wsi_ || is_answered()) return;
  streams_ = true;
  head_.content_type = std::move(content_type);
  want_to_write();
}

void HttpExchange::write(std::string piece) {
  CHECK(loop_.on_thread(), "HttpResponse::write on another thread; post to the event loop");
  if (!wsi_ || !streams_ || ended_) return;
  OutboxTotal& total = *serving_.total;
  while (total.bytes + piece.size() > total.bytes_max && total.relieve()) {}
  put(std::make_shared<const std::string>(std::move(piece)));
  if (queued_bytes_ > serving_.outbox_bytes_max) lws_set_timeout(wsi_, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
  want_to_write();
}

void HttpExchange::end_stream() {
  if (!wsi_ || !streams_) return;
  ended_ = true;
  want_to_write();
}

void HttpExchange::set_greeted() {
  if (wsi_ && serving_.on_greeted) serving_.on_greeted();
}

void HttpExchange::listen(std::unique_ptr<HttpCall> call) {
  call_ = std::move(call);
  body_until_ = std::chrono::steady_clock::now() + time_for(body_left_, serving_.message_timeout);
}

void HttpExchange::call_body() {
  if (call_ && !is_answered() && !std::exchange(heard_, true)) call_->on_body(inbox_.empty() ? nullptr : inbox_.take());
}

int HttpExchange::on_head(bool waits_for_continue) {
  if (call_ && !is_answered() && body_left_ > 0) {
    owes_continue_ = waits_for_continue;
    steer_reading();
    return held_ || !waits_for_continue ? 0 : say_continue();
  }
  if (call_ && !is_answered()) {
    lws_set_timeout(wsi_, NO_PENDING_TIMEOUT, 0);
    call_body();
  }
  if (!is_answered()) return 0;
  return body_left_ > 0 ? refuse_body() : write_headers();
}

int HttpExchange::on_body(std::string_view piece) {
  serving_.traffic->received += piece.size();
  if (!call_ || is_answered()) return 0;  // the connection ends with the answer
  if (piece.size() > body_left_ || std::chrono::steady_clock::now() > body_until_) return -1;
  body_left_ -= piece.size();
  inbox_.append(piece, body_left_);
  return 0;
}

// Bytes of another request behind the body end the connection: libwebsockets 4.1 would say again and again that the body has ended, until this one is answered.
int HttpExchange::on_body_end() {
  if (std::exchange(body_ended_, true)) return -1;
  if (!call_ || body_left_ > 0) return 0;
  lws_set_timeout(wsi_, NO_PENDING_TIMEOUT, 0);
  call_body();
  return 0;  // it is answered when the socket can be written to: here libwebsockets would turn in a circle over bytes that it has kept
}

// While its body comes in: whatever follows is not looked at any more.
int HttpExchange::refuse_body() {
  if (const int result = write_headers(); result != 0 || queue_.empty()) return result;
  return write_some();
}

int HttpExchange::say_continue() {
  owes_continue_ = false;
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  std::array<unsigned char, LWS_PRE + kContinue.size()> bytes;
  std::memcpy(bytes.data() + LWS_PRE, kContinue.data(), kContinue.size());
  return lws_write(wsi_, bytes.data() + LWS_PRE, kContinue.size(), LWS_WRITE_HTTP_HEADERS) < 0 ? -1 : 0;
}

int HttpExchange::on_writable() {
  if (!is_answered()) return owes_continue_ && !held_ ? say_continue() : 0;
  if (!headers_sent_) return write_headers();
  return queue_.empty() ? finish() : write_some();
}

void HttpExchange::on_gone() {
  wsi_ = nullptr;
  count(-static_cast<ptrdiff_t>(queued_bytes_));
  queue_.clear();
  call_.reset();
}

int HttpExchange::write_headers() {
  std::array<unsigned char, LWS_PRE + 4096> buffer;
  unsigned char *start = buffer.data() + LWS_PRE, *at = start, *end = buffer.data() + buffer.size();
  const char* caching = head_.immutable ? "private, max-age=31536000, immutable" : streams_ ? "no-store" : "no-cache";
  const lws_filepos_t length = streams_ ? LWS_ILLEGAL_HTTP_CONTENT_LEN : static_cast<lws_filepos_t>(length_);
  headers_sent_ = true;
  if (lws_add_http_common_headers(wsi_, static_cast<unsigned>(head_.status), head_.content_type.c_str(), length, &at, end)) return -1;
  const std::string date = http_date();
  for (const HeaderLine& line : kHeaders)
    if (!add_header(wsi_, line, &at, end)) return -1;
  for (const HeaderLine& line : {HeaderLine{"date:", date.c_str()}, {"cache-control:", caching}, {"allow:", head_.allow.c_str()}, {"www-authenticate:", head_.authenticate.c_str()}})
    if (!add_header(wsi_, line, &at, end)) return -1;
  if (lws_finalize_write_http_header(wsi_, start, &at, end)) return -1;
  if (queue_.empty()) return finish();
  lws_set_timeout(wsi_, PENDING_TIMEOUT_HTTP_CONTENT, kHttpStallS);
  lws_callback_on_writable(wsi_);
  return 0;
}

int HttpExchange::write_some() {
  static thread_local std::array<unsigned char, LWS_PRE + kFragmentBytes> scratch;
  const std::string& piece = *queue_.front();
  const size_t length = std::min(piece.size() - sent_, kFragmentBytes);
  std::memcpy(scratch.data() + LWS_PRE, piece.data() + sent_, length);
  sent_ += length;
  const bool is_last = ended_ && queue_.size() == 1 && sent_ == piece.size();
  serving_.traffic->sent += length;
  if (lws_write(wsi_, scratch.data() + LWS_PRE, length, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < static_cast<int>(length)) return -1;
  if (sent_ == piece.size()) {
    count(-static_cast<ptrdiff_t>(sent_));
    queue_.pop_front();
    sent_ = 0;
  }
  lws_set_timeout(wsi_, PENDING_TIMEOUT_HTTP_CONTENT, kHttpStallS);
  if (queue_.empty()) return finish();
  return lws_callback_on_writable(wsi_) < 0 ? -1 : 0;
}

// All that is queued is sent.
int HttpExchange::finish() {
  if (streams_ && !ended_) {
    lws_set_timeout(wsi_, NO_PENDING_TIMEOUT, 0);
    if (call_) call_->on_drained();
    return 0;
  }
  call_.reset();
  if (streams_ || body_left_ > 0) return -1;
  return lws_http_transaction_completed(wsi_) ? -1 : 0;
}

int refuse(lws* wsi, int status, const std::string& message) {
  return lws_return_http_status(wsi, static_cast<unsigned>(status), message.c_str()) < 0 ? -1 : 1;
}

}  // namespace hone::net
