// HTTP as a server's handlers see it: a request, a reply that is there at once, and a call, which has a body and is answered later or piece by piece.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_bytes.h"

namespace hone::net {

struct HttpRequest {
  std::string method;        // "GET"
  std::string path;          // without query; percent-decoded
  std::vector<std::pair<std::string, std::string>> query;  // percent-decoded, in order
  std::string content_type;  // "" = none
  uint64_t body_bytes = 0;   // that follow, as the request says
  std::string token;         // header X-Hone-Token, else that of "Authorization: Bearer", or empty
  bool local = false;        // from this machine, and not handed on by a proxy that says so
};

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = nullptr;  // null = empty
  bool immutable = false;     // may be cached for good; otherwise must be asked for again
  bool greeted = false;       // the request has shown a token: its connection is no stranger's any more (gate.h)
  std::string allow;          // of 405: the methods; "" = the header is left out
  std::string authenticate;   // of 401: the scheme; likewise

  static HttpReply text(int status, std::string message);
};

// The answer to one call: either a reply or a stream. On the loop's thread. May outlive its connection: then nothing happens.
class HttpResponse {
 public:
  virtual ~HttpResponse() = default;
  // Both end the call: it is destroyed when all is sent.
  virtual void reply(HttpReply reply) = 0;
  virtual void end_stream() = 0;
  virtual void begin_stream(std::string content_type) = 0;
  // A piece of the stream. A peer that leaves more unread than ServerConfig::outbox_bytes_max is let go.
  virtual void write(std::string piece) = 0;
  // Within AcceptCall: little of the body is read until release_body, so that it is known by then whose it is.
  virtual void hold_body() = 0;
  virtual void release_body() = 0;
  virtual void set_greeted() = 0;  // as Channel's
  virtual bool is_open() const = 0;
  virtual size_t outbox_bytes() const = 0;
  virtual const std::string& peer() const = 0;  // as Channel's
  virtual bool is_local() const = 0;            // likewise
};

// What listens to one request. Destroyed when its answer is sent, or when its connection ends.
class HttpCall {
 public:
  virtual ~HttpCall() = default;
  virtual void on_body(SharedBytes body) = 0;  // whole, once; null: there is none
  virtual void on_drained() {}                 // the peer has taken all that was written to the stream
};

// Called with a request's head. Null where it has replied, or a call that has: no body is read then. Of any other call all of the announced body is read, so this looks at body_bytes first.
using AcceptCall = std::function<std::unique_ptr<HttpCall>(const HttpRequest& request, std::shared_ptr<HttpResponse> response)>;

}  // namespace hone::net
