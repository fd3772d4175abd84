// Secrets: tokens that nobody can guess, and a comparison that tells nothing by its time.
#pragma once
#include <string>
#include <string_view>

namespace hone {

std::string random_secret();  // 128 bits from the operating system, 32 lower-case hexadecimal digits
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace hone
