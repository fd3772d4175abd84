#include "cli/qr_code.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace hone::cli {
namespace {

// Rows of modules, as they are drawn: '1' where something is.
std::vector<std::string> modules(const std::string& drawn) {
  std::vector<std::string> rows;
  std::istringstream lines(drawn);
  for (std::string line; std::getline(lines, line);) {
    std::string upper, lower;
    for (size_t at = 0; at < line.size();) {
      const std::string block = line[at] == ' ' ? " " : line.substr(at, 3);
      upper += block == "█" || block == "▀" ? '1' : '0';
      lower += block == "█" || block == "▄" ? '1' : '0';
      at += block.size();
    }
    rows.push_back(upper);
    rows.push_back(lower);
  }
  return rows;
}

TEST(QrCode, IsDrawnWithItsCornersAndItsQuietZone) {
  // Given a URL, when its code is drawn for a dark terminal, then what is drawn is the light part: a frame four wide around the finder patterns in three corners, and none in the
  // fourth.
  const auto rows = modules(qr_code("https://192.168.1.5:9190/agent/#enroll=00112233445566778899aabbccddeeff", false));
  ASSERT_GE(rows.size(), 29u + 8);
  const size_t size = rows[0].size();
  for (size_t row = 0; row < 4; ++row) EXPECT_EQ(rows[row], std::string(size, '1'));
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), size);
    EXPECT_EQ(row.substr(0, 4), "1111");
  }
  const std::string edge = "0000000", ring = "0111110", core = "0100010";
  const auto finder_at = [&](size_t row, size_t column) {
    return rows[row].substr(column, 7) == edge && rows[row + 1].substr(column, 7) == ring && rows[row + 3].substr(column, 7) == core &&
           rows[row + 6].substr(column, 7) == edge;
  };
  EXPECT_TRUE(finder_at(4, 4) && finder_at(4, size - 11) && finder_at(size - 11, 4));
  EXPECT_FALSE(finder_at(size - 11, size - 11));
}

TEST(QrCode, WhatIsTooLongHasNone) {
  // Given more text than a code holds, when it is drawn, then there is nothing.
  EXPECT_EQ(qr_code(std::string(4000, 'x'), true), "");
}

}  // namespace
}  // namespace hone::cli
