#include "base/net/server.h"

#include <libwebsockets.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/cat.h"
#include "base/net/descriptors.h"
#include "base/net/forwarded.h"
#include "base/net/gate.h"
#include "base/net/guard.h"
#include "base/net/host_check.h"
#include "base/net/http_exchange.h"
#include "base/net/http_request.h"
#include "base/net/limits.h"
#include "base/net/listener.h"
#include "base/net/tls_context.h"
#include "base/net/ws_channel.h"

namespace hone::net {

namespace {
// libwebsockets hands its context over to be set up, and looks at a connection's first byte: a letter is no TLS.
constexpr uint64_t kTlsOptions = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX |
                                 LWS_SERVER_OPTION_ALLOW_NON_SSL_ON_SSL_PORT |
                                 LWS_SERVER_OPTION_ALLOW_HTTP_ON_HTTPS_LISTENER;
const Error kNoPlace{ErrorCode::kLimitExceeded, "too many connections of this address"};
}  // namespace

struct Server::Impl {
  Impl(EventLoop& loop_in, ServerConfig config_in)
      : loop(loop_in), config(std::move(config_in)), gate(gate_limits(descriptor_limit())), look(loop_in) {
    total = {.bytes_max = config.outboxes_bytes_max, .relieve = [this] { return relieve(); }};
  }
  ~Impl() {
    listener.reset();
    if (context) end_context(loop, context);
  }

  static int callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length);
  int on_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length);
  Status listen();
  void allow();
  Status start_context();
  void look_at_all();
  void on_socket(int fd, const std::string& address);
  void put_out(Gate::Id id, int how = LWS_TO_KILL_SYNC);
  void leave(lws* wsi);
  void greet(lws* wsi);
  bool attribute(lws* wsi);
  bool relieve();
  std::string origin() const;
  std::shared_ptr<WsChannel> channel(lws* wsi) const;
  Status check(lws* wsi) const;
  const Endpoint* endpoint(const std::string& path) const;
  bool lacks_tls(lws* wsi) const { return config.tls && !lws_is_ssl(wsi); }
  bool is_local(lws* wsi) const;
  HttpReply reply_to(lws* wsi, const HttpRequest& request) const;
  std::shared_ptr<HttpExchange> new_exchange(lws* wsi, const HttpRequest& request);
  void begin(const std::shared_ptr<HttpExchange>& exchange, lws* wsi, const HttpRequest& request);
  int on_request(lws* wsi, const char* path);
  HttpExchange* exchange(lws* wsi) const;
  void end_exchange(lws* wsi);
  int on_upgrade(lws* wsi);
  void on_established(lws* wsi);

  EventLoop& loop;
  ServerConfig config;
  uint16_t port = 0;
  AllowedNames allowed;
  lws_retry_bo_t no_idle_policy{};  // liveness.h
  std::array<lws_protocols, 3> protocols{};
  lws_context* context = nullptr;
  lws_vhost* vhost = nullptr;
  std::unique_ptr<Listener> listener;
  struct Socket {
    Gate::Id id = 0;
    std::string peer;     // whom the connection comes from
    std::string address;  // whom it is: another one behind a trusted proxy
  };
  Gate gate;
  std::unordered_map<lws*, Socket> sockets;
  OutboxTotal total;
  Timer look;
  Traffic traffic;
  Status tls_set_up = ok_status();
  ServerCertificate certificate;
  std::vector<std::string> more_pages;  // allow_pages
  TlsContext as_client;  // never one: else libwebsockets makes a context with all authorities of the system for it, which it never frees
  std::unordered_map<lws*, std::shared_ptr<WsChannel>> channels;
  std::unordered_map<lws*, std::shared_ptr<HttpExchange>> exchanges;
};

Status Server::Impl::listen() {
  HONE_ASSIGN(open, Listener::open(loop, config.address, config.port,
                                   [this](int fd, const std::string& address) { on_socket(fd, address); }));
  listener = std::move(open);
  port = listener->port();
  allow();
  return start_context();
}

void Server::Impl::allow() {
  std::vector<std::string> origins = config.page_origins;
  origins.insert(origins.end(), more_pages.begin(), more_pages.end());
  allowed = allowed_names({.address = config.address, .port = port, .tls = config.tls.has_value(), .more = config.names, .public_origin = config.public_origin, .page_origins = std::move(origins)});
}

