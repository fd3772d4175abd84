// WebGL 2, the whole way: the binary, its embedded service, a real headless Chromium without a GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/e2e/record_check.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

HoneProcess::Config command(const TempFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--target", "webgl", "--json"});
  return hone_in(folder, std::move(arguments));
}

TEST(WebGlChromium, AnOperatorIsTuned) {
  // Given no service, when an operator is tuned for WebGL, then its shaders are right and faster than the plain one, and the GPU's own clock
  // timed them.
  TempFolder folder;
  HoneProcess tune(command(folder, {"tune", "--op", "matmul:128x128x128", "--trials", "8"}));
  const auto result = expect_tuned(tune, folder / "hone.db", 8, "timestamp");
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "webgl");
  EXPECT_EQ(result["device"]["target"], "webgl");
}

TEST(WebGlChromium, AModelRunsAsTheReferenceSays) {
  // Given an encoder of 16 tokens, when it is run and checked as fragment shaders, then the outputs agree with the reference.
  TempFolder folder;
  const std::string model = folder / "encoder.onnx";
  ASSERT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + model).c_str()), 0);
  HoneProcess run(command(folder, {"run", model, "--check"}));
  ASSERT_EQ(run.wait(seconds(120)), 0) << run.err();
  const auto result = nlohmann::json::parse(run.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << run.out();
  EXPECT_EQ(result["target"], "webgl");
  EXPECT_LE(result["check"]["max_error"].get<double>(), 1e-5);
}

}  // namespace
}  // namespace hone::e2e
