// Server: HTTP and WebSocket on one port. Files and blobs come from callbacks; frames go to the handlers of endpoints.
// Each HTTP request and each handshake is checked: Host must name this service, Origin must be absent or this service.
// How many sockets there may be follows from the process' limit of descriptors when it starts; gate.h says whose they are.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/certificate.h"
#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "base/net/http_message.h"

namespace hone::net {

struct Endpoint {
  std::string path;               // "/ws/agent"
  Accept accept;                  // called when the socket is open
  size_t frame_bytes_max = 65536; // until the handler knows its peer and says otherwise
};

struct ServerConfig {
  std::string address = "127.0.0.1";        // an IPv4 address of this machine, "localhost", or "0.0.0.0" for all of its addresses
  uint16_t port = 0;                        // 0 = any free one
  std::vector<std::string> names;           // further ones than the address's that Host and Origin may say: those of the certificate
  std::string public_origin;                // likewise "https://lab.example", where a proxy stands before it
  std::vector<std::string> page_origins;    // what Origin may say besides: "https://lab.example", whose pages are another service's
  std::vector<std::string> trusted_proxies;  // addresses whose X-Forwarded-For is believed: limits and peer() go by it
  std::function<HttpReply(const HttpRequest&)> on_get;  // everything that is no endpoint and no call; GET and HEAD only
  std::string calls_prefix;                 // "/api/": requests of any method below it are calls; "" = there are none
  AcceptCall on_call;
  std::vector<Endpoint> endpoints;
  std::optional<Certified> tls;             // https and wss alone; its port also hears plain HTTP, for on_plain_get
  std::function<HttpReply(const HttpRequest&)> on_plain_get;  // what those hear who come without TLS to a server with TLS; none: a sentence
  size_t outbox_bytes_max = 256 << 20;      // per channel; a peer that reads too slowly is closed
  size_t outboxes_bytes_max = 512 << 20;    // of all channels together; then the one with the largest outbox is closed
  int handshake_timeout_s = 10;             // for peers that connect and do not speak
  std::chrono::milliseconds hello_timeout{10'000};    // for a WebSocket's handler to call set_greeted
  std::chrono::milliseconds message_timeout{30'000};  // for a message that began; more where it may be large (limits.h)
  int ping_s = 10;                          // a quiet socket is pinged …
  int hangup_s = 25;                        // … and dropped when nothing came for so long
};

struct ServerCounts {
  size_t known = 0, strangers = 0;  // sockets (gate.h)
  size_t outbox_bytes = 0;          // that wait for their peers
  uint64_t received_bytes = 0, sent_bytes = 0;  // of frames and of HTTP's bodies, since the start
};

class Server {
 public:
  // Listens from here on. kAddressInUse when another process has the port, kIoError for an address that is not ours, kBadCertificate.
  static Result<std::unique_ptr<Server>> start(EventLoop& loop, ServerConfig config);
  ~Server();  // drops all sockets; their handlers get on_closed before this returns
  uint16_t port() const;
  std::string origin() const;  // "http://127.0.0.1:9190", or "https://…"
  ServerCounts counts() const;
  // What Origin may say besides, beside the config's page_origins; takes the place of what was said before.
  void allow_pages(const std::vector<std::string>& origins);
  // Of a server with TLS: handshakes that begin from here on show this certificate, and Host may say its names instead of the config's. Fails: bad_certificate; nothing changes then.
  Status renew_certificate(const Certified& certified);
  size_t channels() const;     // open WebSockets
  size_t sockets() const;      // all, also those that ask for files or have said nothing yet

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::net
