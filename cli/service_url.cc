#include "cli/service_url.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/cat.h"

namespace hone::cli {

namespace {

Error bad_url(const std::string& text, const std::string& what) {
  return Error{ErrorCode::kInvalidArgument,
               cat("--tracker ", without_token(text), ": ", what,
                   "; give the URL as hone up prints it, http(s)://HOST:PORT/agent/#token=…, in quotes, or without #token=… "
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

bool parse_port(const std::string& text, uint16_t& port) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && port != 0;
}

}  // namespace

Result<ServiceUrl> parse_service_url(const std::string& text, const std::string& ca_file) {
  const bool https = text.starts_with("https://");
  if (!https && !text.starts_with("http://")) return bad_url(text, "it does not begin with http:// or https://");
  const std::string scheme = https ? "https://" : "http://";
  size_t fragment = text.find('#');
  size_t path = std::min(text.find('/', scheme.size()), fragment);
  std::string authority = text.substr(scheme.size(), path == std::string::npos ? path : path - scheme.size());
  size_t colon = authority.rfind(':');
  ServiceUrl url{.host = authority.substr(0, colon), .port = 443, .https = https, .ca_file = ca_file};
  if (url.host.empty()) return bad_url(text, "it names no host");
  if (colon == std::string::npos && !https) return bad_url(text, "it names no port");
  if (colon != std::string::npos && !parse_port(authority.substr(colon + 1), url.port))
    return bad_url(text, "its port is not a number from 1 to 65535");
  url.token = fragment_part(text, "token=");
  url.code = fragment_part(text, "enroll=");
  if (url.token.empty() && url.code.empty()) return bad_url(text, "the token after # is missing or empty");
  return url;
}

Result<std::string> parse_public_url(const std::string& text) {
  std::string origin = text;
  std::transform(origin.begin(), origin.end(), origin.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (origin.ends_with('/')) origin.pop_back();
  const size_t begin = origin.starts_with("https://") ? 8 : origin.starts_with("http://") ? 7 : 0;
  const std::string authority = origin.substr(begin);
  const size_t colon = authority.find(':');
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; };
  const std::string host = authority.substr(0, colon);
  uint16_t port = 0;
  const bool whole = begin > 0 && !host.empty() && std::all_of(host.begin(), host.end(), fits) &&
                     (colon == std::string::npos || parse_port(authority.substr(colon + 1), port));
  if (!whole)
    return Error{ErrorCode::kInvalidArgument, cat("--public-url: found ", text, ", expected a URL without a path, such as https://lab.example")};
  const bool is_default = port == (begin == 8 ? 443 : 80);
  return is_default ? origin.substr(0, begin + host.size()) : origin;
}

std::string with_token(const std::string& url, const std::string& token) { return cat(without_token(url), "#token=", token); }

bool has_secret(const std::string& url) {
  return !fragment_part(url, "token=").empty() || !fragment_part(url, "enroll=").empty();
}

std::string without_token(const std::string& url) { return url.substr(0, url.find('#')); }

}  // namespace hone::cli
