// One HTTP request of one lws connection: reads its headers, writes the reply's headers and then its body piece by piece. For server.cc.
#pragma once
#include <memory>
#include <string>

#include "base/net/server.h"

struct lws;

namespace hone::net {

// A header's value, or empty. `token` is one of lws_token_indexes.
std::string header_text(lws* wsi, int token);
bool is_forwarded(lws* wsi);  // a proxy says that somebody else asks
std::string custom_header_text(lws* wsi, const char* name);  // name in lower case with a colon, e.g. "x-hone-token:"
// What HttpRequest::token says.
std::string token_of(lws* wsi);

class HttpExchange {
 public:
  HttpExchange(HttpReply reply, bool with_body) : reply_(std::move(reply)), with_body_(with_body) {}
  int write_headers(lws* wsi);  // what the callbacks return to libwebsockets
  int write_some(lws* wsi);
  bool done() const { return sent_ == size(); }
  size_t next_bytes() const;  // that write_some writes

 private:
  size_t size() const { return reply_.body && with_body_ ? reply_.body->size() : 0; }
  HttpReply reply_;
  bool with_body_;
  size_t sent_ = 0;
};

// Answers at once with a sentence and closes: for refused handshakes.
int refuse(lws* wsi, int status, const std::string& message);

}  // namespace hone::net
