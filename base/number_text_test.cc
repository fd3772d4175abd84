#include "base/number_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(NumberText, NumbersHaveThreeDigits) {
  // Given numbers of any size, when they are printed for people, then three digits count.
  EXPECT_EQ(number_text(0.0012345), "0.00123");
  EXPECT_EQ(number_text(1.2345), "1.23");
  EXPECT_EQ(number_text(123.45), "123");
  EXPECT_EQ(number_text(12345.6), "12346");
  EXPECT_EQ(number_text(0), "0");
}

TEST(NumberText, TimesHaveTheUnitThatFits) {
  // Given times from nanoseconds to minutes, when they are printed for people, then three digits count, and there is no row of zeros before them.
  EXPECT_EQ(time_text(0.0000418), "41.8 ns");
  EXPECT_EQ(time_text(0.00123), "1.23 µs");
  EXPECT_EQ(time_text(0.999), "999 µs");
  EXPECT_EQ(time_text(12.34), "12.3 ms");
  EXPECT_EQ(time_text(1234), "1.23 s");
  EXPECT_EQ(time_text(90000), "90.0 s");
  EXPECT_EQ(time_text(0), "-");
}

TEST(NumberText, DurationsHaveTwoUnits) {
  // Given durations, when they are printed for people, then the two greatest units stay.
  EXPECT_EQ(duration_text(-1), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(80), "1 m 20 s");
  EXPECT_EQ(duration_text(7501), "2 h 5 m");
}

TEST(NumberText, CountsAgreeWithTheirNouns) {
  // Given counts, when they are printed with a noun, then one is singular and every other number plural.
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2, "record"), "2 records");
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(2, "launch", "launches"), "2 launches");
}

}  // namespace
}  // namespace hone
