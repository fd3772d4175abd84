#include "cli/qr_code.h"

#include <qrencode.h>

#include <memory>

#include "base/cat.h"

namespace hone::cli {

namespace {

constexpr int kQuietModules = 4;
constexpr const char* kBlackOnWhite = "\x1b[30;107m";
constexpr const char* kReset = "\x1b[0m";

bool is_dark(const QRcode& code, int row, int column) {
  const bool inside = row >= 0 && column >= 0 && row < code.width && column < code.width;
  return inside && (code.data[row * code.width + column] & 1) != 0;
}

// What is drawn is the dark part on white, the light part on a dark ground.
const char* half_blocks(bool upper, bool lower) {
  if (upper && lower) return "█";
  if (upper) return "▀";
  return lower ? "▄" : " ";
}

}  // namespace

std::string qr_code(const std::string& text, bool with_color) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_L), QRcode_free);
  if (!code) return "";
  std::string drawn;
  for (int row = -kQuietModules; row < code->width + kQuietModules; row += 2) {
    if (with_color) drawn += kBlackOnWhite;
    for (int column = -kQuietModules; column < code->width + kQuietModules; ++column)
      drawn += half_blocks(is_dark(*code, row, column) == with_color, is_dark(*code, row + 1, column) == with_color);
    drawn += cat(with_color ? kReset : "", "\n");
  }
  return drawn;
}

}  // namespace hone::cli
