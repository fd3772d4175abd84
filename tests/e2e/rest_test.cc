// The REST interface as its OpenAPI document says it is: each operation, asked by a program that knows nothing else.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/e2e/farm.h"

namespace hone::e2e {
namespace {

TEST(Rest, EachOperationIsAsItsDocumentSays) {
  // Given a service with a native device, when each operation of its OpenAPI document is asked for, then the document is a valid one, and so is each reply and each event by it.
  Farm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::string model = farm.folder / "encoder.onnx", source = HONE_SOURCE;
  ASSERT_EQ(std::system((source + "/scripts/gen_model encoder --size 16 --out " + model).c_str()), 0);
  const std::string origin = farm.url.substr(0, farm.url.find("/agent/")), token = farm.url.substr(farm.url.find("token=") + 6);
  EXPECT_EQ(std::system(("timeout 300 node " + source + "/tests/e2e/openapi_check.mjs " + origin + " " + token + " " + model).c_str()), 0) << farm.up->err();
  expect_sound(farm.db());
}

}  // namespace
}  // namespace hone::e2e
