// Operators that read at places computed from their inputs.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/sampling.h"

namespace hone::graph {

using te::Tensor;

Emitted emit_grid_sample(const OpCall& call) {
  te::GridSampling sampling{.corners = call.integer("align_corners", 0) != 0};
  const std::string mode = call.text("mode", "linear"), beyond = call.text("padding_mode", "zeros");
  if (mode == "nearest") sampling.blend = te::Blend::kNearest;
  else if (mode == "cubic" || mode == "bicubic") sampling.blend = te::Blend::kCubic;
  else if (mode != "linear" && mode != "bilinear") return bad_node(cat("mode '", mode, "' is not defined; expected linear, nearest or cubic"));
  if (beyond == "border") sampling.beyond = te::Beyond::kEdge;
  else if (beyond == "reflection") sampling.beyond = te::Beyond::kReflect;
  else if (beyond != "zeros") return bad_node(cat("padding_mode '", beyond, "' is not defined; expected zeros, border or reflection"));
  const Tensor x = call.tensor(0, "X"), grid = call.tensor(1, "grid");
  return one_output(te::sample_at(call.b, x, grid, sampling));
}

Emitted emit_affine_grid(const OpCall& call) {
  HONE_ASSIGN(size, call.integers(size_t{1}));
  const Shape& theta = call.value(0).shape;
  if (size.size() < 3 || theta.empty() || size[0] != theta[0]) return bad_node(cat("a size of ", te::shape_text(size), " does not fit matrices of shape ", te::shape_text(theta)));
  for (int64_t extent : size) HONE_TRY(check_range("an extent of its size", extent, 0, te::kExtentMax));
  return one_output(te::affine_grid(call.b, call.tensor(0, "theta"), Shape(size.begin() + 2, size.end()), call.integer("align_corners", 0) != 0));
}

Emitted emit_deformed_conv(const OpCall& call) {
  te::DeformedWindow window;
  HONE_ASSIGN(conv, conv_params(call));
  window.conv = conv;
  window.offset_groups = call.integer("offset_group", 1);
  const Tensor x = call.tensor(0, "X"), w = call.tensor(1, "W");
  window.offsets = call.tensor(2, "offsets");
  const Tensor bias = call.has_input(3) ? call.tensor(3, "B") : nullptr;
  if (call.has_input(4)) window.mask = call.tensor(4, "mask");
  HONE_ASSIGN(y, te::deformed_conv(call.b, x, w, window));
  return bias ? one_output(te::add_channel_bias(call.b, y, bias)) : std::vector<Tensor>{y};
}

Emitted emit_pooled_regions(const OpCall& call) {
  te::RegionSampling sampling{.height = call.integer("output_height", 1), .width = call.integer("output_width", 1), .samples = call.integer("sampling_ratio", 0)};
  sampling.scale = call.number("spatial_scale", 1);
  const std::string mode = call.text("mode", "avg"), pixels = call.text("coordinate_transformation_mode", call.graph.opset < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "avg" && mode != "max") return bad_node(cat("mode '", mode, "' is not defined; expected avg or max"));
  if (pixels != "half_pixel" && pixels != "output_half_pixel") return bad_node(cat("coordinate_transformation_mode '", pixels, "' is not defined; expected half_pixel or output_half_pixel"));
  sampling.largest = mode == "max";
  sampling.half_pixel = pixels == "half_pixel";
  const Tensor x = call.tensor(0, "X"), regions = call.tensor(1, "regions"), images = call.tensor(2, "images");
  return one_output(te::pooled_regions(call.b, x, regions, images, sampling));
}

}  // namespace hone::graph
