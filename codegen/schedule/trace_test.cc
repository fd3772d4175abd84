#include "codegen/schedule/trace.h"

#include <gtest/gtest.h>

namespace hone::schedule {
namespace {

TEST(TraceJson, WhatIsNestedOrEndlessIsRefusedShortly) {
  // Given traces that nest a hundred thousand lists, that are longer than any schedule, and that are none, when they are read, then each is
  // refused with one short sentence, and a whole one is read.
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string many(2 << 20, ' ');
  for (const std::string& text :
       {R"({"version":1,"steps":)" + deep + "}", R"({"version":1,"steps":[]})" + many, deep, std::string("[]"),
        std::string("{\"steps\":[["), std::string("{\"steps\":[[1e999]]}")}) {
    const auto trace = trace_from_json(text);
    ASSERT_FALSE(trace.ok()) << text.substr(0, 50);
    EXPECT_EQ(trace.error().code, ErrorCode::kParseError);
    EXPECT_LT(trace.error().message.size(), 200u);
  }
  const Trace whole{.sketch = "tile: rows=4", .steps = {inline_stage("a"), split("b", "i", {4, 2}, "guard", "rows")}};
  const auto again = trace_from_json(trace_to_json(whole));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(trace_to_json(*again), trace_to_json(whole));
}

}  // namespace
}  // namespace hone::schedule