Status Server::Impl::start_context() {
  protocols[0] = {.name = "http", .callback = &callback, .rx_buffer_size = 4096};
  protocols[1] = {.name = "hone.v1", .callback = &callback, .rx_buffer_size = kReceiveBytes};
  void* loops[] = {loop.uv()};
  lws_context_creation_info info{};
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                 (config.tls ? kTlsOptions : 0);
  info.foreign_loops = loops;
  info.pt_serv_buf_size = kServiceBufferBytes;
  info.gid = static_cast<gid_t>(-1);
  info.uid = static_cast<uid_t>(-1);
  info.user = this;
  info.timeout_secs = static_cast<unsigned>(config.handshake_timeout_s);
  lws_set_log_level(0, nullptr);
  context = lws_create_context(&info);
  if (!context)
    return Error{ErrorCode::kIoError,
                 "libwebsockets could not start; is the package libwebsockets-evlib-uv installed?"};
  info.protocols = protocols.data();
  info.vhost_name = "hone";
  info.alpn = "http/1.1";  // over h2, Chromium's WebSockets hang at 70 kB with this version
  info.timeout_secs_ah_idle = static_cast<unsigned>(config.handshake_timeout_s);
  info.keepalive_timeout = kKeepaliveS;
  info.retry_and_idle_policy = &no_idle_policy;
  if (config.tls) {
    HONE_ASSIGN(trusts_nobody, client_tls_context({.system = false}));
    as_client = std::move(trusts_nobody);
    info.provided_client_ssl_ctx = as_client.get();
  }
  vhost = lws_create_vhost(context, &info);
  HONE_TRY(tls_set_up);
  if (!vhost) return Error{ErrorCode::kIoError, "libwebsockets could not start its server"};
  look.start_repeating(kLookEvery, [this] { look_at_all(); });
  loop.pump_soon();
  return ok_status();
}

std::string Server::Impl::origin() const {
  return cat(config.tls ? "https://" : "http://", config.address == "0.0.0.0" ? "127.0.0.1" : config.address, ":", port);
}

void Server::Impl::look_at_all() {
  for (const auto& [wsi, channel] : channels) channel->look();
  loop.pump_soon();
}

void Server::Impl::on_socket(int fd, const std::string& address) {
  const auto place = gate.place_for(address);
  if (place && *place != 0) put_out(*place);
  lws* wsi = place ? lws_adopt_socket_vhost(vhost, fd) : nullptr;  // which closes it where it fails
  if (wsi) sockets[wsi] = {.id = gate.enter(address), .peer = address, .address = address};
  else if (!place) close(fd);
  loop.pump_soon();
}

// Its descriptor is free when libuv has turned once: those that are reserved bridge this.
void Server::Impl::put_out(Gate::Id id, int how) {
  gate.leave(id);
  const auto found =
      std::find_if(sockets.begin(), sockets.end(), [id](const auto& entry) { return entry.second.id == id; });
  if (found != sockets.end()) lws_set_timeout(found->first, PENDING_TIMEOUT_USER_REASON_BASE, how);
}

// It has begun to close, and is nobody's to put out any more.
void Server::Impl::leave(lws* wsi) {
  if (const auto node = sockets.extract(wsi)) gate.leave(node.mapped().id);
}

void Server::Impl::greet(lws* wsi) {
  if (const auto found = sockets.find(wsi); found != sockets.end()) gate.greet(found->second.id);
}

// To whom a trusted proxy says that it belongs, from here on; false where that one has no place left.
bool Server::Impl::attribute(lws* wsi) {
  const auto found = sockets.find(wsi);
  if (found == sockets.end() || config.trusted_proxies.empty()) return true;
  const std::string address =
      client_address(found->second.peer, header_text(wsi, WSI_TOKEN_X_FORWARDED_FOR), config.trusted_proxies);
  if (address == found->second.address) return true;
  const auto place = gate.place_for(address);
  if (!place) return false;
  if (*place != 0 && *place != found->second.id) put_out(*place, LWS_TO_KILL_ASYNC);  // this is in a callback of libwebsockets
  gate.move(found->second.id, address);
  found->second.address = address;
  return true;
}

bool Server::Impl::relieve() {
  const auto largest = std::max_element(channels.begin(), channels.end(), [](const auto& a, const auto& b) {
    return a.second->outbox_bytes() < b.second->outbox_bytes();
  });
  if (largest == channels.end() || largest->second->outbox_bytes() == 0) return false;
  largest->second->drop(CloseCode::kTryLater, "the peer reads too slowly, and the service needs the memory");
  return true;
}

std::shared_ptr<WsChannel> Server::Impl::channel(lws* wsi) const {
  const auto found = channels.find(wsi);
  return found == channels.end() ? nullptr : found->second;
}

Status Server::Impl::check(lws* wsi) const {
  return check_host_and_origin(header_text(wsi, WSI_TOKEN_HOST), header_text(wsi, WSI_TOKEN_ORIGIN), allowed);
}

