#include "tests/mutants/mutate_model.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace hone::mutants {
namespace {

constexpr const char* kModel = "/usr/share/libonnx-testdata/data/node/test_basic_conv_with_padding/model.onnx";

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(MutateModel, FollowsFromModelAndSeed) {
  // Given one model, when mutated by one seed twice and by many seeds, then the same seed gives the same mutant, and most seeds give
  // mutants of their own that say what was changed.
  const std::string model = read_file(kModel);
  ASSERT_FALSE(model.empty()) << "libonnx-testdata is not installed: run scripts/setup";
  EXPECT_EQ(mutate_model(model, 7).bytes, mutate_model(model, 7).bytes);
  std::set<std::string> mutants;
  for (uint64_t seed = 0; seed < 200; seed++) {
    const Mutant mutant = mutate_model(model, seed);
    EXPECT_FALSE(mutant.changes.empty());
    mutants.insert(mutant.bytes);
  }
  EXPECT_GT(mutants.size(), 150u);
}

TEST(MutateModel, LeavesOtherBytesAlone) {
  // Given bytes that are no model, when mutated, then they come back.
  EXPECT_EQ(mutate_model("this is a text", 1).bytes, "this is a text");
}

}  // namespace
}  // namespace hone::mutants
