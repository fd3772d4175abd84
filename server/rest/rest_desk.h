// RestDesk: the people's side over plain HTTP, below protocol::kRestPrefix. Each request is one message of the client socket, said on a channel of its own to the same
// ClientDesk, which lets it in or not, and judges it, as any other; schema/protocol.json says which route stands for which message, schema/openapi.json describes them. What follows a
// reply (the progress of a job, what happens in the fleet) comes as server-sent events (HTML Living Standard, 9.2). Network thread only.
#pragma once
#include <functional>
#include <memory>

#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "base/net/http_message.h"

namespace hone::server {

class RestDesk {
 public:
  struct Config {
    size_t job_bytes_max = 0;  // as ClientDesk's
    net::Accept accept;        // ClientDesk::accept
  };
  // All outlives the desk's calls.
  RestDesk(net::EventLoop& loop, Config config) : loop_(loop), config_(std::move(config)) {}

  // For ServerConfig::on_call.
  std::unique_ptr<net::HttpCall> accept(const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response);

 private:
  net::EventLoop& loop_;
  const Config config_;
};

}  // namespace hone::server