const Endpoint* Server::Impl::endpoint(const std::string& path) const {
  const auto found = std::find_if(config.endpoints.begin(), config.endpoints.end(), [&](const Endpoint& e) { return e.path == path; });
  return found == config.endpoints.end() ? nullptr : &*found;
}

// Of whoever comes by a proxy of this machine, all that is known is what the proxy says.
bool Server::Impl::is_local(lws* wsi) const {
  const auto socket = sockets.find(wsi);
  return socket != sockets.end() && is_loopback(socket->second.peer) && !is_forwarded(wsi);
}

HttpReply Server::Impl::reply_to(lws* wsi, const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD") return {.status = 405, .body = HttpReply::text(405, "only GET and HEAD are served here").body, .allow = "GET, HEAD"};
  if (!lacks_tls(wsi)) return config.on_get ? config.on_get(request) : HttpReply::text(404, "nothing is served here");
  return config.on_plain_get ? config.on_plain_get(request) : HttpReply::text(400, cat("this port speaks TLS: use ", origin()));
}

std::shared_ptr<HttpExchange> Server::Impl::new_exchange(lws* wsi, const HttpRequest& request) {
  end_exchange(wsi);
  HttpServing serving{.total = &total,
                      .traffic = &traffic,
                      .outbox_bytes_max = config.outbox_bytes_max,
                      .message_timeout = config.message_timeout,
                      .on_greeted = [this, wsi] { greet(wsi); },
                      .peer = sockets[wsi].address,
                      .local = request.local};
  const auto made = std::make_shared<HttpExchange>(loop, wsi, std::move(serving), request.method == "HEAD");
  exchanges[wsi] = made;
  return made;
}

void Server::Impl::begin(const std::shared_ptr<HttpExchange>& exchange, lws* wsi, const HttpRequest& request) {
  const Status welcome = attribute(wsi) ? check(wsi) : Status(kNoPlace);
  const auto socket = sockets.find(wsi);
  if (socket != sockets.end()) gate.touch(socket->second.id);
  if (!welcome.ok()) return exchange->reply(HttpReply::text(403, welcome.error().message));
  const bool is_call = config.on_call && !config.calls_prefix.empty() && request.path.starts_with(config.calls_prefix) && !lacks_tls(wsi);
  if (!is_call) return exchange->reply(reply_to(wsi, request));
  exchange->listen(config.on_call(request, exchange));
}

int Server::Impl::on_request(lws* wsi, const char* path) {
  HttpRequest request = read_request(wsi, path);
  request.local = is_local(wsi);
  const std::optional<uint64_t> body_bytes = body_bytes_of(wsi);
  const auto exchange = new_exchange(wsi, request);
  exchange->expect_body(body_bytes.value_or(std::numeric_limits<uint64_t>::max()));
  if (!body_bytes) exchange->reply(HttpReply::text(411, "a request's body needs one header Content-Length, and no Transfer-Encoding"));
  else begin(exchange, wsi, request);
  return exchange->on_head(!header_text(wsi, WSI_TOKEN_HTTP_EXPECT).empty());
}

HttpExchange* Server::Impl::exchange(lws* wsi) const {
  const auto found = exchanges.find(wsi);
  return found == exchanges.end() ? nullptr : found->second.get();
}

// Whoever still holds its response speaks to nobody.
void Server::Impl::end_exchange(lws* wsi) {
  if (const auto node = exchanges.extract(wsi)) node.mapped()->on_gone();
}

// RFC 9110, 7.8: names of protocols are compared without regard to case. libwebsockets would speak HTTP/2 by h2c.
bool is_websocket(const std::string& protocol) { return strcasecmp(protocol.c_str(), "websocket") == 0; }

// Before the handshake's answer. Its `in` is not looked at: it may point to freed memory in this version (NN-2025-0102).
int Server::Impl::on_upgrade(lws* wsi) {
  const Status welcome = attribute(wsi) ? check(wsi) : Status(kNoPlace);
  if (!welcome.ok()) return refuse(wsi, 403, welcome.error().message);
  if (lacks_tls(wsi)) return refuse(wsi, 400, cat("this port speaks TLS: use ", origin()));
  if (!is_websocket(header_text(wsi, WSI_TOKEN_UPGRADE))) return refuse(wsi, 400, "WebSocket is the one protocol that is spoken here but HTTP");
  if (!endpoint(header_text(wsi, WSI_TOKEN_GET_URI))) return refuse(wsi, 404, "there is no WebSocket at this path");
  if (header_text(wsi, WSI_TOKEN_PROTOCOL) != "hone.v1") return refuse(wsi, 400, "the WebSocket subprotocol must be hone.v1");
  return 0;
}

