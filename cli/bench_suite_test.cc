#include "cli/bench_suite.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace hone::cli {
namespace {

TEST(BenchSuite, SaysWhatEachCaseIs) {
  // Given a suite with defaults, cases of all three kinds and one with two targets, when it is read, then each case has its own fields and else the defaults, one for each target, and paths from the file's folder.
  const auto suite = parse_suite(
      "name: nightly kernels\n"
      "defaults: {target: wasm, on: classes, pairs: 60}\n"
      "cases:\n"
      "  - model: models/m.onnx\n"
      "    dims: {batch: 2}\n"
      "    weights: f16\n"
      "  - op: matmul:8x8x8\n"
      "    target: [webgpu, wasm]\n"
      "    on: each\n"
      "    clock: kernels\n"
      "  - package: /abs/package\n"
      "    name: shipped\n"
      "    device: browser=firefox\n"
      "    sample_ms: 5\n",
      "suites");
  ASSERT_TRUE(suite.ok()) << suite.error().message;
  EXPECT_EQ(suite->name, "nightly-kernels");
  ASSERT_EQ(suite->cases.size(), 4u);
  const BenchCase &model = suite->cases[0], &op = suite->cases[1], &wasm = suite->cases[2], &package = suite->cases[3];
  EXPECT_EQ(model.source.model, "suites/models/m.onnx");
  EXPECT_EQ(model.name, "m");
  EXPECT_EQ(model.dims, std::vector<std::string>{"batch=2"});
  EXPECT_EQ(model.weights, "f16");
  EXPECT_EQ(model.spread, Spread::kClasses);
  EXPECT_EQ(model.pairs_max, 60);
  EXPECT_EQ(op.name, "matmul-8x8x8-webgpu");
  EXPECT_EQ(wasm.name, "matmul-8x8x8-wasm");
  EXPECT_EQ(wasm.target, "wasm");
  EXPECT_EQ(op.spread, Spread::kEach);
  EXPECT_TRUE(op.kernels_alone);
  EXPECT_EQ(package.package, "/abs/package");
  EXPECT_EQ(package.name, "shipped");
  EXPECT_EQ(package.device, "browser=firefox");
  EXPECT_EQ(package.sample_ms, 5);
}

TEST(BenchSuite, RefusesWhatItDoesNotKnow) {
  // Given suites with something wrong in them, when they are read, then each is refused with the line and what was expected.
  const std::pair<const char*, const char*> bad[] = {
      {"", "found no cases"},
      {"cases: 3\n", "found no cases"},
      {"cases: []\n", "found no case"},
      {"name: a\nkases: []\ncases: []\n", "line 2: there is no 'kases'"},
      {"cases:\n  - {op: a, nam: b}\n", "line 2: there is no 'nam'"},
      {"cases:\n  - {op: a, op: b}\n", "twice"},
      {"cases:\n  - {op: a, model: b}\n", "one of model, op, package and kernel"},
      {"cases:\n  - {name: a}\n", "a model, an op, a package or a kernel"},
      {"cases:\n  - {op: a}\n  - {op: a}\n", "two cases have the name a"},
      {"cases:\n  - {op: a, target: cuda}\n", "found the target 'cuda'"},
      {"cases:\n  - {op: a, on: all}\n", "expected one, each or classes"},
      {"cases:\n  - {op: a, pairs: 5}\n", "expected a number from 10.0 to 480"},
      {"cases:\n  - {op: a, sample_ms: nan}\n", "expected a number"},
      {"cases:\n  - {op: a, weights: int4}\n", "expected f32 or f16"},
      {"cases:\n  - {op: a, dims: 3}\n", "dims has a number"},
      {"cases:\n  - op: [a\n", "line "},
      {"cases:\n  - &a [*a]\n", "line "},
      {"cases:\n  - *unknown\n", "line "},
      {"- a\n", "found no cases"},
  };
  for (const auto& [text, said] : bad) {
    const auto suite = parse_suite(text, ".");
    ASSERT_FALSE(suite.ok()) << text;
    EXPECT_EQ(suite.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_NE(suite.error().message.find(said), std::string::npos) << text << suite.error().message;
    EXPECT_EQ(suite.error().message.find('\n'), std::string::npos) << suite.error().message;
  }
}

TEST(BenchSuite, LargeAndDeepFilesEnd) {
  // Given a file that is too large, one that is deeply nested, and one whose aliases would be 10^9 words if they were copied, when they are read, then each is refused.
  EXPECT_EQ(parse_suite(std::string(2 << 20, ' '), ".").error().code, ErrorCode::kLimitExceeded);
  EXPECT_FALSE(parse_suite("cases: " + std::string(100'000, '['), ".").ok());
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += cat("a", i, ": &a", i, " [");
    for (int k = 0; k < 10; ++k) bomb += cat(k > 0 ? ", " : "", "*a", i - 1);
    bomb += "]\n";
  }
  EXPECT_FALSE(parse_suite(bomb + "cases: *a8\n", ".").ok());
}

TEST(CaseName, IsOneForAFolder) {
  // Given names with what means something in a path, when they are made case names, then they begin with a letter or digit and hold no separator.
  EXPECT_EQ(case_name("matmul:8x8x8"), "matmul-8x8x8");
  EXPECT_EQ(case_name("../../etc"), "etc");
  EXPECT_EQ(case_name(".."), "case");
  EXPECT_EQ(case_name(""), "case");
}

}  // namespace
}  // namespace hone::cli
