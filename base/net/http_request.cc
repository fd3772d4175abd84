#include "base/net/http_request.h"

#include <libwebsockets.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/net/limits.h"

namespace hone::net {

namespace {

struct Method {
  lws_token_indexes token;
  const char* name;
};
constexpr std::array<Method, 7> kMethods{{{WSI_TOKEN_GET_URI, "GET"},
                                          {WSI_TOKEN_HEAD_URI, "HEAD"},
                                          {WSI_TOKEN_POST_URI, "POST"},
                                          {WSI_TOKEN_PUT_URI, "PUT"},
                                          {WSI_TOKEN_DELETE_URI, "DELETE"},
                                          {WSI_TOKEN_PATCH_URI, "PATCH"},
                                          {WSI_TOKEN_OPTIONS_URI, "OPTIONS"}}};

// libwebsockets decodes each argument, "name=value", and keeps them apart.
std::vector<std::pair<std::string, std::string>> query_of(lws* wsi) {
  std::vector<std::pair<std::string, std::string>> query;
  for (int i = 0;; ++i) {
    const int length = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, i);
    if (length <= 0) return query;
    std::string text(static_cast<size_t>(length) + 1, '\0');
    const int copied = lws_hdr_copy_fragment(wsi, text.data(), static_cast<int>(text.size()), WSI_TOKEN_HTTP_URI_ARGS, i);
    text.resize(static_cast<size_t>(std::max(0, copied)));
    const size_t equals = std::min(text.find('='), text.size());
    query.emplace_back(text.substr(0, equals), equals < text.size() ? text.substr(equals + 1) : "");
  }
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
  const int name_length = static_cast<int>(std::char_traits<char>::length(name));
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

std::string method_of(lws* wsi) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(), [wsi](const Method& m) { return lws_hdr_total_length(wsi, m.token) > 0; });
  return found == kMethods.end() ? "" : found->name;
}

std::optional<uint64_t> body_bytes_of(lws* wsi) {
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0) return std::nullopt;
  const std::string text = header_text(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH);
  if (text.empty()) return 0;
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(bytes) : std::nullopt;
}

HttpRequest read_request(lws* wsi, const char* path) {
  return {.method = method_of(wsi),
          .path = path,
          .query = query_of(wsi),
          .content_type = header_text(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE),
          .body_bytes = body_bytes_of(wsi).value_or(0),
          .token = token_of(wsi)};
}

}  // namespace hone::net
