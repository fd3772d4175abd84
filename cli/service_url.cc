#include "cli/service_url.h"

#include <charconv>

#include "base/cat.h"

namespace hone::cli {

namespace {

Error bad_url(const std::string& text, const std::string& what) {
  return Error{ErrorCode::kInvalidArgument,
               cat("--tracker ", without_token(text), ": ", what,
                   "; give the URL as hone up prints it, http://HOST:PORT/agent/#token=…, in quotes, or without #token=… "
                   "and with --token-file FILE or HONE_TOKEN")};
}

// "token=" of "#token=abc&target=wasm"; "" where there is none.
std::string fragment_part(const std::string& text, const std::string& name) {
  const size_t fragment = text.find('#');
  if (fragment == std::string::npos) return "";
  for (size_t at = fragment + 1; at < text.size();) {
    const size_t end = std::min(text.find('&', at), text.size());
    if (text.compare(at, name.size(), name) == 0) return text.substr(at + name.size(), end - at - name.size());
    at = end + 1;
  }
  return "";
}

}  // namespace

Result<ServiceUrl> parse_service_url(const std::string& text) {
  const std::string scheme = "http://";
  if (text.rfind(scheme, 0) != 0) return bad_url(text, "it does not begin with http://");
  size_t fragment = text.find('#');
  size_t path = std::min(text.find('/', scheme.size()), fragment);
  std::string authority = text.substr(scheme.size(), path == std::string::npos ? path : path - scheme.size());
  size_t colon = authority.rfind(':');
  ServiceUrl url{.host = authority.substr(0, colon)};
  if (url.host.empty()) return bad_url(text, "it names no host");
  if (colon == std::string::npos) return bad_url(text, "it names no port");
  const char* end = authority.data() + authority.size();
  auto [rest, error] = std::from_chars(authority.data() + colon + 1, end, url.port);
  if (error != std::errc() || rest != end || url.port == 0)
    return bad_url(text, "its port is not a number from 1 to 65535");
  url.token = fragment_part(text, "token=");
  url.code = fragment_part(text, "enroll=");
  if (url.token.empty() && url.code.empty()) return bad_url(text, "the token after # is missing or empty");
  return url;
}

std::string with_token(const std::string& url, const std::string& token) { return cat(without_token(url), "#token=", token); }

bool has_secret(const std::string& url) {
  return !fragment_part(url, "token=").empty() || !fragment_part(url, "enroll=").empty();
}

std::string without_token(const std::string& url) { return url.substr(0, url.find('#')); }

}  // namespace hone::cli
