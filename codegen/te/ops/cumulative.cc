#include "codegen/te/ops/cumulative.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

// Elements of a block. Twice as many halve the levels above, and double the work.
constexpr int64_t kBlock = 32;

int64_t blocks_of(int64_t extent) { return (extent + kBlock - 1) / kBlock; }

struct Cumulator {
  Builder& b;
  Cumulation c;
  size_t axis() const { return static_cast<size_t>(c.axis); }
  int64_t extent(Tensor x) const { return x->shape[axis()]; }
  // Which element is ith in the order of cumulation.
  Sym place(Tensor x, Sym i) const { return c.reverse ? double(extent(x) - 1) - i : i; }
  double identity(Tensor x) const { return fold_identity(c.fold, x->dtype); }
  Sym joined(Sym l, Sym r) const { return c.fold == Fold::kProduct ? l * r : l + r; }

  // The element at `at`, `i`th along the axis, where `counts` is true; else what changes nothing.
  Sym element(Tensor x, std::vector<Sym> at, Sym i, Sym counts) {
    at[axis()] = place(x, i);
    const Sym value = b.at(x, at);
    return select(both(counts, i < double(extent(x))), value, value.number(identity(x)));
  }

  // Blocks in the order of cumulation.
  Tensor blocks(Tensor x) {
    Shape shape = x->shape;
    shape[axis()] = blocks_of(extent(x));
    const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), r = b.axes({"r"}, {kBlock});
    const std::vector<Sym> at = b.syms(axes);
    const Sym i = at[axis()] * double(kBlock) + b.sym(r[0]);
    return b.reduce("blocks", axes, r, c.fold, element(x, at, i, 0.0 <= i));
  }

  // Of an element those before it in its block, and itself.
  Tensor within(Tensor x) {
    const int64_t block = std::min(kBlock, std::max<int64_t>(extent(x), 1));
    const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {}), x->shape), r = b.axes({"r"}, {block});
    const std::vector<Sym> at = b.syms(axes);
    const Sym own = place(x, at[axis()]), near = b.sym(r[0]), in_block = own % double(kBlock);
    const Sym block_begin = own / double(kBlock) * double(kBlock);
    return b.reduce("within", axes, r, c.fold, element(x, at, block_begin + near, c.exclusive ? near < in_block : near <= in_block));
  }

  Tensor cumulated(Tensor x) {
    const Tensor inner = within(x);
    if (extent(x) <= kBlock) return inner;
    const Tensor before = Cumulator{b, {c.axis, true, false, c.fold}}.cumulated(blocks(x));
    const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {}), x->shape);
    std::vector<Sym> at = b.syms(axes);
    const Sym own = b.at(inner, at);
    at[axis()] = place(x, at[axis()]) / double(kBlock);
    return b.map("Y", axes, joined(b.at(before, at), own));
  }
};

}  // namespace

Result<Tensor> cumulate(Builder& b, Tensor x, const Cumulation& c) {
  if (c.axis < 0 || c.axis >= static_cast<int64_t>(x->shape.size()) || x->dtype == DType::kBool)
    return bad_model(cat("axis ", c.axis, " does not fit an input of shape ", shape_text(x->shape), "; expected numbers"));
  return Cumulator{b, c}.cumulated(x);
}

}  // namespace hone::te
