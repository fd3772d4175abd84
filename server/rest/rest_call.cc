#include "server/rest/rest_call.h"

#include <algorithm>

#include "base/base64.h"
#include "base/cat.h"
#include "base/json_text.h"
#include "schema/message.h"
#include "server/rest/limits.h"
#include "server/rest/rest_ask.h"

namespace hone::server {

namespace {

using nlohmann::json;

constexpr uint64_t kHelloId = 1, kAskId = 2;
constexpr const char* kJsonType = "application/json";

bool holds(const std::vector<std::string_view>& kinds, std::string_view kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

// JSON lines as a list, without reading them.
std::string with_lines(const json& message, const SharedBytes& lines) {
  std::string text = json_line(message);
  std::string list(lines ? *lines : std::string_view());
  while (list.ends_with('\n')) list.pop_back();
  std::replace(list.begin(), list.end(), '\n', ',');
  text.pop_back();
  return cat(text, text.size() > 1 ? "," : "", "\"lines\":[", list, "]}");
}

}  // namespace

net::HttpReply problem_reply(const Error& error, int status) {
  const json body{{"code", error_name(error.code)}, {"message", error.message}};
  return {.status = status > 0 ? status : protocol::http_status(error.code), .content_type = kJsonType, .body = std::make_shared<const std::string>(json_line(body) + "\n")};
}

// The client desk's end. It may be held longer than the call.
class RestCall::Line : public net::Channel {
 public:
  Line(RestCall& call, std::shared_ptr<net::HttpResponse> response) : call_(&call), response_(std::move(response)) {}
  void cut() { call_ = nullptr; }

  using net::Channel::send;
  bool send(std::string_view header, SharedBytes payload) override {
    if (call_) call_->on_frame(header, std::move(payload));
    return call_ != nullptr;
  }
  void close(net::CloseCode code, std::string_view reason) override {
    if (call_) call_->on_close(code, reason);
  }
  void set_greeted() override { response_->set_greeted(); }
  void set_frame_bytes_max(size_t) override {}  // the body was measured before it was read
  size_t outbox_bytes() const override { return response_->outbox_bytes(); }
  const std::string& peer() const override { return response_->peer(); }
  bool is_local() const override { return response_->is_local(); }
  bool is_open() const override { return call_ && response_->is_open(); }

 private:
  RestCall* call_;
  const std::shared_ptr<net::HttpResponse> response_;
};

RestCall::RestCall(net::EventLoop& loop, net::HttpRequest request, RouteMatch match, const net::Accept& accept, std::shared_ptr<net::HttpResponse> response)
    : request_(std::move(request)), match_(std::move(match)), response_(std::move(response)), line_(std::make_shared<Line>(*this, response_)), quiet_(loop) {
  client_ = accept(line_);
  response_->hold_body();
  say(protocol::encode(protocol::ClientHello{.id = kHelloId, .token = request_.token, .version = protocol::kProtocolVersion, .user = "rest"}), {}, nullptr);
}

RestCall::~RestCall() {
  line_->cut();
  client_->on_closed({});
}

void RestCall::on_body(SharedBytes body) {
  body_ = std::move(body);
  if (admitted_) ask();
}

void RestCall::ask() {
  const SharedBytes body = *std::exchange(body_, std::nullopt);
  const auto ask = read_ask(match_, request_, body ? *body : std::string_view(), kAskId);
  if (!ask.ok()) return refuse(ask.error());
  streams_ = ask->streams;
  say(json_line(ask->message), ask->payload, body);
}

void RestCall::admit(std::string_view kind, const json& message) {
  if (kind != protocol::ClientWelcome::kKind) return refuse({error_from_name(message.value("code", "")).value_or(ErrorCode::kInternal), message.value("message", "")});
  admitted_ = true;
  response_->release_body();
  if (body_) ask();
}

void RestCall::say(const std::string& header, std::string_view payload, std::shared_ptr<const void> owner) {
  client_->on_frame({.header = header, .payload = payload, .owner = std::move(owner)}, header.size() + payload.size());
}

void RestCall::on_frame(std::string_view header, SharedBytes payload) {
  if (over_ || !end_kind_.empty()) return;
  auto message = json::parse(header, nullptr, false);  // of this process
  const std::string kind = message.value("kind", "");
  if (!admitted_) return admit(kind, message);
  for (const char* key : {"kind", "reply_to"}) message.erase(key);
  if (kind == protocol::ErrorReply::kKind) return refuse({error_from_name(message.value("code", "")).value_or(ErrorCode::kInternal), message.value("message", "")});
  if (kind == match_.route->reply) return on_reply(std::move(message), payload);
  if (!begun_) return;
  if (holds(match_.route->events, kind)) return send_event(kind, message);
  if (!holds(match_.route->ends, kind)) return;
  end_kind_ = kind;
  end_ = std::move(message);
  payload_ = std::move(payload);
  send_payload();
}

void RestCall::on_reply(json message, const SharedBytes& payload) {
  if (streams_) {
    begun_ = true;
    response_->begin_stream("text/event-stream");
    keep_alive();
    return send_event(match_.route->reply, message);
  }
  over_ = true;
  const bool has_lines = match_.route->reply == protocol::Records::kKind;
  response_->reply({.content_type = kJsonType, .body = std::make_shared<const std::string>((has_lines ? with_lines(message, payload) : json_line(message)) + "\n")});
}

void RestCall::on_close(net::CloseCode code, std::string_view reason) {
  if (over_ || !end_kind_.empty()) return;
  const bool stops = code == net::CloseCode::kGoingAway || code == net::CloseCode::kTryLater;
  refuse({stops ? ErrorCode::kBusy : ErrorCode::kUnauthorized, std::string(reason)});
}

// Who is not let in hears how one is (RFC 9110, 11.6.1); a stream ends with the reason.
void RestCall::refuse(const Error& error) {
  if (std::exchange(over_, true)) return;
  net::HttpReply reply = problem_reply(error, !admitted_ && error.code == ErrorCode::kUnauthorized ? 401 : 0);
  if (reply.status == 401) reply.authenticate = "Bearer";
  if (!begun_) return response_->reply(std::move(reply));
  send_event("error", {{"code", error_name(error.code)}, {"message", error.message}});
  response_->end_stream();
}

void RestCall::send_event(std::string_view kind, const json& data) { response_->write(cat("event: ", kind, "\ndata: ", json_line(data), "\n\n")); }

// As much as the peer takes; on_drained goes on.
void RestCall::send_payload() {
  if (over_ || end_kind_.empty()) return;
  const std::string_view bytes = payload_ ? *payload_ : std::string_view();
  while (payload_sent_ < bytes.size() && response_->outbox_bytes() < kPayloadAheadBytes) {
    const std::string_view piece = bytes.substr(payload_sent_, kPayloadPieceBytes);
    send_event("payload", {{"offset", payload_sent_}, {"base64", base64(piece)}});
    payload_sent_ += piece.size();
  }
  if (payload_sent_ < bytes.size()) return;
  over_ = true;
  send_event(end_kind_, end_);
  response_->end_stream();
}

void RestCall::keep_alive() {
  quiet_.start_repeating(kStreamCommentEvery, [this] {
    if (response_->outbox_bytes() == 0) response_->write(": \n\n");
  });
}

}  // namespace hone::server
