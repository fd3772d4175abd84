// WebAssembly, the whole way: the binary, its embedded service, a real headless Chromium without a GPU.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/checked_model.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

TEST(WasmChromium, AnOperatorIsTuned) {
  // Given no service, when an operator is tuned for WebAssembly, then its kernels are right and faster than the plain one, the clock is the
  // one around them, and the records say so.
  TempFolder folder;
  HoneProcess tune(hone_in(folder, {"tune", "--op", "matmul:128x128x128", "--trials", "8", "--target", "wasm", "--json"}));
  const auto result = expect_tuned(tune, folder / "hone.db", 8);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "wasm");
  EXPECT_EQ(result["device"]["target"], "wasm");
  const auto& task = result["tasks"][0];
  if (task["naive_ms"].is_number() && task["naive_ms"] > 0) {
    EXPECT_LT(task["best_ms"].get<double>(), 0.5 * task["naive_ms"].get<double>());
  }
}

TEST(WasmChromium, AModelRunsAsTheReferenceSays) {
  // Given an encoder of 16 tokens, when it is run and checked on WebAssembly, then the outputs agree with the reference.
  TempFolder folder;
  const auto result = expect_model_right(folder, {"--target", "wasm"});
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "wasm");
}

}  // namespace
}  // namespace hone::e2e
