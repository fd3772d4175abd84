#include "codegen/target/texture_form.h"

#include <gtest/gtest.h>

namespace hone::target {
namespace {

TextureForm form_of(const ir::Shape& shape, const ir::Layout& layout = {}) {
  const auto form = texture_form(shape, whole_texels(shape, layout), webgl_default().limits);
  EXPECT_TRUE(form.ok()) << form.error().message;
  return form.ok() ? *form : TextureForm{};
}

// Given tensors without elements, when they are laid out, then their texture has texels, as there is none without.
TEST(TextureForm, NoElements) {
  EXPECT_EQ(form_of({0, 5}).texture, (ir::Texture{2, 1, 1}));
  EXPECT_EQ(form_of({8, 0}).texture, (ir::Texture{2, 1, 1}));
}

// Given rows of 33 numbers, when they are laid out in texels, then each row has 36.
TEST(TextureForm, RowsAreWholeTexels) {
  const ir::Layout layout = whole_texels({5, 33}, {});
  ASSERT_EQ(layout.dims.size(), 2u);
  EXPECT_EQ(layout.dims[1].size, 36);
  EXPECT_EQ(form_of({5, 33}).texture, (ir::Texture{9, 5, 1}));
}

// Given tensors of several axes, when they become textures, then these are cut between axes, as square as may be; a long single row is cut
// into several, whose width is a power of two.
TEST(TextureForm, CutsBetweenAxes) {
  EXPECT_EQ(form_of({512, 512}).texture, (ir::Texture{128, 512, 1}));
  EXPECT_EQ(form_of({1, 56, 56, 64}).texture, (ir::Texture{896, 56, 1}));
  EXPECT_EQ(form_of({1000}).texture, (ir::Texture{16, 16, 1}));
  EXPECT_EQ(form_of({1000}).rows, -1);
}

// Given a layout with layers, when it becomes a texture, then each layer is full: what follows is the next one's.
TEST(TextureForm, LayersAreFull) {
  ir::Layout layout;
  layout.dims = {{1, 4, 2}, {0, 1, 1}, {1, 8, 26}, {1, 1, 4}};
  layout.layers = 1;
  const ir::Texture texture = form_of({1, 208}, layout).texture;
  EXPECT_EQ(texture.layers, 2);
  EXPECT_EQ(texture.width * texture.height, 26);
}

// Given a layout whose last two parts are two elements of two axes that go on, when it becomes a texture, then each texel is such a square.
TEST(TextureForm, SquaresAreTexels) {
  ir::Layout layout;
  layout.dims = {{0, 2, 3}, {1, 2, 4}, {0, 1, 2}, {1, 1, 2}};
  EXPECT_TRUE(in_squares(layout));
  EXPECT_EQ(form_of({6, 8}, layout).texture, (ir::Texture{4, 3, 1}));
  // Given two whole axes of two elements instead, then their rows are filled up.
  layout.dims = {{0, 1, 6}, {1, 1, 2}, {2, 1, 2}};
  EXPECT_FALSE(in_squares(layout));
  EXPECT_EQ(form_of({6, 2, 2}, layout).texture, (ir::Texture{2, 6, 1}));
}

// Given a tensor that no texture of the device holds, when its form is asked for, then the refusal says what it needs and what there is.
TEST(TextureForm, RefusesWhatNoTextureHolds) {
  const auto form = texture_form({8192, 8192}, whole_texels({8192, 8192}, {}), webgl_default().limits);
  ASSERT_FALSE(form.ok());
  EXPECT_EQ(form.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(form.error().message.find("2048x2048"), std::string::npos) << form.error().message;
}

}  // namespace
}  // namespace hone::target
