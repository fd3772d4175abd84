// The C11 sources that every native export includes (native_runtime of this repository), embedded when hone is built.
#pragma once
#include <map>
#include <string_view>

namespace hone::package {

const std::map<std::string_view, std::string_view>& native_runtime();  // by the file's name

}  // namespace hone::package
