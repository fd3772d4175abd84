#include "base/utc_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(UtcText, IsInUtcToTheMillisecond) {
  // Given times, when they are written, then they are in UTC, whatever the zone of the machine, with three digits of milliseconds.
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(951'782'399'007), "2000-02-28T23:59:59.007Z");
}

}  // namespace
}  // namespace hone
