// Where a service is and what lets in: the URL that `hone up` or `hone enroll` prints.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace hone::cli {

struct ServiceUrl {
  std::string host;
  uint16_t port = 0;
  bool https = false;
  std::string ca_file;  // --ca: whom an https service must convince (client_tls)
  std::string token;
  std::string code;  // of an enrolment; "" = none. One of both is there.
};

// "http://127.0.0.1:9190/agent/#token=…", or "…#enroll=…", or https, where the port may be missing. Fails: invalid_argument with what is missing.
Result<ServiceUrl> parse_service_url(const std::string& text, const std::string& ca_file = "");
// "https://lab.example", in lower case, of a URL that has nothing behind it but a slash. Fails: invalid_argument, naming the option --public-url.
Result<std::string> parse_public_url(const std::string& text);
// For messages: the token is a secret.
std::string without_token(const std::string& url);
// The same service with this token.
std::string with_token(const std::string& url, const std::string& token);
bool has_secret(const std::string& url);  // a token or a code

}  // namespace hone::cli
