// WebGL 2, the whole way: the binary, its embedded service, a real headless Chromium without a GPU.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/checked_model.h"
#include "tests/e2e/halved_constants.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

TEST(WebGlChromium, AnOperatorIsTuned) {
  // Given no service, when an operator is tuned for WebGL, then its shaders are right, and the GPU's own clock
  // timed them.
  TempFolder folder;
  HoneProcess tune(
      hone_in(folder, {"tune", "--op", "matmul:128x128x128", "--trials", "8", "--target", "webgl", "--json"}));
  const auto result = expect_tuned(tune, folder / "hone.db", 8, "timestamp");
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "webgl");
  EXPECT_EQ(result["device"]["target"], "webgl");
}

TEST(WebGlChromium, AModelRunsAsTheReferenceSays) {
  // Given an encoder of 16 tokens, when it is run and checked as fragment shaders, then the outputs agree with the reference.
  TempFolder folder;
  const auto result = expect_model_right(folder, {"--target", "webgl"});
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "webgl");
}

TEST(WebGlChromium, AConstantOfHalvesHasHalfTheBytes) { expect_halved_constant({"--target", "webgl"}); }

}  // namespace
}  // namespace hone::e2e
