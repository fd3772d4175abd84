#include "codegen/te/ops/movement.h"

#include <algorithm>
#include <string>

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

std::vector<Axis> axes_for(Builder& b, const Shape& shape) { return b.axes(map_axis_names(b, shape, {}), shape); }

// A negative position counts from the end. A sum of one positive and one negative number at most, so that no position overflows.
Sym counted_from_front(Builder& b, Sym position, int64_t extent) {
  return position + select(position < 0.0, b.index(extent), b.index(0));
}

}  // namespace

Result<Tensor> transpose(Builder& b, Tensor x, const std::vector<int64_t>& order) {
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < sorted.size(); d++)
    if (sorted[d] != static_cast<int64_t>(d) || sorted.size() != x->shape.size())
      return bad_model("perm is not a permutation of the dimensions");
  if (order.size() != x->shape.size()) return bad_model("perm is not a permutation of the dimensions");
  Shape shape;
  for (int64_t d : order) shape.push_back(x->shape[static_cast<size_t>(d)]);
  const std::vector<Axis> axes = axes_for(b, shape);
  std::vector<Sym> index(order.size());
  for (size_t d = 0; d < order.size(); d++) index[static_cast<size_t>(order[d])] = b.sym(axes[d]);
  return b.map("transpose", axes, b.at(x, index));
}

Result<Tensor> concat(Builder& b, const std::vector<Tensor>& parts, int64_t axis) {
  Shape shape = parts[0]->shape;
  const size_t along = static_cast<size_t>(axis);
  if (along >= shape.size()) return bad_model(cat("axis ", axis, " is out of range for shape ", shape_text(shape)));
  shape[along] = 0;
  std::vector<Tensor> filled;
  for (Tensor part : parts) {
    Shape rest = part->shape;
    if (rest.size() == shape.size()) rest[along] = shape[along];
    if (rest != shape || part->dtype != parts[0]->dtype)
      return bad_model(cat("a tensor of shape ", shape_text(part->shape), " does not fit ", shape_text(parts[0]->shape),
                           " along axis ", axis));
    shape[along] += part->shape[along];
    if (part->shape[along] > 0) filled.push_back(part);
  }
  if (filled.empty()) filled = {parts[0]};
  const std::vector<Axis> axes = axes_for(b, shape);
  const std::vector<Sym> index = b.syms(axes);
  // From the last part to the first: select(i < end of part 0, part 0, select(i < end of part 1, …)).
  int64_t begin = shape[along] - filled.back()->shape[along];
  Sym value;
  for (size_t i = filled.size(); i-- > 0;) {
    std::vector<Sym> at = index;
    if (begin > 0) at[along] = index[along] - double(begin);
    const Sym part = b.at(filled[i], at);
    value = i + 1 == filled.size() ? part : select(index[along] < double(begin + filled[i]->shape[along]), part, value);
    if (i > 0) begin -= filled[i - 1]->shape[along];
  }
  return b.map("concat", axes, value);
}

Tensor slice(Builder& b, Tensor x, const Slice& s) {
  const std::vector<Axis> axes = axes_for(b, s.shape);
  std::vector<Sym> index;
  for (size_t d = 0; d < axes.size(); d++) index.push_back(b.sym(axes[d]) * double(s.step[d]) + double(s.begin[d]));
  return b.map("slice", axes, b.at(x, index));
}

Result<Tensor> pad(Builder& b, Tensor x, const PadParams& params) {
  const size_t rank = x->shape.size();
  if (params.begin.size() != rank || params.end.size() != rank)
    return bad_model(cat("expected pads for each of ", rank, " dimensions"));
  Shape shape = x->shape;
  for (size_t d = 0; d < rank; d++) {
    for (int64_t by : {params.begin[d], params.end[d]})
      if (by < -kExtentMax || by > kExtentMax) return bad_model(cat("a pad of ", by, " is out of range"));
    shape[d] += params.begin[d] + params.end[d];
    if (shape[d] < 0) return bad_model(cat("pads cut dimension ", d, " to a negative extent"));
    const int64_t reach = std::max(params.begin[d], params.end[d]);
    if (reach > 0 && params.border == Border::kReflect && reach >= x->shape[d])
      return bad_model(cat("a reflection of ", reach, " elements does not fit dimension ", d));
    const bool reads_within = params.border == Border::kEdge || params.border == Border::kWrap;
    if (reach > 0 && reads_within && x->shape[d] == 0) return bad_model("an empty dimension has no edge");
    if (params.border == Border::kWrap && shape[d] + x->shape[d] > kExtentMax)
      return bad_model(cat("dimension ", d, " is too long to wrap"));
  }
  const std::vector<Axis> axes = axes_for(b, shape);
  std::vector<Sym> index = b.syms(axes);
  Sym inside = b.constant(DType::kBool, 1);
  for (size_t d = 0; d < rank; d++) {
    const double last = double(x->shape[d] - 1);
    Sym at = params.begin[d] == 0 ? index[d] : index[d] - double(params.begin[d]);
    if (params.border == Border::kReflect) {
      if (params.begin[d] > 0) at = max(at, -at);
      if (params.end[d] > 0) at = min(at, 2 * last - at);
      at = min(max(at, 0.0), last);  // changes nothing; it proves the bounds
    } else if (params.border == Border::kWrap) {
      const int64_t extent = x->shape[d], reach = std::max(params.begin[d], params.end[d]);
      if (reach > 0) at = (index[d] + double((extent - params.begin[d] % extent) % extent)) % double(extent);
    } else if (params.border == Border::kEdge) {
      at = min(max(at, 0.0), last);
    } else {
      if (params.begin[d] > 0) inside = both(inside, 0.0 <= at);
      if (params.end[d] > 0) inside = both(inside, at < double(x->shape[d]));
    }
    index[d] = at;
  }
  const Sym value = b.at(x, index);
  return b.map("pad", axes,
               params.border == Border::kConstant ? select(inside, value, b.constant(x->dtype, params.fill)) : value);
}

