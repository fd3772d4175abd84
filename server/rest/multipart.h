// A body of the type multipart/form-data (RFC 7578) with the parts `ask` and, last, `payload`. However long the payload is, only its end is looked at: the network
// thread reads this.
#pragma once
#include <string_view>

#include "base/result.h"

namespace hone::server {

struct Parts {
  std::string_view ask;      // JSON
  std::string_view payload;  // may be empty
};

bool is_multipart(std::string_view content_type);

// Views of the body. Fails: kInvalidArgument.
Result<Parts> split_parts(std::string_view content_type, std::string_view body);

}  // namespace hone::server
