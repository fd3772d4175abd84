#include "codegen/graph/view_layouts.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "codegen/graph/texel_layout.h"

namespace hone::graph {
namespace {

using Index = std::vector<int64_t>;

Index index_at(const ir::Shape& shape, int64_t position) {
  Index out(shape.size());
  for (size_t a = shape.size(); a-- > 0; position /= shape[a]) out[a] = position % shape[a];
  return out;
}

// Does each element of the reshaped tensor lie where it lay?
::testing::AssertionResult shows_the_same(const ir::Shape& from, const ir::Layout& layout, const ir::Shape& to,
                                          const ir::Layout& shown) {
  for (int64_t i = 0; i < ir::element_count(from); i++) {
    const int64_t was = ir::physical_offset(from, layout, index_at(from, i)),
                  is = ir::physical_offset(to, shown, index_at(to, i));
    if (was != is)
      return ::testing::AssertionFailure() << "element " << i << " lay at " << was << ", and is shown at " << is << ": "
                                           << ir::layout_text(layout) << " -> " << ir::layout_text(shown);
  }
  return ::testing::AssertionSuccess();
}

// Given layouts of random orders and blocks, when a tensor is shown under other axes, then each element lies where it lay; and whole axes are
// always shown.
TEST(ViewLayouts, AReshapeMovesNothing) {
  const std::vector<ir::Shape> shapes{{4, 6, 8}, {4, 2, 3, 8}, {24, 8}, {2, 2, 6, 2, 4}, {1, 4, 6, 1, 8}, {192}};
  Rng rng(7);
  int shown = 0, all = 0;
  for (const ir::Shape& from : shapes)
    for (const ir::Shape& to : shapes)
      for (int i = 0; i < 20; i++) {
        std::vector<int> order;
        for (size_t a = 0; a < from.size(); a++)
          order.insert(order.begin() + static_cast<long>(rng.below(order.size() + 1)), static_cast<int>(a));
        ir::Layout layout = i % 2 ? ir::permuted_layout(from, order)
                                  : texel_layout(from, ir::permuted_layout(from, order), i % 4 ? 8 : 4);
        const auto result = reshaped_layout(from, layout, to);
        all++;
        if (!result) {
          EXPECT_NE(from, to) << ir::layout_text(layout);
          continue;
        }
        shown++;
        EXPECT_TRUE(shows_the_same(from, layout, to, *result));
      }
  EXPECT_GT(shown, all / 4);
}

// Given a matrix of 64 columns in blocks of a texture, when its columns become two heads of 32, then the blocks stay; heads in the middle of memory become
// no columns in one piece.
TEST(ViewLayouts, HeadsOfAMatrixInBlocks) {
  const ir::Shape matrix{1, 16, 64}, heads{1, 16, 2, 32};
  const ir::Layout natural = texel_layout(matrix, {});
  const auto split = reshaped_layout(matrix, natural, heads);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->layers, natural.layers);
  EXPECT_TRUE(shows_the_same(matrix, natural, heads, *split));
  EXPECT_EQ(ir::physical_shape(matrix, *reshaped_layout(heads, *split, matrix)), ir::physical_shape(matrix, natural));
}

// Given rows with padding behind them, when they are joined with the axis outside, then nothing shows them.
TEST(ViewLayouts, GapsAreNotJoined) {
  const ir::Shape rows{4, 6}, all{24};
  EXPECT_FALSE(reshaped_layout(rows, texel_layout(rows, {}), all).has_value());
}

// Given a layout, when axes are transposed, then element [i, j, k] of the one is [j, k, i] of the other.
TEST(ViewLayouts, ATransposeRenamesAxes) {
  const ir::Shape from{4, 6, 8}, to{6, 8, 4};
  const ir::Layout layout = texel_layout(from, {}), shown = transposed_layout(layout, {1, 2, 0});
  for (int64_t i = 0; i < ir::element_count(from); i++) {
    const Index at = index_at(from, i);
    EXPECT_EQ(ir::physical_offset(from, layout, at), ir::physical_offset(to, shown, {at[1], at[2], at[0]}));
  }
}

// Given tensors without elements, and of more than can be counted, when their moves are looked at, then nothing is divided by nothing, and none is
// a view by its layout.
TEST(ViewLayouts, EmptyAndEndlessTensorsAreLeftAlone) {
  for (const int64_t size : {int64_t{0}, int64_t{1} << 61}) {
    for (const ir::Medium medium : {ir::Medium::kBuffer, ir::Medium::kTexture2D}) {
      Graph graph;
      graph.medium = medium;
      const auto value = [&](ir::Shape shape) {
        return graph.add_value({"v", ir::DType::kF32, std::move(shape), true});
      };
      const ValueId x = value({2, size, 3}), turned = value({size, 2, 3}), joined = value({2, 3, size});
      graph.inputs = {x};
      graph.outputs = {joined};
      graph.nodes.push_back({"", "Transpose", {x}, {turned}, {{"perm", std::vector<int64_t>{1, 0, 2}}}});
      graph.nodes.push_back({"", "Reshape", {turned}, {joined}, {}});
      EXPECT_TRUE(choose_layouts(graph).views.empty()) << size;
    }
  }
}

}  // namespace
}  // namespace hone::graph
