// A QR code for a terminal, by libqrencode.
#pragma once
#include <string>

namespace hone::cli {

// Lines of half blocks, two rows of the code in each, with its quiet zone. With colour it is black on white, as every reader takes it; without, it
// is for light text on a dark ground. Empty where the text is too long for a code.
std::string qr_code(const std::string& text, bool with_color);

}  // namespace hone::cli
