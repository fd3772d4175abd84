#include "codegen/ir/parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "codegen/ir/equal.h"
#include "codegen/ir/printer.h"

namespace hone::ir {
namespace {

// Each construct of the syntax at least once, in the form that print() gives it.
const char* const kEverything = R"(arg A: f32[4, 8]
arg B: f32x4[64]
arg W: f32[16, 8] layout(0/4:4, 1:8, 0:4) pad zero texture
out C: f32[4, 8]
out N: i32[]
temp T: f32[4, 8] layout(1:8, 0:4)
launch grid(by: 2, bx: 3) threads(tx<9: 8, 1, tz: 2) linear t subgroups 16 sampled
  alloc S: f32[8, 8] workgroup
  alloc R: f32x4[2]
  for i in 0..4
    for j<9 in 0..8 thread.x
      let k = i * 8 + j
      let q<40 = k % (3 + i) / 2 - (i - j)
      if not (i < 3 and j <= 2) or k == q
        S[i, j] = mad(A[i, j], 2.5, -1.0)
        barrier
      else
        S[i, j if j < 4] = select(i < j, 0.1, inf)
      R[0] = B[k any]
      let v = B[k if k < 64 else broadcast(1.0, 4)]
      C[i, j] = v.x + R[0].w * exp(min(v.y, extract(v, j)))
      C[i, ramp(0, 1, 8)] = shuffle(v, B[k]; 7, 6, 5, 4, 3, 2, 1, 0)
      C[0, ramp(0, 1, 8)] = vec(v.z, 1e-08, nan, -inf, 0.0, -0.0, 3e+38, pow(v.x, v.y))
      C[0, 0] = exp(shuffle(v, v; 0, 1, 2, 3, 4, 5)).s5
      N[] = bitcast(i32, f32(i32(k)))
      C[0, 1] = lane_xor(v, 2).x + lane_xor(v.x, 16) + lane_read(v, 3, 4).x
      N[] = shl(1:i32, bitand(i32(j), 31:i32))
launch grid(1) threads(64)
  for i in 0..0 block.x
    T[0, 0] = f32(exp(1.0:f64)) / f32(sqrt(2.0:f16))
)";

// Given a text that uses every construct, when it is parsed and printed, then the same text comes out.
TEST(Parser, PrintIsItsInverseOnEveryConstruct) {
  auto kernel = parse_kernel(kEverything);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(print(*kernel), kEverything);
  auto again = parse_kernel(print(*kernel));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(structurally_equal(*kernel, *again));
}

// Given kernels that differ in one small thing, when compared, then they are not structurally equal (the control of the test above).
TEST(Parser, EqualityNoticesSmallDifferences) {
  const std::string text = kEverything;
  auto kernel = parse_kernel(text);
  ASSERT_TRUE(kernel.ok());
  for (auto [from, to] : {std::pair("2.5", "2.25"),
                          {"v.z", "v.y"},
                          {"thread.x", "thread.y"},
                          {"pad zero ", ""},
                          {"k any", "k"},
                          {"shl", "shr"},
                          {"0..8", "0..7"},
                          {"A[i, j]", "A[i, i]"},
                          {"tz: 2", "tz: 3"},
                          {" sampled", ""}}) {
    std::string other = text;
    other.replace(other.find(from), std::string(from).size(), to);
    auto changed = parse_kernel(other);
    ASSERT_TRUE(changed.ok()) << to << ": " << changed.error().message;
    EXPECT_FALSE(structurally_equal(*kernel, *changed)) << to;
  }
}

// Given variables of one name in one scope and odd names, when printed, then each has a name of its own that reads back.
TEST(Parser, NamesAreMadeUniqueAndLegal) {
  Kernel kernel;
  kernel.arena = std::make_shared<Arena>();
  Arena& a = *kernel.arena;
  Buffer x = a.buffer("/conv 1/out", DType::kF32, {64});
  kernel.args = {x};
  Var i = a.var("v.x", kIndexType, 8), j = a.var("v.x", kIndexType, 8), in = a.var("in", kIndexType, 8);
  Stmt body = a.store(x, {a.add(a.add(a.mul(i, a.index(8)), j), in)}, a.constant({DType::kF32, 1}, 0.5));
  kernel.launches.push_back({});
  kernel.launches[0].body =
      a.loop(i, 8, Place::kSerial, a.loop(j, 8, Place::kSerial, a.loop(in, 8, Place::kSerial, body)));
  const std::string text = print(kernel);
  EXPECT_NE(text.find("_conv_1_out[v_x * 8 + v_x$1 + in_] = 0.5"), std::string::npos) << text;
  auto again = parse_kernel(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(structurally_equal(kernel, *again));
}

Expr random_expr(Rng& rng, Arena& a, const TextScope& scope, Type type, int depth) {
  auto sub = [&](Type t) { return random_expr(rng, a, scope, t, depth - 1); };
  if (type.dtype == DType::kBool) {
    if (depth <= 0) return a.boolean(rng.below(2));
    switch (rng.below(5)) {
      case 0:
        return a.logical_and(sub(type), sub(type));
      case 1:
        return a.logical_or(sub(type), sub(type));
      case 2:
        return a.logical_not(sub(type));
      case 3:
        return a.lt(sub(kIndexType), sub(kIndexType));
      default:
        return a.eq(sub({DType::kF32, 1}), sub({DType::kF32, 1}));
    }
  }
  const bool index = type.dtype == DType::kIndex;
  if (depth <= 0) {
    if (type.lanes > 1) return a.broadcast(random_expr(rng, a, scope, type.scalar(), 0), type.lanes);
    if (index) return rng.below(2) ? scope.vars.at("i") : a.index(static_cast<int64_t>(rng.below(40)) - 20);
    return a.constant(type, uniform_at(rng.next(), 0) * std::pow(10.0, static_cast<double>(rng.below(20)) - 10));
  }
  switch (rng.below(index ? 7 : 10)) {
    case 0:
      return a.add(sub(type), sub(type));
    case 1:
      return a.sub(sub(type), sub(type));
    case 2:
      return a.mul(sub(type), sub(type));
    case 3:
      return a.div(sub(type), sub(type));
    case 4:
      return index ? a.mod(sub(type), sub(type)) : a.mad(sub(type), sub(type), sub(type));
    case 5:
      return a.select(sub(kBoolType), sub(type), sub(type));
    case 6:
      return a.max(sub(type), sub(type));
    case 7:
      return type.lanes == 1 ? a.cast(type, sub(kIndexType)) : sub(type);
    case 8:
      return type.lanes == 1 ? a.extract(sub(type.with_lanes(6)), static_cast<int>(rng.below(6))) : sub(type);
    default:
      return type.lanes == 1 ? a.load(scope.buffers.at("A"), {sub(kIndexType)}, sub(kBoolType), sub(type))
                             : a.call(Intrinsic::kTanh, {sub(type)});
  }
}

// Given seeded random expressions, when printed and parsed in the same arena, then interning gives back the very same node.
TEST(Parser, RandomExpressionsReadBackAsTheSameNode) {
  Rng rng(7);
  for (int round = 0; round < 2000; ++round) {
    Arena a;
    TextScope scope{{{"i", a.var("i", kIndexType, 8)}}, {{"A", a.buffer("A", DType::kF32, {8})}}};
    Expr e = random_expr(rng, a, scope, rng.below(2) ? kIndexType : Type{DType::kF32, 1}, 5);
    auto back = parse_expr(print(e), a, scope);
    ASSERT_TRUE(back.ok()) << print(e) << "\n" << back.error().message;
    ASSERT_EQ(*back, e) << print(e) << "\n" << print(*back);
  }
}

// Given malformed texts, when parsed, then the error names the line and what was expected.
TEST(Parser, RejectsMalformedText) {
  const std::pair<const char*, const char*> cases[] = {
      {"arg A: f32[4\n", "line 1: found 'end of line', expected ']'"},
      {"arg A: f99[4]\n", "expected a type"},
      {"out A: f32[4]\narg B: f32[4]\n", "line 2: found an arg after an out"},
      {"launch grid(1) threads(1)\n  B[0] = 1.0\n", "line 2: the buffer 'B' is not declared here"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  A[0] = 1\n", "the value has type index, the buffer f32"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  A[0] = 1.0 + 2\n", "have types f32 and index"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  A[k] = 1.0\n", "the variable 'k' is not declared here"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  for i in 0..4 sideways\n    A[i] = 1.0\n",
       "expected the place of the loop"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  for i in 0..4\n    A[i] = 1.0\n  A[i] = 1.0\n",
       "line 5: the variable 'i'"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  A[0] = A[0].y\n", "lane 1 of a value of type f32"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  A[0] = (1.0\n", "expected ')'"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n    A[0] = 1.0\n  A[0] = 1.0\n",
       "line 4: the line's indent fits no block"},
      {"arg A: f32[4]\nlaunch grid(1) threads(1)\n  A[0] = ?\n", "begins no token"},
  };
  for (const auto& [text, expected] : cases) {
    auto kernel = parse_kernel(text);
    ASSERT_FALSE(kernel.ok()) << text;
    EXPECT_NE(kernel.error().message.find(expected), std::string::npos) << text << kernel.error().message;
  }
}

// Given the text of every construct with seeded random damage, when parsed, then it ends with a value or an error, and never aborts.
TEST(Parser, SurvivesRandomDamage) {
  Rng rng(3);
  const std::string text = kEverything;
  int rejected = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (uint64_t n = 1 + rng.below(3); n > 0; --n) {
      const size_t at = rng.below(damaged.size());
      if (rng.below(2)) damaged.erase(at, 1 + rng.below(4));
      else damaged.insert(at, 1, "()[],:;.=<+-*/% \n019xvk#"[rng.below(24)]);
    }
    rejected += !parse_kernel(damaged).ok();
  }
  EXPECT_GT(rejected, 1000);
}

}  // namespace
}  // namespace hone::ir
