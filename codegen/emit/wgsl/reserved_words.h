// The names that a WGSL module of hone's may not declare.
#pragma once
#include <string_view>

namespace hone::emit {

// Keywords and reserved words (WGSL, sections 15.2 and 15.3), and what hone's own modules use: their parameters, types and functions.
bool is_reserved_in_wgsl(std::string_view name);

}  // namespace hone::emit
