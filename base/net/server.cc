#include "base/net/server.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "base/cat.h"
#include "base/net/host_check.h"
#include "base/net/http_exchange.h"
#include "base/net/limits.h"
#include "base/net/ws_channel.h"

namespace hone::net {

namespace {

// libwebsockets reports a busy port only in its log; so the address is tried before, with its options.
Status try_to_bind(const std::string& address, uint16_t port) {
  sockaddr_in where{.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1)
    return Error{ErrorCode::kInvalidArgument, cat("'", address, "' is no IPv4 address; use 127.0.0.1, or an address of this machine")};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Error{ErrorCode::kIoError, cat("cannot make a socket: ", std::strerror(errno))};
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0 && listen(fd, 1) == 0;
  const int error = errno;
  close(fd);
  if (bound) return ok_status();
  if (error == EADDRINUSE)
    return Error{ErrorCode::kAddressInUse, cat("port ", port, " of ", address, " is in use by another process; stop it, or choose another port")};
  return Error{ErrorCode::kIoError, cat("cannot listen on ", address, ":", port, ": ", std::strerror(error))};
}

std::string peer_of(lws* wsi) {
  std::array<char, 64> name{};
  lws_get_peer_simple(wsi, name.data(), name.size());
  const std::string peer = name.data();
  return peer.rfind("::ffff:", 0) == 0 ? peer.substr(7) : peer;
}

}  // namespace

struct Server::Impl {
  Impl(EventLoop& loop_in, ServerConfig config_in) : loop(loop_in), config(std::move(config_in)) {}
  ~Impl() {
    if (context) end_context(loop, context);
  }

  static int callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length);
  Status listen();
  Status check(lws* wsi) const;
  const Endpoint* endpoint(const std::string& path) const;
  int on_request(lws* wsi, const char* path);
  int on_upgrade(lws* wsi);
  void on_established(lws* wsi);

  EventLoop& loop;
  ServerConfig config;
  uint16_t port = 0;
  std::vector<std::string> hosts;
  lws_retry_bo_t idle{};
  std::array<lws_protocols, 3> protocols{};
  lws_context* context = nullptr;
  std::unordered_map<lws*, std::shared_ptr<WsChannel>> channels;
  std::unordered_map<lws*, HttpExchange> exchanges;
};

Status Server::Impl::listen() {
  HONE_TRY(try_to_bind(config.address, config.port));
  protocols[0] = {.name = "http", .callback = &callback, .rx_buffer_size = 4096};
  protocols[1] = {.name = "hone.v1", .callback = &callback, .rx_buffer_size = kReceiveBytes};
  idle.secs_since_valid_ping = static_cast<uint16_t>(config.ping_s);
  idle.secs_since_valid_hangup = static_cast<uint16_t>(config.hangup_s);
  void* loops[] = {loop.uv()};
  lws_context_creation_info info{};
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                 LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
  info.foreign_loops = loops;
  info.pt_serv_buf_size = kServiceBufferBytes;
  info.gid = static_cast<gid_t>(-1);
  info.uid = static_cast<uid_t>(-1);
  info.user = this;
  info.timeout_secs = static_cast<unsigned>(config.handshake_timeout_s);
  lws_set_log_level(0, nullptr);
  context = lws_create_context(&info);
  if (!context) return Error{ErrorCode::kIoError, "libwebsockets could not start; is the package libwebsockets-evlib-uv installed?"};
  info.port = config.port;
  info.iface = config.address.c_str();
  info.protocols = protocols.data();
  info.vhost_name = "hone";
  info.alpn = "http/1.1";  // over h2, Chromium's WebSockets hang at 70 kB with this version
  info.timeout_secs_ah_idle = static_cast<unsigned>(config.handshake_timeout_s);
  info.keepalive_timeout = kKeepaliveS;
  info.retry_and_idle_policy = &idle;
  lws_vhost* vhost = lws_create_vhost(context, &info);
  if (!vhost) return Error{ErrorCode::kAddressInUse, cat("cannot listen on ", config.address, ":", config.port, "; choose another port")};
  port = static_cast<uint16_t>(lws_get_vhost_listen_port(vhost));
  hosts = allowed_hosts(config.address, port, config.extra_hosts);
  loop.pump_soon();
  return ok_status();
}

