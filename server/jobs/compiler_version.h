// What records say of the hone that measured them.
#pragma once

namespace hone::server {

inline constexpr const char* kCompilerVersion = "hone " HONE_VERSION;

}  // namespace hone::server
