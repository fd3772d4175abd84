#include "base/net/client.h"

#include <libwebsockets.h>

#include <array>
#include <cstring>
#include <unordered_map>

#include "base/cat.h"
#include "base/net/guard.h"
#include "base/net/limits.h"
#include "base/net/ws_channel.h"

namespace hone::net {

namespace {
// From connect until it is open or has failed. Owned by Impl::attempts; libwebsockets holds it as the connection's opaque data.
struct Attempt {
  ConnectTo to;
  Accept accept;
  std::function<void(Error)> on_failed;
};
}  // namespace

struct Client::Impl {
  Impl(EventLoop& loop, Idle idle, size_t sockets_max, TlsContext tls);
  ~Impl() { end_context(loop, context); }
  static int callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length);
  int on_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length);
  std::shared_ptr<WsChannel> channel(lws* wsi) const;
  void connect(Attempt* attempt);
  void fail(Attempt* attempt, const std::string& why, ErrorCode code = ErrorCode::kIoError);
  void on_error(lws* wsi, Attempt* attempt, std::string why);
  void on_established(lws* wsi, Attempt* attempt);

  EventLoop& loop;
  const TlsContext tls;
  lws_retry_bo_t no_idle_policy{};  // liveness.h
  const Liveness::Limits liveness;
  Timer look;
  std::array<lws_protocols, 2> protocols{};
  lws_context* context = nullptr;
  lws_vhost* vhost = nullptr;
  std::unordered_map<Attempt*, std::unique_ptr<Attempt>> attempts;
  std::unordered_map<lws*, std::shared_ptr<WsChannel>> channels;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

Client::Impl::Impl(EventLoop& loop_in, Idle idle, size_t sockets_max, TlsContext tls_in)
    : loop(loop_in), tls(std::move(tls_in)), liveness{std::chrono::seconds(idle.ping_s), std::chrono::seconds(idle.hangup_s)}, look(loop_in) {
  protocols[0] = {.name = "hone.v1", .callback = &callback, .rx_buffer_size = kReceiveBytes};
  void* loops[] = {loop.uv()};
  lws_context_creation_info info{};
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_JUST_USE_RAW_ORIGIN |
                 (tls ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0);
  info.provided_client_ssl_ctx = tls.get();
  info.foreign_loops = loops;
  info.pt_serv_buf_size = kServiceBufferBytes;
  info.fd_limit_per_thread = static_cast<unsigned>(sockets_max);  // sizes libwebsockets' tables, which otherwise follow ulimit -n
  info.gid = static_cast<gid_t>(-1);
  info.uid = static_cast<uid_t>(-1);
  info.user = this;
  lws_set_log_level(0, nullptr);
  context = lws_create_context(&info);
  CHECK(context, "libwebsockets could not start; is the package libwebsockets-evlib-uv installed?");
  info.protocols = protocols.data();
  info.vhost_name = "client";
  info.connect_timeout_secs = kConnectTimeoutS;
  info.timeout_secs = kConnectTimeoutS;
  info.http_proxy_address = "";  // else http_proxy of the environment would be asked for loopback connections
  vhost = lws_create_vhost(context, &info);
  CHECK(vhost, "lws_create_vhost for clients");
  look.start_repeating(kLookEvery, [this] {
    for (const auto& [wsi, channel] : channels) channel->look();
    loop.pump_soon();
  });
}

void Client::Impl::connect(Attempt* attempt) {
  const std::string host =
      attempt->to.host_header.empty() ? cat(attempt->to.host, ":", attempt->to.port) : attempt->to.host_header;
  lws_client_connect_info info{};
  info.context = context;
  info.vhost = vhost;
  info.address = attempt->to.host.c_str();
  info.port = attempt->to.port;
  info.path = attempt->to.path.c_str();
  info.iface = attempt->to.from.empty() ? nullptr : attempt->to.from.c_str();
  info.host = host.c_str();
  info.origin = attempt->to.origin.empty() ? nullptr : attempt->to.origin.c_str();
  info.protocol = "hone.v1";
  info.local_protocol_name = "hone.v1";
  info.ietf_version_or_minus_one = -1;
  info.opaque_user_data = attempt;
  info.retry_and_idle_policy = &no_idle_policy;
  info.alpn = "http/1.1";
  info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT | (attempt->to.tls ? LCCSCF_USE_SSL : 0);  // a service sends nobody elsewhere
  // A failure may have been told through the callback already; then the attempt is gone, and fail does nothing.
  if (!lws_client_connect_via_info(&info)) fail(attempt, "the connection could not be made");
  loop.pump_soon();
}

