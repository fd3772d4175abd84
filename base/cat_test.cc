#include "base/cat.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace hone {
namespace {

// Given parts of every kind / when they are joined / then each stands as std::to_string and streams of words write it.
TEST(Cat, JoinsPartsOfEveryKind) {
  const std::string text = "text";
  EXPECT_EQ(cat("a ", text, std::string_view(" view "), 'c', ' ', true, ' ', false), "a text view c true false");
  EXPECT_EQ(cat(-1, ' ', 2u, ' ', int64_t{-3}, ' ', uint64_t{4}, ' ', uint8_t{5}, ' ', 1.5, ' ', 0.25f), "-1 2 -3 4 5 1.500000 0.250000");
  EXPECT_EQ(cat(std::numeric_limits<int64_t>::min(), std::numeric_limits<uint64_t>::max()), "-922337203685477580818446744073709551615");
}

// Given one part and many / when they are joined / then none is lost.
TEST(Cat, TakesAnyNumberOfParts) {
  EXPECT_EQ(cat(""), "");
  EXPECT_EQ(cat(1), "1");
  EXPECT_EQ(cat(1, 2, 3, 4, 5, 6, 7, 8, 9), "123456789");
}

}  // namespace
}  // namespace hone
