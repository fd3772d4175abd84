#include "codegen/te/ops/overlap_add.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::te {

Result<Tensor> overlap_add(Builder& b, Tensor x, const Shape& image, const Window& wanted) {
  const size_t rank = image.size();
  if (rank < 1 || rank > 3) return bad_model(cat("an image of ", rank, " dimensions is not supported; expected 1 to 3"));
  HONE_ASSIGN(window, complete_window(wanted, rank));
  HONE_ASSIGN(positions, window_positions(image, window));
  const auto exceeds = [](const Shape& shape) {
    double count = 1;
    for (int64_t extent : shape) count *= double(extent);
    return count > double(kExtentMax);
  };
  if (exceeds(window.kernel) || exceeds(positions)) return bad_model("windows and positions of an image are more than 32 bits count");
  const int64_t taps = ir::element_count(window.kernel);
  if (x->shape.size() != 3 || x->shape[1] % taps != 0 || x->shape[2] != ir::element_count(positions))
    return bad_model(cat("columns of shape ", shape_text(x->shape), " do not fit windows of ", taps, " elements at ", shape_text(positions), " positions"));
  Shape shape{x->shape[0], x->shape[1] / taps};
  std::vector<std::string> names{"n", "c"}, near;
  for (size_t d = 0; d < rank; d++) shape.push_back(image[d]), names.push_back(cat("i", d)), near.push_back(cat("r", d));
  const std::vector<Axis> axes = b.axes(names, shape), reduce_axes = b.axes(near, window.kernel);
  const std::vector<Sym> at = b.syms(axes), r = b.syms(reduce_axes);
  Sym meets = b.constant(DType::kBool, 1), tap = b.index(0), position = b.index(0);
  for (size_t d = 0; d < rank; d++) {
    const Sym from = at[2 + d] + double(window.pad_begin[d]) - r[d] * double(window.dilation[d]);
    const Sym place = from / double(window.stride[d]), last = b.index(positions[d] - 1);
    meets = both(meets, both(both(0.0 <= from, place <= last), from % double(window.stride[d]) == 0.0));
    tap = tap * double(window.kernel[d]) + r[d];
    position = position * double(positions[d]) + max(min(place, last), 0.0);
  }
  const Sym value = b.at(x, {at[0], at[1] * double(taps) + tap, position});
  return b.reduce("Y", axes, reduce_axes, Fold::kSum, select(meets, value, value.number(0)));
}

}  // namespace hone::te
