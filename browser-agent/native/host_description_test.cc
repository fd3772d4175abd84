#include "browser-agent/native/host_description.h"

#include <gtest/gtest.h>

namespace hone::native {
namespace {

// Given the text of /proc/cpuinfo, when a key is looked up, then its first value comes, and "" for one that is not there or has none.
TEST(HostDescription, CpuinfoIsRead) {
  const char* text =
      "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\nmodel name\t: A CPU: "
      "fast\nflags\t\t:\n\nprocessor\t: 1\n";
  EXPECT_EQ(cpuinfo_value(text, "vendor_id"), "GenuineIntel");
  EXPECT_EQ(cpuinfo_value(text, "model name"), "A CPU: fast");
  EXPECT_EQ(cpuinfo_value(text, "model"), "143");
  EXPECT_EQ(cpuinfo_value(text, "flags"), "");
  EXPECT_EQ(cpuinfo_value(text, "cache"), "");
}

}  // namespace
}  // namespace hone::native
