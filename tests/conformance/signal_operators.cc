// Transforms of signals, and what is read at places computed from inputs.
#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

Graph causal_conv(std::string_view op, Draw& d) {
  Shape x = {d.extent(3), d.extent(8), d.extent(17)};
  const int64_t kernel = d.between(1, 4);
  if (d.role() == Role::kEmpty) x[0] = 0;
  if (d.role() == Role::kUnit) x[2] = 1;
  if (d.role() == Role::kDeep) x[2] = d.between(1024, 2048);
  OneNode node(op, 27);
  node.input(x).weights({x[1], 1, kernel});
  if (d.coin()) node.weights({x[1]});
  else node.no_input();
  if (d.coin()) node.input({x[0], x[1], kernel - 1});
  return node.set("activation", d.any_of({"none", "silu"})).with_outputs(2);
}

Graph cosine_window(std::string_view op, Draw& d) {
  return OneNode(op).constant(DType::kI64, {}, {static_cast<double>(d.role() == Role::kDeep ? 2048 : d.role() == Role::kEmpty ? 0 : d.role() == Role::kUnit ? 1 : d.between(3, 33))}).set("periodic", d.coin());
}

Graph fourier(std::string_view op, Draw& d) {
  const bool inverse = d.coin(), onesided = d.coin();
  Shape x = {d.extent(3), d.extent(17), inverse || d.coin() ? 2 : 1};
  if (d.role() == Role::kDeep) x = {1, d.between(256, 300), 2};
  if (d.role() == Role::kUnit) x[1] = 1;
  if (d.role() == Role::kEmpty) x[0] = 0;
  OneNode node(op, 20);
  node.input(x);
  node.integers({inverse && onesided ? std::max<int64_t>(1, 2 * (x[1] - 1)) : d.between(1, 2 * x[1])}).constant(DType::kI64, {}, {1});
  return node.set("inverse", inverse).set("onesided", onesided);
}

Graph framed_fourier(std::string_view op, Draw& d) {
  const int64_t length = d.extent(16), samples = length + d.extent(33);
  OneNode node(op);
  node.input({d.role() == Role::kEmpty ? 0 : d.extent(3), samples, d.between(1, 2)}).constant(DType::kI64, {}, {static_cast<double>(d.between(1, 5))});
  if (d.coin()) node.weights({length});
  else node.no_input().constant(DType::kI64, {}, {static_cast<double>(length)});
  return node.set("onesided", d.coin());
}

Graph overlap_add(std::string_view op, Draw& d) {
  const int64_t kernel = d.between(1, 3), stride = d.between(1, 2), pad = d.below(2), dilation = d.between(1, 2), positions = d.between(1, 4);
  const int64_t image = (positions - 1) * stride + (kernel - 1) * dilation + 1 - 2 * pad;
  if (image < 1) return overlap_add(op, d);
  OneNode node(op);
  node.input({d.role() == Role::kEmpty ? 0 : d.extent(3), d.extent(5) * kernel * kernel, positions * positions}).integers({image, image}).integers({kernel, kernel});
  return node.set("strides", Integers{stride, stride}).set("pads", Integers{pad, pad, pad, pad}).set("dilations", Integers{dilation, dilation});
}

// Places that lie within and beyond an image, and are sums of few powers of two.
std::vector<double> places(Draw& d, int64_t count, double low, double high) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<double>(d.between(static_cast<int64_t>(low * 64), static_cast<int64_t>(high * 64))) / 64);
  return out;
}

Graph affine_grid(std::string_view op, Draw& d) {
  const int64_t images = d.role() == Role::kEmpty ? 0 : d.extent(3), rank = d.between(2, 3);
  Integers size = {images, 1};
  for (int64_t i = 0; i < rank; ++i) size.push_back(d.between(2, 7));
  return OneNode(op, 20).input({images, rank, rank + 1}).integers(size).set("align_corners", d.coin());
}

Graph grid_sample(std::string_view op, Draw& d) {
  const int64_t rank = d.between(1, 3);
  Shape x = {d.role() == Role::kEmpty ? 0 : d.between(1, 2), d.extent(3)}, grid = {x[0]};
  for (int64_t i = 0; i < rank; ++i) x.push_back(d.between(2, 6)), grid.push_back(d.between(1, 5));
  if (d.role() == Role::kUnit) grid[1] = 1;
  if (d.role() == Role::kDeep) grid[1] = d.between(256, 512);
  grid.push_back(rank);
  const int64_t count = ir::element_count(grid);
  OneNode node(op, 22);
  node.input(x).constant(DType::kF32, grid, places(d, count, -1.5, 1.5));
  return node.set("mode", d.any_of({"linear", "nearest", "cubic"})).set("padding_mode", d.any_of({"zeros", "border", "reflection"})).set("align_corners", d.coin());
}

Graph deformed_conv(std::string_view op, Draw& d) {
  const int64_t images = d.role() == Role::kEmpty ? 0 : d.between(1, 2), channels = 2 * d.between(1, 2), kernel = d.between(1, 3), groups = d.between(1, 2), extent = d.between(3, 6);
  const Shape x = {images, channels, extent, extent};
  const int64_t positions = extent - kernel + 3, taps = kernel * kernel, offset_groups = d.between(1, 2);
  const Shape offsets = {images, offset_groups * taps * 2, positions, positions}, mask = {images, offset_groups * taps, positions, positions};
  OneNode node(op, 19);
  node.input(x).weights({2 * groups, channels / groups, kernel, kernel}).constant(DType::kF32, offsets, places(d, ir::element_count(offsets), -2, 2));
  if (d.coin()) node.weights({2 * groups});
  else node.no_input();
  if (d.coin()) node.input(mask);
  return node.set("group", groups).set("offset_group", offset_groups).set("pads", Integers{1, 1, 1, 1});
}

Graph pooled_regions(std::string_view op, Draw& d) {
  const Shape x = {d.between(1, 2), d.extent(3), d.between(2, 7), d.between(2, 7)};
  const int64_t regions = d.role() == Role::kEmpty ? 0 : d.between(1, 3);
  OneNode node(op, 16);
  std::vector<double> corners;
  for (int64_t r = 0; r < regions; ++r)
    for (double c : {places(d, 1, 0, 3)[0], places(d, 1, 0, 3)[0], places(d, 1, 3, 9)[0], places(d, 1, 3, 9)[0]}) corners.push_back(c);
  node.input(x).constant(DType::kF32, {regions, 4}, corners).input({regions}, DType::kI64);
  node.set("output_height", d.between(1, 4)).set("output_width", d.between(1, 4)).set("sampling_ratio", d.between(0, 2)).set("mode", d.any_of({"avg", "max"}));
  return node.set("coordinate_transformation_mode", d.any_of({"half_pixel", "output_half_pixel"}));
}

}  // namespace

std::vector<Operator> signal_operators() {
  return {
      {"AffineGrid", affine_grid},
      {"BlackmanWindow", cosine_window},
      {"CausalConvWithState", causal_conv},
      {"Col2Im", overlap_add},
      {"DFT", fourier},
      {"DeformConv", deformed_conv},
      {"GridSample", grid_sample},
      {"HammingWindow", cosine_window},
      {"HannWindow", cosine_window},
      {"RoiAlign", pooled_regions},
      {"STFT", framed_fourier},
  };
}

}  // namespace hone::conformance
