#include "codegen/te/ops/cumulative.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

// Elements of a block. Twice as many halve the levels above, and double the work of a target that has no running sums (te/terms.h).
constexpr int64_t kBlock = 32;

// Sums are made in the order of cumulation, in which an element's place is that from the end where it runs backwards.
struct Cumulator {
  Builder& b;
  Cumulation c;
  size_t axis() const { return static_cast<size_t>(c.axis); }
  int64_t extent(Tensor x) const { return x->shape[axis()]; }
  Sym place(Tensor x, Sym i) const { return c.reverse ? double(extent(x) - 1) - i : i; }
  Sym joined(Sym l, Sym r) const { return c.fold == Fold::kProduct ? l * r : l + r; }

  // The element that is `i`th in the order where `counts` is true, else what changes nothing.
  Sym element(Tensor x, std::vector<Sym> at, Sym i, Sym counts) {
    at[axis()] = place(x, i);
    const Sym value = b.at(x, at);
    return select(counts, value, value.number(fold_identity(c.fold, x->dtype)));
  }
  Sym counts_up_to(Sym step, Sym i) const { return c.exclusive ? step < i : step <= i; }

  Tensor blocks(Tensor x) {
    Shape shape = x->shape;
    shape[axis()] = (extent(x) + kBlock - 1) / kBlock;
    const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), r = b.axes({"r"}, {kBlock});
    const std::vector<Sym> at = b.syms(axes);
    const Sym i = at[axis()] * double(kBlock) + b.sym(r[0]);
    return b.reduce("blocks", axes, r, c.fold, element(x, at, i, i < double(extent(x))));
  }

  // Of an element those before it in its block, and itself: the block's number stands before the axis.
  Tensor within(Tensor x) {
    Shape shape = x->shape;
    shape[axis()] = kBlock;
    shape.insert(shape.begin() + c.axis, (extent(x) + kBlock - 1) / kBlock);
    const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, {}), shape), r = b.axes({"r"}, {kBlock});
    std::vector<Sym> at = b.syms(axes);
    const Sym block = at[axis()], own = at[axis() + 1], step = b.sym(r[0]), i = block * double(kBlock) + step;
    at.erase(at.begin() + c.axis);
    return b.reduce("within", axes, r, c.fold, element(x, at, i, both(counts_up_to(step, own), i < double(extent(x)))));
  }

  // Of one block, in the order of cumulation.
  Tensor of_one_block(Tensor x) {
    const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {}), x->shape), r = b.axes({"r"}, {extent(x)});
    const std::vector<Sym> at = b.syms(axes);
    return b.reduce("within", axes, r, c.fold, element(x, at, b.sym(r[0]), counts_up_to(b.sym(r[0]), at[axis()])));
  }

  Tensor in_order_of_memory(Tensor x) {
    if (!c.reverse) return x;
    const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {}), x->shape);
    std::vector<Sym> at = b.syms(axes);
    at[axis()] = place(x, at[axis()]);
    return b.map("Y", axes, b.at(x, at));
  }

  Tensor cumulated(Tensor x) {
    if (extent(x) <= kBlock) return in_order_of_memory(of_one_block(x));
    const Tensor inner = within(x), before = Cumulator{b, {c.axis, true, false, c.fold}}.cumulated(blocks(x));
    const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {}), x->shape);
    std::vector<Sym> at = b.syms(axes);
    const Sym i = place(x, at[axis()]);
    at[axis()] = i / double(kBlock);
    const Sym sum = b.at(before, at);
    at.insert(at.begin() + c.axis + 1, i % double(kBlock));
    return b.map("Y", axes, joined(sum, b.at(inner, at)));
  }
};

}  // namespace

Result<Tensor> cumulate(Builder& b, Tensor x, const Cumulation& c) {
  if (c.axis < 0 || c.axis >= static_cast<int64_t>(x->shape.size()) || x->dtype == DType::kBool)
    return bad_model(cat("axis ", c.axis, " does not fit an input of shape ", shape_text(x->shape), "; expected numbers"));
  return Cumulator{b, c}.cumulated(x);
}

}  // namespace hone::te
