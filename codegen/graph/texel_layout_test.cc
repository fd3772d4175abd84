#include "codegen/graph/texel_layout.h"

#include <gtest/gtest.h>

#include "codegen/graph/choose_layouts.h"

namespace hone::graph {
namespace {

int64_t layers(const ir::Shape& shape, const ir::Layout& base, int64_t layers_max = target::kRenderTargets) {
  const ir::Layout layout = texel_layout(shape, base, layers_max);
  int64_t all = 1;
  for (int d = 0; d < layout.layers; d++) all *= layout.dims[static_cast<size_t>(d)].size;
  return all;
}

// Given the values of a convolution and of an encoder, when they are laid out for textures, then blocks of 4 pixels or rows and 2 texels lie
// in eight layers; of seven pixels a quarter block is waste that pays, of three it is not.
TEST(TexelLayout, BlocksOfLargeTensorsLieInLayers) {
  EXPECT_EQ(layers({1, 64, 56, 56}, channels_last({1, 64, 56, 56})), 8);
  EXPECT_EQ(layers({1, 512, 7, 7}, channels_last({1, 512, 7, 7})), 8);
  EXPECT_EQ(layers({128, 512}, {}), 8);
  EXPECT_EQ(layers({3, 4096}, {}), 2);
  EXPECT_EQ(layers({4, 4}, {}), 1);
}

// Given the same values and a device whose fragments write four texels, when they are laid out, then no block is larger: 4 rows, or 2 texels of few
// rows.
TEST(TexelLayout, BlocksAreNoLargerThanWhatAFragmentWrites) {
  EXPECT_EQ(layers({1, 64, 56, 56}, channels_last({1, 64, 56, 56}), 4), 4);
  EXPECT_EQ(layers({128, 512}, {}, 4), 4);
  EXPECT_EQ(layers({3, 4096}, {}, 4), 2);
  EXPECT_EQ(layers({128, 512}, {}, 16), 8);
}

// Given a value that the host uploads, when it is laid out, then it has no layers.
TEST(TexelLayout, UploadsHaveNoLayers) { EXPECT_EQ(texel_layout({128, 512}, {}, 1).layers, 0); }

// Given views, when their layouts are compared, then one that only drops axes of one element shows the same texels, one that regroups does not.
TEST(TexelLayout, ViewsThatKeepTheTexels) {
  const auto same = [](const ir::Shape& a, const ir::Layout& of_a, const ir::Shape& b) {
    return same_texels(a, texel_layout(a, of_a), b, texel_layout(b, {}));
  };
  EXPECT_TRUE(same({1, 512, 1, 1}, channels_last({1, 512, 1, 1}), {1, 512}));
  EXPECT_FALSE(same({1, 64, 7, 7}, channels_last({1, 64, 7, 7}), {1, 3136}));
}

}  // namespace
}  // namespace hone::graph