Result<Tensor> expand(Builder& b, Tensor x, const Shape& shape) {
  HONE_ASSIGN(wide, broadcast_shapes(x->shape, shape));
  const std::vector<Axis> axes = axes_for(b, wide);
  return b.map("expand", axes, b.at(x, broadcast_index(b, b.syms(axes), x->shape)));
}

Result<Tensor> gather(Builder& b, Tensor x, Tensor indices, int64_t axis) {
  const size_t along = static_cast<size_t>(axis);
  if (along >= x->shape.size())
    return bad_model(cat("axis ", axis, " is out of range for shape ", shape_text(x->shape)));
  if (!ir::is_int(indices->dtype)) return bad_model("indices must be integers");
  const int64_t extent = x->shape[along];
  Shape shape(x->shape.begin(), x->shape.begin() + axis);
  shape.insert(shape.end(), indices->shape.begin(), indices->shape.end());
  shape.insert(shape.end(), x->shape.begin() + axis + 1, x->shape.end());
  if (extent == 0 && ir::element_count(shape) > 0) return bad_model("an empty dimension has no elements to gather");
  const std::vector<Axis> axes = axes_for(b, shape);
  const std::vector<Sym> at = b.syms(axes);
  const auto middle = at.begin() + axis, inner = middle + static_cast<std::ptrdiff_t>(indices->shape.size());
  const Sym position = cast(DType::kIndex, b.at(indices, {middle, inner}));
  const Sym wrapped = counted_from_front(b, position, extent);
  std::vector<Sym> index(at.begin(), middle);
  index.push_back(max(min(wrapped, double(extent - 1)), 0.0));
  index.insert(index.end(), inner, at.end());
  return b.map("gather", axes, b.at(x, index));
}

Result<Tensor> gather_elements(Builder& b, Tensor x, Tensor indices, int64_t axis) {
  const size_t along = static_cast<size_t>(axis);
  if (along >= x->shape.size() || indices->shape.size() != x->shape.size())
    return bad_model("indices and input differ in rank");
  if (!ir::is_int(indices->dtype)) return bad_model("indices must be integers");
  for (size_t d = 0; d < x->shape.size(); d++)
    if ((d != along && indices->shape[d] > x->shape[d]) || (x->shape[d] == 0 && ir::element_count(indices->shape) > 0))
      return bad_model(cat("indices of shape ", shape_text(indices->shape), " reach beyond an input of shape ",
                           shape_text(x->shape)));
  const std::vector<Axis> axes = axes_for(b, indices->shape);
  std::vector<Sym> index = b.syms(axes);
  const Sym position = cast(DType::kIndex, b.at(indices, index));
  const Sym wrapped = counted_from_front(b, position, x->shape[along]);
  index[along] = max(min(wrapped, double(x->shape[along] - 1)), 0.0);
  return b.map("gather", axes, b.at(x, index));
}

