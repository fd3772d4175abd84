// The names that an OpenCL C program of hone's may not declare.
#pragma once
#include <string_view>

namespace hone::emit {

// Keywords, types and macros (The OpenCL C Specification 1.2, sections 6.1, 6.9 and 6.12), those of C99, and the functions that hone's own programs call.
bool is_reserved_in_opencl(std::string_view name);

}  // namespace hone::emit
