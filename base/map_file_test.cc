#include "base/map_file.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace hone {
namespace {

class MapFile : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_, std::ios::binary) << std::string(10000, 'a') << "bcd"; }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "map_file_test." + std::to_string(getpid());
};

// Given a file, when it is mapped whole, in part or to its end, then the bytes are those of the file, also after it is removed; a part beyond it is
// refused.
TEST_F(MapFile, WholeAndInPart) {
  const auto whole = map_file(path_), part = map_file(path_, 9999, 2), rest = map_file(path_, 10001), none = map_file(path_, 10003);
  std::filesystem::remove(path_);
  ASSERT_TRUE(whole.ok() && part.ok() && rest.ok() && none.ok());
  EXPECT_EQ((*whole)->size(), 10003u);
  EXPECT_EQ((*whole)->substr(9998), "aabcd");
  EXPECT_EQ(**part, "ab");
  EXPECT_EQ(**rest, "cd");
  EXPECT_EQ(**none, "");
  std::ofstream(path_, std::ios::binary) << "four";
  for (const auto& [offset, length] : {std::pair<int64_t, int64_t>{5, 0}, {0, 5}, {4, 1}, {INT64_MAX, INT64_MAX}}) {
    const auto beyond = map_file(path_, offset, length);
    ASSERT_FALSE(beyond.ok()) << offset;
    EXPECT_EQ(beyond.error().code, ErrorCode::kBadModel);
  }
}

// Given what is no file, when it is mapped, then the reason is said.
TEST_F(MapFile, WhatIsNone) {
  for (const std::string& path : {path_ + ".none", testing::TempDir(), std::string("/dev/zero")}) {
    const auto refused = map_file(path);
    ASSERT_FALSE(refused.ok()) << path;
    EXPECT_EQ(refused.error().code, ErrorCode::kIoError);
  }
}

// Given a part of someone's bytes, when that one lets them go, then the part keeps them.
TEST(SharedBytes, KeepTheirOwner) {
  SharedBytes part;
  {
    const SharedBytes whole = shared_bytes("kept by its parts");
    part = shared_part(whole, whole->substr(0, 4));
  }
  EXPECT_EQ(*part, "kept");
}

}  // namespace
}  // namespace hone
