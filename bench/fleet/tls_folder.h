// What both ends read of a folder that hone tls init made.
#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include "base/net/tls_context.h"

namespace hone::bench {

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Null where the folder is "".
inline net::TlsContext client_context(const std::string& tls_folder) {
  if (tls_folder.empty()) return nullptr;
  return *net::client_tls_context({.system = false, .authorities = {file_text(tls_folder + "/ca.crt")}});
}

}  // namespace hone::bench
