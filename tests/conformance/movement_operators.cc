// Operators that put elements in other places, and views.
#include <algorithm>

#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

Integers from_each(const Shape& shape, auto&& value) {
  Integers out;
  for (int64_t extent : shape) out.push_back(value(extent));
  return out;
}

Graph concat(std::string_view op, Draw& d) {
  Shape part = d.shape(1, 5);
  const int64_t axis = d.axis(part), count = d.between(1, 4);
  const DType dtype = d.any_type();
  int64_t& extent = part[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(part.size()) : axis)];
  OneNode node(op);
  for (int64_t i = 0; i < count; ++i) {
    node.input(part, dtype).set("axis", axis);
    extent = d.below(6) ? d.extent(8) : 0;
  }
  return node;
}

Graph constant_of_shape(std::string_view op, Draw& d) {
  const DType dtype = d.number();
  return OneNode(op).integers(d.shape(0, 4)).set("value", graph::Attribute(graph::from_doubles(dtype, {1}, {7})));
}

Graph depth_to_space(std::string_view op, Draw& d) {
  const int64_t block = d.between(1, 3);
  Shape x = {d.extent(3), d.extent(5) * block * block, d.extent(5), d.extent(7)};
  if (d.role() == Role::kEmpty) x[static_cast<size_t>(d.below(4))] = 0;
  if (d.role() == Role::kUnit) x[static_cast<size_t>(d.between(2, 3))] = 1;
  return OneNode(op).input(x, d.any_type()).set("blocksize", block).set("mode", d.any_of({"DCR", "CRD"}));
}

Graph space_to_depth(std::string_view op, Draw& d) {
  const int64_t block = d.between(1, 3);
  Shape x = {d.extent(3), d.extent(7), d.extent(5) * block, d.extent(5) * block};
  if (d.role() == Role::kEmpty) x[static_cast<size_t>(d.below(4))] = 0;
  if (d.role() == Role::kUnit) x[static_cast<size_t>(d.below(2))] = 1;
  return OneNode(op).input(x, d.any_type()).set("blocksize", block).set("mode", d.any_of({"DCR", "CRD"}));
}

Graph expand(std::string_view op, Draw& d) {
  const Shape whole = d.shape(0, 5), part = d.broadcast_to(whole);
  Integers wanted = whole;
  for (size_t i = 0; i < part.size(); ++i)
    if (d.below(4) == 0 && part[part.size() - 1 - i] == wanted[wanted.size() - 1 - i])
      wanted[wanted.size() - 1 - i] = 1;
  return OneNode(op).input(part, d.any_type()).integers(wanted);
}

// Indices that are inputs lie beyond both ends, too: they wrap once and are clamped.
Graph gather(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 4);
  OneNode node(op);
  node.input(x, d.any_type()).set("axis", d.axis(x));
  Shape at = {d.extent(7), d.extent(3)};
  at.resize(static_cast<size_t>(d.below(3)));
  if (d.below(3)) return node.input(at, d.any_of({DType::kI64, DType::kI32}));
  return node.constant(DType::kI64, {}, {d.coin() ? 0.0 : -1.0});
}

Graph gather_elements(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 4);
  const int64_t axis = d.axis(x), rank = static_cast<int64_t>(x.size()), position = axis < 0 ? axis + rank : axis;
  Shape at = from_each(x, [&](int64_t e) { return e == 0 ? 0 : d.between(1, e); });
  if (x[static_cast<size_t>(position)] != 0) at[static_cast<size_t>(position)] = d.extent(8);
  return OneNode(op).input(x, d.any_type()).input(at, d.any_of({DType::kI64, DType::kI32})).set("axis", axis);
}

Graph gather_tuples(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 4);
  const int64_t rank = static_cast<int64_t>(x.size()), batch = d.below(rank), tuple = d.between(1, rank - batch);
  Shape at(x.begin(), x.begin() + batch);
  for (int64_t i = d.below(3); i > 0; --i) at.push_back(d.between(1, 3));
  at.push_back(tuple);
  if (ir::element_count(x) == 0) at.insert(at.begin() + batch, 0);
  return OneNode(op).input(x, d.any_type()).input(at, DType::kI64).set("batch_dims", batch);
}

Graph center_crop_pad(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 4);
  const Integers axes = d.axes(static_cast<int64_t>(x.size()));
  Integers wanted;
  for (int64_t axis : axes) wanted.push_back(std::max<int64_t>(0, x[static_cast<size_t>(axis)] + d.between(-3, 3)));
  return OneNode(op).input(x, d.any_type()).integers(wanted).set("axes", axes);
}

Graph reverse_sequence(std::string_view op, Draw& d) {
  const Shape x = d.shape(2, 4);
  const int64_t time = d.below(2);
  return OneNode(op).input(x, d.any_type()).input({x[static_cast<size_t>(1 - time)]}, DType::kI64).set("time_axis", time).set("batch_axis", 1 - time);
}

Graph diagonal(std::string_view op, Draw& d) {
  const Shape x = d.shape(2, 2);
  return OneNode(op).input(x, d.number()).set("k", d.between(-4, 4));
}

