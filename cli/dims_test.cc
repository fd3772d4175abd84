#include "cli/dims.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

TEST(Dims, GivenOneNumberEachWhenParsedThenEachNameHasIt) {
  EXPECT_EQ(*parse_dims({"batch=2", "a=b=3"}), (Dims{{"batch", 2}, {"a=b", 3}}));
  for (const char* wrong : {"batch", "=1", "batch=", "batch=0", "batch=-1", "batch=1x", "batch=1,", "batch=,1",
                            "batch=9223372036854775808"}) {
    ASSERT_FALSE(parse_dims({wrong}).ok()) << wrong;
    EXPECT_EQ(parse_dims({wrong}).error().code, ErrorCode::kInvalidArgument) << wrong;
  }
  EXPECT_NE(parse_dims({"batch=1,4"}).error().message.find("hone export alone"), std::string::npos);
}

TEST(Dims, GivenSeveralNumbersWhenParsedAsSizesThenEachCombinationIsOneAndTheFirstStandsFirst) {
  EXPECT_EQ(*parse_sizes({}), (std::vector<Dims>{{}}));
  const auto sizes = *parse_sizes({"batch=1,4", "length=128,256"});
  ASSERT_EQ(sizes.size(), 4u);
  EXPECT_EQ(sizes[0], (Dims{{"batch", 1}, {"length", 128}}));
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), Dims{{"batch", 4}, {"length", 256}}), 1);
  EXPECT_EQ(dims_text(sizes[0]), "batch=1, length=128");
  EXPECT_EQ(parse_sizes({"a=1,2,3,4,5", "b=1,2,3,4"}).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace hone::cli
