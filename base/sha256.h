// SHA-256 through OpenSSL's libcrypto: the name of a blob on the wire, and what is kept of a secret.
#pragma once
#include <string>
#include <string_view>

namespace hone {

std::string sha256_hex(std::string_view bytes);  // 64 lower-case digits

}  // namespace hone
