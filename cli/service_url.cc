#include "cli/service_url.h"

#include <charconv>

#include "base/cat.h"

namespace hone::cli {

namespace {

Error bad_url(const std::string& text, const std::string& what) {
  return Error{ErrorCode::kInvalidArgument,
               cat("--tracker ", text, ": ", what,
                   "; give the URL as hone up prints it, http://HOST:PORT/agent/#token=…, in quotes")};
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
  size_t token = fragment == std::string::npos ? fragment : text.find("token=", fragment);
  if (token == std::string::npos) return bad_url(text, "the token after # is missing");
  token += 6;
  url.token = text.substr(token, text.find('&', token) - token);
  if (url.token.empty()) return bad_url(text, "the token after # is empty");
  return url;
}

std::string without_token(const std::string& url) { return url.substr(0, url.find('#')); }

}  // namespace hone::cli
