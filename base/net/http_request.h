// What an lws connection says in a request's head. For server.cc.
#pragma once
#include <optional>
#include <string>

#include "base/net/http_message.h"

struct lws;

namespace hone::net {

// A header's value, or empty. `token` is one of lws_token_indexes.
std::string header_text(lws* wsi, int token);
bool is_forwarded(lws* wsi);  // a proxy says that somebody else asks
std::string custom_header_text(lws* wsi, const char* name);  // name in lower case with a colon, e.g. "x-hone-token:"
// What HttpRequest::token says.
std::string token_of(lws* wsi);
std::string method_of(lws* wsi);  // "" = one that libwebsockets does not know

// How long the request's body is; 0: there is none. Nothing where its head does not say that in one way: where a request ends must be no question, as behind a
// proxy the next one may be somebody else's (RFC 9112, 6.3 and 11.2).
std::optional<uint64_t> body_bytes_of(lws* wsi);

// All of it but `local`. `path` as libwebsockets decoded it.
HttpRequest read_request(lws* wsi, const char* path);

}  // namespace hone::net
