#include <gtest/gtest.h>

#include "codegen/ir/mutator.h"
#include "codegen/ir/verify.h"
#include "codegen/lower/passes.h"

namespace hone::lower {
namespace {

using ir::DType;
using ir::Expr;

// C[i] = f(… f(A[i])) in a loop over four lanes, f(x) = x · exp(x): written out, the value doubles with each f.
ir::Kernel chain(int doublings) {
  ir::Kernel kernel;
  kernel.arena = std::make_shared<ir::Arena>();
  ir::Arena& a = *kernel.arena;
  const ir::Buffer in = a.buffer("A", DType::kF32, {4}), out = a.buffer("C", DType::kF32, {4});
  const ir::Var lane = a.var("i", ir::kIndexType, 4);
  Expr value = a.load(in, {lane});
  for (int i = 0; i < doublings; i++) value = a.mul(value, a.call(ir::Intrinsic::kExp, {value}));
  kernel.args = {in, out};
  kernel.input_count = 1;
  kernel.launches.emplace_back();
  kernel.launches[0].body = a.loop(lane, 4, ir::Place::kVectorize, a.store(out, {lane}, value));
  return kernel;
}

size_t nodes_of(Expr e) {
  size_t count = 0;
  ir::for_each_node(e, [&](Expr) { ++count; });
  return count;
}

// Given a value in which 40 parts are used twice each, when its loop becomes vectors, then each part becomes one vector. Part by part it
// would be 2^40.
TEST(VectorizeLoops, SharedPartsAreMadeOnce) {
  const int doublings = 40;
  const auto kernel = vectorize_loops(chain(doublings));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const ir::Stmt store = kernel->launches[0].body;
  ASSERT_EQ(store->kind, ir::StmtKind::kStore);
  EXPECT_EQ(store->value->type.lanes, 4);
  EXPECT_EQ(nodes_of(store->value), nodes_of(store->value->args[0]) + 2);
  EXPECT_LT(nodes_of(store->value), 2 * doublings + 6);
  EXPECT_TRUE(ir::verify(*kernel, ir::VerifyStage::kFlat).ok());
}

}  // namespace
}  // namespace hone::lower
