// Base64 (RFC 4648, section 4): bytes as text for HTML and JSON.
#pragma once
#include <string>
#include <string_view>

namespace hone {

std::string base64(std::string_view bytes);  // with padding, in one line

}  // namespace hone
