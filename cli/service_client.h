// ServiceClient: a connection to a service's client socket. On the event loop's thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/client.h"
#include "cli/service_url.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

class ServiceClient {
 public:
  struct Events {
    std::function<void()> on_ready;  // the service let us in
    // All that follows, with the frame's payload.
    std::function<void(const protocol::ClientFromService&, std::string_view payload)> on_message;
    std::function<void(Error)> on_failed;  // no connection, refused, or it ended; the last call
    std::function<void(const std::string& token)> on_token = {};  // for the URL's code, to be shown from now on; before on_ready
  };
  ServiceClient(net::EventLoop& loop, ServiceUrl url, Events events);
  ~ServiceClient();

  // Past on_ready: what lets this client in, and what it may; nothing of a service that does not say it.
  const ServiceUrl& url() const { return url_; }
  std::optional<protocol::Role> role() const { return role_; }
  // Of an https service that has shown who it is: what browsers pin (net::CertificateFacts::key_sha256); else "".
  const std::string& peer_key() const { return peer_key_; }

  // Number of the next request, for the `id` of messages that want a reply.
  uint64_t next_id() { return next_id_++; }
  void send(const protocol::ClientFromClient& message, std::string_view payload = {});

 private:
  class Link;
  void connect(net::TlsContext tls);
  void welcome(const protocol::ClientWelcome& welcome);
  ServiceUrl url_;
  std::optional<protocol::Role> role_;
  const Events events_;
  uint64_t next_id_ = 1;
  std::string peer_key_;
  net::EventLoop& loop_;
  net::Timer failing_;
  Link* link_ = nullptr;  // owned by the socket
  std::optional<net::Client> client_;  // last: its destructor calls back into the link
};

}  // namespace hone::cli