// Heads of their own axis or side by side, all of a head turned or a part, tables for each place or for positions.
Graph rotary_embedding(std::string_view op, Draw& d) {
  const int64_t batch = d.extent(3), heads = d.between(1, 3), sequence = d.role() == Role::kEmpty ? 0 : d.extent(8), half = d.between(1, 4), head = 2 * half + 2 * d.below(2);
  OneNode node(op, 23);
  d.coin() ? node.input({batch, heads, sequence, head}) : node.input({batch, sequence, heads * head});
  node.set("num_heads", heads).set("rotary_embedding_dim", 2 * half).set("interleaved", d.coin());
  const bool by_position = d.coin();
  const Shape table = by_position ? Shape{d.extent(5), half} : Shape{batch, sequence, half};
  node.input(table).input(table);
  return by_position ? node.input({batch, sequence}, DType::kI64) : node;
}

Graph one_hot(std::string_view op, Draw& d) {
  const Shape at = d.shape(0, 3);
  const auto rank = static_cast<int64_t>(at.size()) + 1;
  const DType dtype = d.number();
  return OneNode(op)
      .input(at, d.any_of({DType::kI64, DType::kI32}))
      .constant(DType::kI64, {}, {static_cast<double>(d.extent(8))})
      .constant(dtype, {2}, {2, 5})
      .set("axis", d.between(-rank, rank - 1));
}

// Negative pads cut off; an edge or a reflection needs elements.
Graph pad(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  const bool has_elements = ir::element_count(x) > 0;
  const char* mode = has_elements ? d.any_of({"constant", "edge", "reflect", "wrap"}) : "constant";
  const bool reflects = std::string_view(mode) == "reflect";
  Integers pads;
  for (int side = 0; side < 2; ++side)
    for (int64_t e : x) pads.push_back(d.coin() ? 0 : d.below(reflects ? std::min<int64_t>(e, 3) : 3));
  const size_t cut = static_cast<size_t>(d.below(static_cast<int64_t>(x.size())));
  if (d.below(4) == 0 && x[cut] > 2) pads[cut] = -1;
  const DType dtype = d.number();
  OneNode node(op);
  const bool last_alone = d.below(3) == 0;  // by the input `axes`
  if (last_alone) pads = {pads[x.size() - 1], pads.back()};
  node.input(x, dtype).integers(pads).set("mode", mode);
  if (last_alone || d.coin()) node.constant(dtype, {}, {3});
  return last_alone ? node.integers({-1}) : node;
}

Graph range(std::string_view op, Draw& d) {
  const DType dtype = d.any_of({DType::kF32, DType::kI32, DType::kI64});
  const double start = static_cast<double>(d.between(-5, 5)), step = d.any_of({1.0, 2.0, -3.0});
  const double count = static_cast<double>(d.role() == Role::kEmpty ? 0 : d.role() == Role::kUnit ? 1 : d.extent());
  return OneNode(op)
      .constant(dtype, {}, {start})
      .constant(dtype, {}, {start + step * count})
      .constant(dtype, {}, {step});
}

Shape resized(Draw& d) {
  Shape x = {d.extent(2), d.extent(5), d.extent(8), d.extent(8)};
  if (d.role() == Role::kEmpty) x[0] = 0;
  if (d.role() == Role::kUnit) x[static_cast<size_t>(d.between(2, 3))] = 1;
  return x;
}

