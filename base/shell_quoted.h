// A word as a shell takes it, whatever stands in it.
#pragma once
#include <string>

namespace hone {

std::string shell_quoted(const std::string& word);

}  // namespace hone