void Server::Impl::on_established(lws* wsi) {
  const Endpoint* to = endpoint(header_text(wsi, WSI_TOKEN_GET_URI));
  CHECK(to, "a WebSocket at a path that on_upgrade refuses");
  const WsLimits limits{.frame_bytes_max = to->frame_bytes_max,
                        .outbox_bytes_max = config.outbox_bytes_max,
                        .hello_timeout = config.hello_timeout,
                        .liveness = {std::chrono::seconds(config.ping_s), std::chrono::seconds(config.hangup_s)}};
  const WsServing serving{.total = &total,
                          .traffic = &traffic,
                          .message_timeout = config.message_timeout,
                          .on_greeted = [this, wsi] { greet(wsi); },
                          .local = is_local(wsi)};
  const auto channel = std::make_shared<WsChannel>(loop, wsi, limits, sockets[wsi].address, serving);
  channels.emplace(wsi, channel);
  channel->on_open(to->accept);
}

// Nothing may be thrown through libwebsockets, which is C: the connection ends instead.
int Server::Impl::callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
  auto* self = static_cast<Impl*>(lws_context_user(lws_get_context(wsi)));
  self->loop.count_event();
  int result = -1;
  const Status done = guarded([&] { result = self->on_event(wsi, reason, user, in, length); });
  if (done.ok()) return result;
  const auto to = self->channel(wsi);
  return to ? to->on_thrown(done.error()) : -1;
}

int Server::Impl::on_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
  switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
      tls_set_up = certificate.set_up(static_cast<ssl_ctx_st*>(user), *config.tls);
      return tls_set_up.ok() ? 0 : -1;
    case LWS_CALLBACK_HTTP:
      return on_request(wsi, static_cast<const char*>(in));
    case LWS_CALLBACK_HTTP_BODY:
      if (HttpExchange* to = exchange(wsi)) return to->on_body({static_cast<const char*>(in), length});
      return -1;
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
      if (HttpExchange* to = exchange(wsi)) return to->on_body_end();
      return -1;
    case LWS_CALLBACK_HTTP_WRITEABLE:
      if (HttpExchange* to = exchange(wsi)) return to->on_writable();
      return 0;
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_WSI_DESTROY:
      end_exchange(wsi);
      leave(wsi);
      return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return on_upgrade(wsi);
    case LWS_CALLBACK_ESTABLISHED:
      on_established(wsi);
      return 0;
    case LWS_CALLBACK_RECEIVE:
      if (const auto to = channel(wsi)) return to->on_receive(static_cast<const char*>(in), length);
      return -1;
    case LWS_CALLBACK_RECEIVE_PONG:
      if (const auto to = channel(wsi)) to->on_pong();
      return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
      if (const auto to = channel(wsi)) return to->on_writable();
      return -1;
    case LWS_CALLBACK_TIMER:
      if (const auto to = channel(wsi)) return to->on_timer();
      return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      if (const auto to = channel(wsi)) to->on_peer_close(static_cast<const unsigned char*>(in), length);
      return 0;
    case LWS_CALLBACK_CLOSED:
      leave(wsi);
      if (const auto to = channel(wsi)) {
        channels.erase(wsi);
        to->on_closed();
      }
      return 0;
    default: return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { CHECK(impl_->loop.on_thread(), "a Server ends on its loop's thread"); }

Result<std::unique_ptr<Server>> Server::start(EventLoop& loop, ServerConfig config) {
  if (config.address == "localhost") config.address = "127.0.0.1";
  auto impl = std::make_unique<Impl>(loop, std::move(config));
  HONE_TRY(impl->listen());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

uint16_t Server::port() const { return impl_->port; }
std::string Server::origin() const { return impl_->origin(); }
void Server::allow_pages(const std::vector<std::string>& origins) {
  impl_->more_pages = origins;
  impl_->allow();
}

Status Server::renew_certificate(const Certified& certified) {
  HONE_ASSIGN(facts, read_certificate(certified.certificate));
  HONE_TRY(impl_->certificate.renew(certified));
  impl_->config.names = facts.names;
  impl_->allow();
  return ok_status();
}

ServerCounts Server::counts() const {
  return {.known = impl_->gate.sockets() - impl_->gate.strangers(),
          .strangers = impl_->gate.strangers(),
          .outbox_bytes = impl_->total.bytes,
          .received_bytes = impl_->traffic.received,
          .sent_bytes = impl_->traffic.sent};
}
size_t Server::channels() const { return impl_->channels.size(); }
size_t Server::sockets() const { return impl_->sockets.size(); }

}  // namespace hone::net
