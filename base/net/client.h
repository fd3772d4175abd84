// Client: makes WebSocket connections to a service.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "base/net/tls_context.h"

namespace hone::net {

struct ConnectTo {
  std::string host = "127.0.0.1";
  uint16_t port = 0;
  std::string path;                    // "/ws/client"
  std::string from;                    // the address of this machine to come from; empty = what the system takes
  std::string origin;                  // empty = no Origin header, as native clients do
  std::string host_header;             // empty = host:port
  bool tls = false;                    // wss; the client has a TlsContext then
  std::function<void(const std::string&)> on_peer_key;  // with TLS: CertificateFacts::key_sha256 of the peer, verified by then
  size_t frame_bytes_max = 256 << 20;  // of frames from the service
  size_t outbox_bytes_max = 512 << 20;
};

// A service whose machine is gone says nothing, not even that it closes: so a quiet connection is pinged, and dropped when nothing came.
struct Idle {
  int ping_s = 10;
  int hangup_s = 25;
};

class Client {
 public:
  // `sockets_max`: connections at the same time. `tls`: whom connections with TLS trust; null: there are none.
  explicit Client(EventLoop& loop, Idle idle = {}, size_t sockets_max = 256, TlsContext tls = nullptr);
  ~Client();  // drops its sockets; handlers get on_closed before this returns
  // Exactly one of `accept` and `on_failed` is called, later. The failure is kIoError, or kBadCertificate where the peer cannot show
  // who it is, with one sentence.
  void connect(ConnectTo to, Accept accept, std::function<void(Error)> on_failed);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::net
