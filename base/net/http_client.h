// http_ask: asks a service one question over HTTP, or HTTPS, as a check of its health does. On the loop's thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/net/event_loop.h"
#include "base/net/tls_context.h"

namespace hone::net {

struct HttpAsk {
  std::string host;  // a name, or an address
  uint16_t port = 0;
  std::string method = "GET";
  std::string path;
  std::string body;                                          // sent with its length where there is one
  std::string host_header;                                   // empty = host:port
  std::vector<std::pair<std::string, std::string>> headers;  // besides Host
  TlsContext tls;  // client_tls_context; null = plain HTTP
  size_t answer_bytes_max = 4 << 20;
  std::chrono::milliseconds limit{10'000};  // of the whole
};

// How far it came.
enum class HttpStep : uint8_t { kResolve, kConnect, kSecure, kTalk, kDone };

struct HttpAnswer {
  HttpStep step = HttpStep::kResolve;
  std::string problem;  // why it came no further; empty when done
  std::string address;  // that the host has; empty where it has none
  int status = 0;
  std::string body;
  std::string date;  // header Date
};

// `on_answer` is called once, later.
void http_ask(EventLoop& loop, HttpAsk ask, std::function<void(HttpAnswer)> on_answer);

}  // namespace hone::net