void Client::Impl::fail(Attempt* attempt, const std::string& why, ErrorCode code) {
  const auto found = attempts.find(attempt);
  if (found == attempts.end()) return;
  const auto owned = std::move(found->second);
  attempts.erase(found);
  owned->on_failed(Error{code,
                         cat("cannot connect to ", owned->to.host, ":", owned->to.port, owned->to.path, ": ", why)});
}

namespace {
// What libwebsockets says of a peer that speaks TLS where none is spoken, or the other way round, is for its authors.
std::string in_words(const Attempt* attempt, const std::string& why) {
  if (!attempt || why.find(attempt->to.tls ? "SSL" : "not 101") == std::string::npos) return why;
  return attempt->to.tls ? "the TLS handshake fails; does it speak https?" : "it takes no WebSocket; does it speak https?";
}
}  // namespace

void Client::Impl::on_error(lws* wsi, Attempt* attempt, std::string why) {
  ssl_st* ssl = lws_get_ssl(wsi);
  const std::string problem = ssl ? verify_problem(ssl) : "";
  if (problem.empty()) fail(attempt, in_words(attempt, why));
  else fail(attempt, problem, ErrorCode::kBadCertificate);
}

void Client::Impl::on_established(lws* wsi, Attempt* attempt) {
  const auto found = attempts.find(attempt);
  CHECK(found != attempts.end(), "an unknown connection");
  const auto owned = std::move(found->second);
  attempts.erase(found);
  if (owned->to.tls && owned->to.on_peer_key) owned->to.on_peer_key(peer_key_sha256(lws_get_ssl(wsi)));
  const WsLimits limits{.reads_on = true,
                        .frame_bytes_max = owned->to.frame_bytes_max,
                        .outbox_bytes_max = owned->to.outbox_bytes_max,
                        .liveness = liveness};
  const auto channel = std::make_shared<WsChannel>(loop, wsi, limits, owned->to.host);
  channels.emplace(wsi, channel);
  channel->on_open(owned->accept);
}

std::shared_ptr<WsChannel> Client::Impl::channel(lws* wsi) const {
  const auto found = channels.find(wsi);
  return found == channels.end() ? nullptr : found->second;
}

// Nothing may be thrown through libwebsockets, which is C: the connection ends instead.
int Client::Impl::callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
  auto* self = static_cast<Impl*>(lws_context_user(lws_get_context(wsi)));
  self->loop.count_event();
  int result = -1;
  const Status done = guarded([&] { result = self->on_event(wsi, reason, user, in, length); });
  if (done.ok()) return result;
  const auto to = self->channel(wsi);
  return to ? to->on_thrown(done.error()) : -1;
}

int Client::Impl::on_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
  auto* attempt = wsi ? static_cast<Attempt*>(lws_get_opaque_user_data(wsi)) : nullptr;
  switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      on_error(wsi, attempt, in ? std::string(static_cast<const char*>(in), strnlen(static_cast<const char*>(in), length))
                       : "the connection ended");
      return 0;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      on_established(wsi, attempt);
      return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
      if (const auto to = channel(wsi)) return to->on_receive(static_cast<const char*>(in), length);
      return -1;
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
      if (const auto to = channel(wsi)) to->on_pong();
      return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
      if (const auto to = channel(wsi)) return to->on_writable();
      return 0;
    case LWS_CALLBACK_TIMER:
      if (const auto to = channel(wsi)) return to->on_timer();
      return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      if (const auto to = channel(wsi)) to->on_peer_close(static_cast<const unsigned char*>(in), length);
      return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
      if (const auto to = channel(wsi)) {
        channels.erase(wsi);
        to->on_closed();
      }
      return 0;
    default:
      return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

Client::Client(EventLoop& loop, Idle idle, size_t sockets_max, TlsContext tls)
    : impl_(std::make_unique<Impl>(loop, idle, sockets_max, std::move(tls))) {}
Client::~Client() {
  CHECK(impl_->loop.on_thread(), "a Client ends on its loop's thread");
  *impl_->alive = false;
}

void Client::connect(ConnectTo to, Accept accept, std::function<void(Error)> on_failed) {
  auto owned = std::make_unique<Attempt>(Attempt{std::move(to), std::move(accept), std::move(on_failed)});
  Attempt* attempt = owned.get();
  impl_->attempts.emplace(attempt, std::move(owned));
  impl_->loop.post([impl = impl_.get(), alive = impl_->alive, attempt] {
    if (*alive) impl->connect(attempt);
  });
}

}  // namespace hone::net
