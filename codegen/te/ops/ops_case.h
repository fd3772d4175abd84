// What tests of operators share: one operator over inputs of given shapes, evaluated, and its result compared. After gtest.
#pragma once
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "codegen/te/builder.h"
#include "codegen/te/evaluate.h"

namespace hone::te {

using Values = std::vector<double>;
using Shapes = std::vector<Shape>;

inline Values random_values(const Shape& shape, uint64_t seed) {
  Values out(static_cast<size_t>(ir::element_count(shape)));
  for (size_t i = 0; i < out.size(); i++) out[i] = uniform_at(seed, i);
  return out;
}

// One operator, built over inputs of the given shapes, verified, and evaluated on `values`.
struct Case {
  Builder b;
  std::vector<Tensor> inputs;
  std::vector<Values> values;
  explicit Case(const Shapes& shapes, DType dtype = DType::kF32) {
    for (size_t i = 0; i < shapes.size(); i++) {
      inputs.push_back(b.input("T", dtype, shapes[i]));
      values.push_back(random_values(shapes[i], i + 1));
    }
  }
  Values run(const Result<Tensor>& output) {
    EXPECT_TRUE(output.ok()) << (output.ok() ? "" : output.error().message);
    if (!output.ok()) return {};
    const std::vector<Values> all = run_all({*output});
    return all.empty() ? Values{} : all[0];
  }
  std::vector<Values> run_all(const std::vector<Tensor>& outputs) {
    for (Tensor output : outputs) b.output(output);
    const Status status = verify_te(b.program());
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    return status.ok() ? evaluate(b.program(), values) : std::vector<Values>{};
  }
};

inline void expect_near(const Values& got, const Values& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); i++) EXPECT_NEAR(got[i], expected[i], 1e-7 * (1 + std::fabs(expected[i]))) << "element " << i;
}

}  // namespace hone::te
