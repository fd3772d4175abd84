#include "cli/server_name.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

TEST(ServerName, IsPartOfAFilesName) {
  // Given names, when they are checked, then those are refused of which a file's name could not be made, or another file's would be; the machine's own name is one, or none.
  for (const std::string& name : {std::string("a"), std::string("lab-2.example_3"), std::string(64, 'x')}) EXPECT_TRUE(check_server_name(name).ok()) << name;
  for (const std::string& name : {std::string(), std::string(".."), std::string(".a"), std::string("a/b"), std::string("../a"), std::string("a b"), std::string("a\0b", 3), std::string("\xc3\xa4"),
                                  std::string(65, 'x')}) {
    const Status checked = check_server_name(name);
    ASSERT_FALSE(checked.ok()) << name;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_LT(checked.error().message.size(), 200u);
  }
  const std::string own = default_server_name();
  EXPECT_TRUE(own.empty() || check_server_name(own).ok()) << own;
}

}  // namespace
}  // namespace hone::cli