Status Server::Impl::check(lws* wsi) const {
  return check_host_and_origin(header_text(wsi, WSI_TOKEN_HOST), header_text(wsi, WSI_TOKEN_ORIGIN), hosts);
}

const Endpoint* Server::Impl::endpoint(const std::string& path) const {
  const auto found = std::find_if(config.endpoints.begin(), config.endpoints.end(), [&](const Endpoint& e) { return e.path == path; });
  return found == config.endpoints.end() ? nullptr : &*found;
}

int Server::Impl::on_request(lws* wsi, const char* path) {
  const bool is_get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0, is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
  const Status allowed = check(wsi);
  HttpReply reply;
  if (!allowed.ok())
    reply = HttpReply::text(403, allowed.error().message);
  else if (!is_get && !is_head)
    reply = HttpReply::text(405, "only GET and HEAD are served here");
  else if (!config.on_get)
    reply = HttpReply::text(404, "nothing is served here");
  else
    reply = config.on_get({.path = path, .token = custom_header_text(wsi, "x-hone-token:")});
  exchanges.erase(wsi);
  HttpExchange& exchange = exchanges.emplace(wsi, HttpExchange(std::move(reply), !is_head)).first->second;
  return exchange.write_headers(wsi);
}

// Before the handshake's answer. Its `in` is not looked at: it may point to freed memory in this version (NN-2025-0102).
int Server::Impl::on_upgrade(lws* wsi) {
  const Status allowed = check(wsi);
  if (!allowed.ok()) return refuse(wsi, 403, allowed.error().message);
  if (!endpoint(header_text(wsi, WSI_TOKEN_GET_URI))) return refuse(wsi, 404, "there is no WebSocket at this path");
  if (header_text(wsi, WSI_TOKEN_PROTOCOL) != "hone.v1") return refuse(wsi, 400, "the WebSocket subprotocol must be hone.v1");
  return 0;
}

void Server::Impl::on_established(lws* wsi) {
  const Endpoint* to = endpoint(header_text(wsi, WSI_TOKEN_GET_URI));
  CHECK(to, "a WebSocket at a path that on_upgrade refuses");
  const WsLimits limits{.frame_bytes_max = to->frame_bytes_max, .outbox_bytes_max = config.outbox_bytes_max};
  const auto channel = std::make_shared<WsChannel>(loop, wsi, limits, peer_of(wsi));
  channels.emplace(wsi, channel);
  channel->on_open(to->accept);
}

int Server::Impl::callback(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
  auto* self = static_cast<Impl*>(lws_context_user(lws_get_context(wsi)));
  const auto channel = [&]() -> std::shared_ptr<WsChannel> {
    const auto found = self->channels.find(wsi);
    return found == self->channels.end() ? nullptr : found->second;
  };
  switch (reason) {
    case LWS_CALLBACK_HTTP: return self->on_request(wsi, static_cast<const char*>(in));
    case LWS_CALLBACK_HTTP_WRITEABLE: {
      const auto found = self->exchanges.find(wsi);
      return found == self->exchanges.end() || found->second.done() ? 0 : found->second.write_some(wsi);
    }
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_WSI_DESTROY: self->exchanges.erase(wsi); return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return self->on_upgrade(wsi);
    case LWS_CALLBACK_ESTABLISHED: self->on_established(wsi); return 0;
    case LWS_CALLBACK_RECEIVE:
      if (const auto to = channel()) return to->on_receive(static_cast<const char*>(in), length);
      return -1;
    case LWS_CALLBACK_SERVER_WRITEABLE:
      if (const auto to = channel()) return to->on_writable();
      return -1;
    case LWS_CALLBACK_TIMER:
      if (const auto to = channel()) return to->on_timer();
      return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      if (const auto to = channel()) to->on_peer_close(static_cast<const unsigned char*>(in), length);
      return 0;
    case LWS_CALLBACK_CLOSED:
      if (const auto to = channel()) {
        self->channels.erase(wsi);
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
std::string Server::origin() const {
  return cat("http://", impl_->config.address == "0.0.0.0" ? "127.0.0.1" : impl_->config.address, ":", impl_->port);
}
size_t Server::channels() const { return impl_->channels.size(); }

}  // namespace hone::net
