// Where a service is and the token that lets in: the URL that `hone up` prints.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace hone::cli {

struct ServiceUrl {
  std::string host;
  uint16_t port = 0;
  std::string token;
};

// "http://127.0.0.1:9190/agent/#token=…". Fails: invalid_argument with what is missing.
Result<ServiceUrl> parse_service_url(const std::string& text);
// For messages: the token is a secret.
std::string without_token(const std::string& url);

}  // namespace hone::cli
