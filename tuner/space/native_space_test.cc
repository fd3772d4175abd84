// The space of CPUs with vectors wider than WebAssembly's.
#include <gtest/gtest.h>

#include <set>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "tuner/space/space.h"

namespace hone::tuner {
namespace {

te::Task task_of(const std::string& spec) {
  auto task = graph::task_from_spec(spec);
  EXPECT_TRUE(task.ok()) << task.error().message;
  return std::move(*task);
}

std::vector<int64_t> widths_of(const std::string& spec, const target::Target& target) {
  const te::Task task = task_of(spec);
  const auto space = Space::derive(task, target);
  EXPECT_TRUE(space.ok());
  for (const Decision& decision : space->decisions())
    if (decision.key == "lanes.width") return decision.values;
  return {};
}

const target::Target kAvx2 = target::native_target(8, 16), kAvx512 = target::native_target(16, 32);

// Given CPUs of several widths, when spaces are derived, then the widths go up to the CPU's, as far as rows are long enough and begin at
// multiples of them; or, of sums on cores, where they begin at multiples of none.
TEST(NativeSpace, WidthsAreTheTargets) {
  using Widths = std::vector<int64_t>;
  EXPECT_EQ(widths_of("matmul:512x512x512", target::wasm_default()), (Widths{1, 4}));
  EXPECT_EQ(widths_of("matmul:512x512x512", kAvx2), (Widths{1, 4, 8}));
  EXPECT_EQ(widths_of("matmul:512x512x512", kAvx512), (Widths{1, 4, 8, 16}));
  EXPECT_EQ(widths_of("matmul:64x24x64", kAvx512), (Widths{1, 4, 8}));
  EXPECT_EQ(widths_of("matmul:64x12x64", kAvx512), (Widths{1, 4}));
  EXPECT_EQ(widths_of("matmul:64x7x64", kAvx512), (Widths{1, 4}));
  EXPECT_EQ(widths_of("matmul:64x50257x64", kAvx2), (Widths{1, 4, 8}));
  EXPECT_EQ(widths_of("matmul:64x50257x64", target::webgpu_default()), (Widths{1}));
}

// Given products, when first schedules are asked for, then they are legal and of several kinds, the first has the widest vectors that are legal,
// and fills most of the registers with accumulators.
TEST(NativeSpace, SeedsUseTheRegisters) {
  const struct {
    const char* spec;
    target::Target target;
    const char* width;
    int accumulators_min;
  } cases[] = {{"matmul:512x512x512", kAvx2, "lanes.width=8 ", 8},
               {"matmul:512x512x512", kAvx512, "lanes.width=16 ", 20},
               {"matmul:64x24x64", kAvx512, "lanes.width=8 ", 8}};
  for (const auto& [spec, target, width, accumulators_min] : cases) {
    const te::Task task = task_of(spec);
    const auto space = Space::derive(task, target);
    ASSERT_TRUE(space.ok());
    const std::vector<schedule::Trace> seeds = space->seeds();
    ASSERT_FALSE(seeds.empty());
    EXPECT_NE(seeds[0].sketch.find(width), std::string::npos) << seeds[0].sketch;
    const auto choice = space->parse(seeds[0]);
    ASSERT_TRUE(choice.has_value());
    const auto value = [&](const char* key) {
      for (size_t i = 0; i < space->decisions().size(); ++i)
        if (space->decisions()[i].key == key)
          return static_cast<int>(space->decisions()[i].values[static_cast<size_t>((*choice)[i])]);
      return 1;
    };
    EXPECT_GE(value("rows") * value("lanes"), accumulators_min) << seeds[0].sketch;
    std::set<Hash> hashes;
    for (const schedule::Trace& seed : seeds) {
      const auto source = compile_kernel(task, seed, target);
      ASSERT_TRUE(source.ok()) << source.error().message;
      hashes.insert(source->hash);
    }
    EXPECT_GE(hashes.size(), 4u);
  }
}

}  // namespace
}  // namespace hone::tuner