Graph resize(std::string_view op, Draw& d) {
  const Shape x = resized(d);
  OneNode node(op, 18);
  node.input(x).no_input().set("mode", d.any_of({"nearest", "linear", "cubic"}));
  node.set("coordinate_transformation_mode",
           d.any_of({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners"}));
  node.set("nearest_mode", d.any_of({"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}));
  node.set("exclude_outside", d.coin()).set("antialias", d.coin());
  const int64_t choice = d.below(4);
  if (choice == 0) {
    node.set("axes", Integers{2, -1}).set("keep_aspect_ratio_policy", d.any_of({"stretch", "not_larger", "not_smaller"}));
    return node.no_input().integers({d.extent(13), d.extent(13)});
  }
  if (choice == 1)
    return node.constant(DType::kF32, {4}, {1, 1, d.any_of({0.5, 2.0, 1.5, 3.0}), d.any_of({1.0, 2.0, 0.6})});
  return node.no_input().integers({x[0], x[1], d.extent(13), d.extent(13)});
}

Graph upsample(std::string_view op, Draw& d) {
  const Shape x = resized(d);
  OneNode node(op, 9);
  node.input(x).set("mode", d.any_of({"nearest", "linear"}));
  return node.constant(DType::kF32, {4}, {1, 1, d.any_of({1.0, 2.0, 1.5}), d.any_of({1.0, 3.0, 2.5})});
}

Graph shape_of(std::string_view op, Draw& d) {
  return OneNode(op).input(d.shape(0, 5)).set("start", d.any_of({0, 0, 1, -2}));
}
Graph size_of(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5)); }

Graph slice(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  const Integers axes = d.axes(static_cast<int64_t>(x.size()));
  Integers starts, ends, steps;
  for (int64_t axis : axes) {
    const int64_t e = x[static_cast<size_t>(axis)];
    steps.push_back(d.any_of<int64_t>({1, 1, 2, 3, -1, -2}));
    starts.push_back(steps.back() > 0 ? d.between(-e - 1, e / 2) : d.between(e / 2, e + 1));
    ends.push_back(steps.back() > 0 ? d.any_of<int64_t>({INT32_MAX, e, e - 1, -1})
                                    : d.any_of<int64_t>({INT32_MIN, 0, -e}));
  }
  return OneNode(op).input(x, d.any_type()).integers(starts).integers(ends).integers(axes).integers(steps);
}

Graph split(std::string_view op, Draw& d) {
  Shape x = d.shape(1, 5);
  const int64_t axis = d.below(static_cast<int64_t>(x.size())), count = d.between(1, 3);
  int64_t& extent = x[static_cast<size_t>(axis)];
  OneNode node(op);
  if (d.below(3) == 0 && (extent + count - 1) / count * (count - 1) <= extent)  // the last part may be smaller
    return node.input(x, d.any_type()).set("axis", axis).set("num_outputs", count).with_outputs(static_cast<size_t>(count));
  if (d.coin()) {
    extent *= count;
    return node.input(x, d.any_type()).set("axis", axis).with_outputs(static_cast<size_t>(count));
  }
  const int64_t first = d.between(0, extent), second = d.between(0, extent - first);
  node.input(x, d.any_type()).integers({first, second, extent - first - second}).set("axis", axis);
  return node.with_outputs(3);
}

Graph tile(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 4);
  return OneNode(op).input(x, d.any_type()).integers(from_each(x, [&](int64_t e) {
    return e > 64 ? 1 : d.below(8) ? d.between(1, 3) : 0;
  }));
}

Graph transpose(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  OneNode node(op);
  node.input(x, d.any_type());
  return d.below(5) ? node.set("perm", d.permutation(static_cast<int64_t>(x.size()))) : node;
}

Graph triangle(std::string_view op, Draw& d) {
  OneNode node(op);
  node.input(d.shape(2, 4), d.number()).set("upper", d.coin());
  return d.coin() ? node.constant(DType::kI64, {}, {static_cast<double>(d.between(-4, 4))}) : node;
}

Graph flatten(std::string_view op, Draw& d) {
  const Shape x = d.shape(0, 5);
  return OneNode(op).input(x, d.any_type()).set("axis", d.between(0, static_cast<int64_t>(x.size())));
}

// The same extents in another order, some of them joined.
Graph reshape(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  Integers wanted;
  for (int64_t from : d.permutation(static_cast<int64_t>(x.size()))) {
    const int64_t e = x[static_cast<size_t>(from)];
    if (!wanted.empty() && d.below(3) == 0) wanted.back() *= e;
    else wanted.push_back(e);
  }
  if (d.coin() && ir::element_count(x) > 0)
    wanted[static_cast<size_t>(d.below(static_cast<int64_t>(wanted.size())))] = -1;
  return OneNode(op).input(x, d.any_type()).integers(wanted).set("allowzero", true);
}

Graph squeeze(std::string_view op, Draw& d) {
  Shape x = d.shape(0, 3);
  const int64_t at = d.below(static_cast<int64_t>(x.size()) + 1);
  x.insert(x.begin() + at, 1);
  OneNode node(op);
  node.input(x, d.any_type());
  return d.coin() ? node.integers({at}) : node;
}

Graph unsqueeze(std::string_view op, Draw& d) {
  const Shape x = d.shape(0, 3);
  const auto rank = static_cast<int64_t>(x.size());
  return OneNode(op).input(x, d.any_type()).integers(d.coin() ? Integers{d.between(0, rank)} : Integers{rank + 1, 0});
}

}  // namespace

std::vector<Operator> movement_operators() {
  return {
      {"CenterCropPad", center_crop_pad, kBits},
      {"Concat", concat, kBits},
      {"ConstantOfShape", constant_of_shape, kBits},
      {"DepthToSpace", depth_to_space, kBits},
      {"Expand", expand, kBits},
      {"EyeLike", diagonal},
      {"Flatten", flatten, kBits},
      {"Gather", gather, kBits},
      {"GatherElements", gather_elements, kBits},
      {"GatherND", gather_tuples, kBits},
      {"OneHot", one_hot, kBits},
      {"Pad", pad, kBits},
      {"Range", range, kExact},
      {"Reshape", reshape, kBits},
      {"Resize", resize},
      {"ReverseSequence", reverse_sequence, kBits},
      {"RotaryEmbedding", rotary_embedding},
      {"Shape", shape_of},
      {"Size", size_of},
      {"Slice", slice, kBits},
      {"SpaceToDepth", space_to_depth, kBits},
      {"Split", split, kBits},
      {"Squeeze", squeeze, kBits},
      {"Tile", tile, kBits},
      {"Transpose", transpose, kBits},
      {"Trilu", triangle, kBits},
      {"Unsqueeze", unsqueeze, kBits},
      {"Upsample", upsample},
  };
}

}  // namespace hone::conformance