Result<Tensor> gather_tuples(Builder& b, Tensor x, Tensor indices, int64_t batch) {
  const int64_t rank = static_cast<int64_t>(x->shape.size()), of_indices = static_cast<int64_t>(indices->shape.size());
  if (!ir::is_int(indices->dtype)) return bad_model("indices must be integers");
  const int64_t tuple = of_indices > batch ? indices->shape.back() : 0;
  if (batch < 0 || tuple < 1 || tuple > rank - batch || !std::equal(x->shape.begin(), x->shape.begin() + batch, indices->shape.begin()))
    return bad_model(cat("indices of shape ", shape_text(indices->shape), " do not fit an input of shape ", shape_text(x->shape), " with ", batch, " shared dimensions"));
  Shape shape(indices->shape.begin(), indices->shape.end() - 1);
  shape.insert(shape.end(), x->shape.begin() + batch + tuple, x->shape.end());
  if (ir::element_count(x->shape) == 0 && ir::element_count(shape) > 0) return bad_model("an empty dimension has no elements to gather");
  const std::vector<Axis> axes = axes_for(b, shape);
  const std::vector<Sym> at = b.syms(axes);
  std::vector<Sym> index(at.begin(), at.begin() + batch), place(at.begin(), at.begin() + of_indices - 1);
  place.push_back(b.index(0));
  for (int64_t i = 0; i < tuple; i++) {
    place.back() = b.index(i);
    const int64_t extent = x->shape[static_cast<size_t>(batch + i)];
    const Sym wrapped = counted_from_front(b, cast(DType::kIndex, b.at(indices, place)), extent);
    index.push_back(max(min(wrapped, double(extent - 1)), 0.0));
  }
  index.insert(index.end(), at.begin() + of_indices - 1, at.end());
  return b.map("gather", axes, b.at(x, index));
}

Result<Tensor> centered(Builder& b, Tensor x, const Shape& shape) {
  if (shape.size() != x->shape.size()) return bad_model(cat("a shape of rank ", shape.size(), " does not fit an input of shape ", shape_text(x->shape)));
  const std::vector<Axis> axes = axes_for(b, shape);
  std::vector<Sym> index = b.syms(axes);
  Sym inside = b.constant(DType::kBool, 1);
  for (size_t d = 0; d < shape.size(); d++) {
    const int64_t more = shape[d] - x->shape[d], before = more > 0 ? more / 2 : -(-more / 2);
    if (before != 0) index[d] = index[d] - double(before);
    if (more > 0) inside = both(inside, both(0.0 <= index[d], index[d] < double(x->shape[d])));
  }
  const Sym value = b.at(x, index);
  return b.map("centered", axes, select(inside, value, b.constant(x->dtype, 0)));
}

Result<Tensor> reverse_starts(Builder& b, Tensor x, Tensor lengths, int64_t time, int64_t batch) {
  const auto rank = static_cast<int64_t>(x->shape.size());
  if (time == batch || time >= rank || batch >= rank || lengths->shape != Shape{x->shape[static_cast<size_t>(batch)]} || !ir::is_int(lengths->dtype))
    return bad_model(cat("lengths of shape ", shape_text(lengths->shape), " do not fit an input of shape ", shape_text(x->shape)));
  const std::vector<Axis> axes = axes_for(b, x->shape);
  std::vector<Sym> index = b.syms(axes);
  const double extent = double(x->shape[static_cast<size_t>(time)]), last = std::max(extent - 1, 0.0);
  const Sym at = index[static_cast<size_t>(time)], given = cast(DType::kIndex, b.at(lengths, {index[static_cast<size_t>(batch)]}));
  const Sym length = max(min(given, extent), 0.0);
  index[static_cast<size_t>(time)] = max(min(select(at < length, length - 1.0 - at, at), last), 0.0);
  return b.map("reversed", axes, b.at(x, index));
}

Result<Tensor> triangle(Builder& b, Tensor x, const Triangle& t) {
  const size_t rank = x->shape.size();
  if (rank < 2) return bad_model("expected matrices");
  const double diagonal = double(std::clamp<int64_t>(t.diagonal, -x->shape[rank - 2], x->shape[rank - 1]));
  const std::vector<Axis> axes = axes_for(b, x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym row = index[rank - 2] + diagonal, column = index[rank - 1];
  const Sym kept = t.upper ? row <= column : column <= row;
  const Sym value = b.at(x, index);
  return b.map("triangle", axes, select(kept, value, b.constant(x->dtype, 0)));
}

Tensor one_hot(Builder& b, Tensor indices, const OneHot& params) {
  Shape shape = indices->shape;
  shape.insert(shape.begin() + params.axis, params.depth);
  const std::vector<Axis> axes = axes_for(b, shape);
  std::vector<Sym> index = b.syms(axes);
  const Sym here = index[static_cast<size_t>(params.axis)];
  index.erase(index.begin() + params.axis);
  const Sym position = cast(DType::kIndex, b.at(indices, index));
  const Sym wrapped = counted_from_front(b, position, params.depth);
  return b.map("one_hot", axes,
               select(wrapped == here, b.constant(params.dtype, params.on), b.constant(params.dtype, params.off)));
}

Tensor tile(Builder& b, Tensor x, const std::vector<int64_t>& times) {
  Shape shape = x->shape;
  for (size_t d = 0; d < shape.size(); d++) shape[d] *= times[d];
  const std::vector<Axis> axes = axes_for(b, shape);
  std::vector<Sym> index = b.syms(axes);
  for (size_t d = 0; d < index.size(); d++)
    if (times[d] != 1) index[d] = index[d] % double(std::max<int64_t>(x->shape[d], 1));
  return b.map("tile", axes, b.at(x, index));
}

}  // namespace hone::te
