// Products of packed 8-bit numbers: four steps of a reduction as one operation.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/ir/printer.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/narrow.h"
#include "codegen/te/ops/matrix.h"

namespace hone {
namespace {

using namespace schedule;
using ir::DType;

te::Task product(DType left, DType right, int64_t m, int64_t n, int64_t k) {
  te::Builder b;
  const te::Tensor x = b.input("A", left, {m, k}), y = b.input("B", right, {k, n});
  b.output(*te::matmul(b, x, y));
  te::Task task;
  task.program = te::narrow_types(b.take());
  task.args.resize(3);
  task.args[0].role = task.args[1].role = te::Role::kConstant;
  task.args[1].free = true;
  task.args[2].role = te::Role::kOutput;
  te::finish_task(task);
  return task;
}

target::Target device(bool has_packed_products) {
  target::Target target = target::webgpu_default();
  target.has_packed_products = has_packed_products;
  return target;
}

// A register tile whose innermost loop is four steps of k; operands are kept as words.
std::vector<Step> register_tile(const std::string& kept) {
  std::vector<Step> steps{cache_write("C", "register"),
                          split("C", "m", {2, 2}),
                          split("C", "n", {2, 4}),
                          reorder("C", {"m.0", "n.0", "m.1", "n.1", "m.2", "n.2"}),
                          schedule::bind("C", "m.0", "block.y"),
                          schedule::bind("C", "n.0", "block.x"),
                          schedule::bind("C", "m.1", "thread.y"),
                          schedule::bind("C", "n.1", "thread.x"),
                          compute_at("C.acc", "C", "n.1"),
                          split("C.acc", "k", {4}, "peel"),
                          reorder("C.acc", {"k.0", "m", "n", "k.1"})};
  for (const char* name : {"A", "B"}) {
    const std::string tensor = name, held = tensor + ".r";
    steps.push_back(cache_read(tensor, "C.acc", "register", held));
    if (!kept.empty()) steps.push_back(precision(held, kept));
    for (const Step& s :
         {compute_at(held, "C.acc", "k.0"), vectorize(held, "k"), unroll(held, tensor == "A" ? "m" : "n")})
      steps.push_back(s);
  }
  for (const Step& s : {vectorize("C.acc", "k.1"), unroll("C.acc", "m"), unroll("C.acc", "n"), vectorize("C", "n.2"),
                        unroll("C", "m.2")})
    steps.push_back(s);
  return steps;
}

Result<ir::Kernel> lowered(const te::Task& task, std::vector<Step> steps, bool has_packed_products = true) {
  Trace trace;
  trace.steps = std::move(steps);
  lower::PipelineOptions options;
  options.verify = true;
  return lower::lower_kernel(task, trace, device(has_packed_products), options);
}

// Given products of signed and of unsigned numbers, whose extents tiles divide and do not, when four steps are taken at once, with operands as
// words in registers or packed where they are used, then the sums are exact.
TEST(PackedProduct, IsExact) {
  for (DType type : {DType::kI8, DType::kU8})
    for (int64_t k : {16, 18, 3})
      for (const std::string& kept : {std::string(ir::dtype_name(type)), std::string()}) {
        const te::Task task = product(type, type, 5, 9, k);
        const auto kernel = lowered(task, register_tile(kept));
        ASSERT_TRUE(kernel.ok()) << kernel.error().message;
        EXPECT_EQ(difference(task, Oracle(task), *kernel), "") << ir::dtype_name(type) << " " << k;
        EXPECT_EQ(ir::print(*kernel).find("dot4(") != std::string::npos, k >= 4);
      }
}

// Given such a kernel, when printed as WGSL, then operands are words, four products are one call, and the module says what it needs of the
// language; the control case, one product at a time, needs nothing.
TEST(PackedProduct, IsOneCallInWgsl) {
  Trace packed, single;
  packed.steps = register_tile("i8");
  const te::Task task = product(DType::kI8, DType::kI8, 8, 8, 16);
  const auto source = compile_kernel(task, packed, device(true));
  ASSERT_TRUE(source.ok()) << source.error().message;
  const std::string& code = source->launches[0].code;
  EXPECT_EQ(source->needs, std::vector<std::string>{"packed_4x8_integer_dot_product"});
  EXPECT_EQ(code.rfind("requires packed_4x8_integer_dot_product;\n", 0), 0u) << code;
  EXPECT_NE(code.find("dot4I8Packed("), std::string::npos) << code;
  const auto plain = compile_kernel(task, baseline_trace(task, device(true)).value(), device(true));
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_TRUE(plain->needs.empty());
}

// A's tile in workgroup memory as words, from which each thread takes its part.
std::vector<Step> staged_tile() {
  std::vector<Step> steps = register_tile("i8");
  const auto held = std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.extra == "A.r"; });
  const std::vector<Step> staged{cache_read("A", "C.acc", "workgroup", "A.w"),
                                 precision("A.w", "i8"),
                                 compute_at("A.w", "C.acc", "k.0"),
                                 schedule::bind("A.w", "m", "thread"),
                                 vectorize("A.w", "k"),
                                 cache_read("A.w", "C.acc", "register", "A.r")};
  std::vector<Step> out(steps.begin(), held);
  out.insert(out.end(), staged.begin(), staged.end());
  out.insert(out.end(), held + 1, steps.end());
  return out;
}

// Given an operand whose tile lies in workgroup memory, when printed as WGSL, then the tile is one of words, a quarter as many as numbers; and
// the kernel is exact.
TEST(PackedProduct, WorkgroupMemoryHoldsWords) {
  const te::Task task = product(DType::kI8, DType::kI8, 8, 8, 16);
  Trace trace;
  trace.steps = staged_tile();
  const auto source = compile_kernel(task, trace, device(true));
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_NE(source->launches[0].code.find("var<workgroup> A_w: array<u32, 4>"), std::string::npos)
      << source->launches[0].code;
  const auto kernel = lowered(task, staged_tile());
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(difference(task, Oracle(task), *kernel), "");
}

std::string refusal(const te::Task& task, const std::vector<Step>& steps, bool has_packed_products = true) {
  const auto kernel = lowered(task, steps, has_packed_products);
  return kernel.ok() ? "" : kernel.error().message;
}

// Given a device without packed products, operands of two types, a loop that is not innermost, and a reader of more than 8 bits, when packed,
// then the refusal says why; the control case passes.
TEST(PackedProduct, RefusesWhatIsNone) {
  const te::Task task = product(DType::kI8, DType::kI8, 8, 8, 16);
  EXPECT_EQ(refusal(task, register_tile("i8")), "");
  EXPECT_NE(refusal(task, register_tile("i8"), false).find("no products of packed numbers"), std::string::npos);
  EXPECT_NE(refusal(task, register_tile(""), false).find("is a reduction"), std::string::npos);
  EXPECT_NE(refusal(product(DType::kU8, DType::kI8, 8, 8, 16), register_tile("")).find("is a reduction"),
            std::string::npos);
  EXPECT_NE(refusal(product(DType::kU8, DType::kI8, 8, 8, 16), register_tile("i8")).find("reads more of 'A.r'"),
            std::string::npos);
  const std::vector<Step> outer{split("C", "k", {4}), reorder("C", {"k.0", "k.1"}), vectorize("C", "k.0")};
  EXPECT_NE(refusal(task, outer).find("is not the innermost one"), std::string::npos);
}

}  // namespace
}  // namespace hone
