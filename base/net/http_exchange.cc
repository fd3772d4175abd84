#include "base/net/http_exchange.h"

#include <libwebsockets.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include "base/net/limits.h"

namespace hone::net {

namespace {

struct HeaderLine {
  const char* name;
  const char* value;
};

// COOP and COEP make the page cross-origin isolated: a 5 µs clock and SharedArrayBuffer. The rest keeps other sites away.
constexpr std::array<HeaderLine, 6> kHeaders{{
    {"cross-origin-opener-policy:", "same-origin"},
    {"cross-origin-embedder-policy:", "require-corp"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"content-security-policy:",
     "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
     "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
}};

// For whoever compares clocks: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return text.data();
}

bool add_header(lws* wsi, HeaderLine line, unsigned char** at, unsigned char* end) {
  return lws_add_http_header_by_name(wsi, reinterpret_cast<const unsigned char*>(line.name),
                                     reinterpret_cast<const unsigned char*>(line.value),
                                     static_cast<int>(std::strlen(line.value)), at, end) == 0;
}

}  // namespace

std::string header_text(lws* wsi, int token) {
  const auto index = static_cast<lws_token_indexes>(token);
  std::string text(static_cast<size_t>(std::max(0, lws_hdr_total_length(wsi, index))) + 1, '\0');
  const int length = lws_hdr_copy(wsi, text.data(), static_cast<int>(text.size()), index);
  text.resize(static_cast<size_t>(std::max(0, length)));
  return text;
}

bool is_forwarded(lws* wsi) {
  constexpr std::string_view kForwarded = "forwarded:";
  return lws_hdr_total_length(wsi, WSI_TOKEN_X_FORWARDED_FOR) > 0 || lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_VIA) > 0 ||
         lws_hdr_custom_length(wsi, kForwarded.data(), static_cast<int>(kForwarded.size())) >= 0;
}

std::string custom_header_text(lws* wsi, const char* name) {
  const int name_length = static_cast<int>(std::strlen(name));
  const int length = lws_hdr_custom_length(wsi, name, name_length);
  if (length <= 0 || static_cast<size_t>(length) > kTokenHeaderBytesMax) return {};
  std::string text(static_cast<size_t>(length) + 1, '\0');
  const int copied = lws_hdr_custom_copy(wsi, text.data(), static_cast<int>(text.size()), name, name_length);
  text.resize(static_cast<size_t>(std::max(0, copied)));
  return text;
}

std::string token_of(lws* wsi) {
  constexpr std::string_view kBearer = "Bearer ";
  if (std::string own = custom_header_text(wsi, "x-hone-token:"); !own.empty()) return own;
  const std::string bearer = header_text(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
  const bool fits = bearer.substr(0, kBearer.size()) == kBearer && bearer.size() <= kTokenHeaderBytesMax;
  return fits ? bearer.substr(kBearer.size()) : "";
}

int HttpExchange::write_headers(lws* wsi) {
  std::array<unsigned char, LWS_PRE + 4096> buffer;
  unsigned char *start = buffer.data() + LWS_PRE, *at = start, *end = buffer.data() + buffer.size();
  const size_t length = reply_.body ? reply_.body->size() : 0;
  const char* caching = reply_.immutable ? "private, max-age=31536000, immutable" : "no-cache";
  if (lws_add_http_common_headers(wsi, static_cast<unsigned>(reply_.status), reply_.content_type.c_str(), length, &at,
                                  end))
    return -1;
  for (const HeaderLine& line : kHeaders)
    if (!add_header(wsi, line, &at, end)) return -1;
  const std::string date = http_date();
  if (!add_header(wsi, {"date:", date.c_str()}, &at, end)) return -1;
  if (!add_header(wsi, {"cache-control:", caching}, &at, end) || lws_finalize_write_http_header(wsi, start, &at, end))
    return -1;
  if (done()) return lws_http_transaction_completed(wsi) ? -1 : 0;
  lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, kHttpStallS);
  lws_callback_on_writable(wsi);
  return 0;
}

size_t HttpExchange::next_bytes() const { return std::min(size() - sent_, kFragmentBytes); }

int HttpExchange::write_some(lws* wsi) {
  static thread_local std::array<unsigned char, LWS_PRE + kFragmentBytes> scratch;
  const size_t length = next_bytes();
  std::memcpy(scratch.data() + LWS_PRE, reply_.body->data() + sent_, length);
  sent_ += length;
  if (lws_write(wsi, scratch.data() + LWS_PRE, length, done() ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
      static_cast<int>(length))
    return -1;
  lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, kHttpStallS);
  if (!done()) return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

int refuse(lws* wsi, int status, const std::string& message) {
  return lws_return_http_status(wsi, static_cast<unsigned>(status), message.c_str()) < 0 ? -1 : 1;
}

}  // namespace hone::net
