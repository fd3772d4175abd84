#include "server/jobs/model_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "base/secret.h"

namespace hone::server {
namespace {

namespace fs = std::filesystem;

struct Folder {
  ~Folder() { fs::remove_all(path); }
  long files() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
  const std::string path = testing::TempDir() + "/hone_models_" + random_secret();
};

TEST(ModelFolder, AModelIsOneFileAsLongAsAnyJobNeedsIt) {
  // Given a model that two jobs keep, when one drops it, then it can be read; when both have, then no file is left. A later process that knows the name reads it, too, and removes what nobody knows.
  Folder f;
  ModelFolder folder(f.path, 1000);
  const std::string a = folder.keep("a model").value(), again = folder.keep("a model").value(), b = folder.keep("another").value();
  EXPECT_EQ(a, again);
  EXPECT_EQ(f.files(), 2);
  EXPECT_EQ(fs::status(f.path + "/" + a).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  folder.drop(a);
  EXPECT_EQ(*folder.read(a).value(), "a model");
  ModelFolder later(f.path, 1000);
  later.keep_known(b);
  std::ofstream(f.path + "/new-half") << "half";
  later.remove_unknown();
  EXPECT_EQ(f.files(), 1);
  EXPECT_EQ(*later.read(b).value(), "another");
  later.drop(b);
  EXPECT_EQ(f.files(), 0);
}

TEST(ModelFolder, WhatIsTooMuchOrCannotBeWrittenIsRefusedAndLeavesNothing) {
  // Given a folder for ten bytes, when models are kept, then one that does not fit is limit_exceeded, until another is dropped; where the folder cannot be made, and where a file is not what was kept, it is an io_error.
  Folder f;
  ModelFolder folder(f.path, 10);
  const std::string a = folder.keep("1234567").value();
  const auto more = folder.keep("12345");
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code, ErrorCode::kLimitExceeded) << more.error().message;
  EXPECT_TRUE(folder.keep("1234567").ok()) << "the same bytes";
  EXPECT_EQ(f.files(), 1);
  std::ofstream(f.path + "/" + a) << "7654321";
  EXPECT_EQ(folder.read(a).error().code, ErrorCode::kIoError);
  folder.drop(a);
  folder.drop(a);
  EXPECT_TRUE(folder.keep("12345").ok());
  ModelFolder nowhere(f.path + "/none/models", 1000);
  EXPECT_EQ(nowhere.keep("a").error().code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace hone::server
