#include "codegen/te/ops/rotation.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {
namespace {

size_t sequence_axis(Tensor x) { return x->shape.size() - 2; }

Status check(Tensor x, const Rotation& r) {
  const size_t rank = x->shape.size();
  if (rank != 3 && rank != 4) return bad_model(cat("an input of shape ", shape_text(x->shape), " has no heads; expected rank 3 or 4"));
  if (r.head < 1 || x->shape[rank - 1] % r.head != 0 || (rank == 4 && x->shape[3] != r.head) || r.rotated < 2 || r.rotated > r.head || r.rotated % 2 != 0)
    return bad_model(cat(r.rotated, " of ", r.head, " numbers of a head cannot be turned in an input of shape ", shape_text(x->shape)));
  const Shape places{x->shape[0], x->shape[sequence_axis(x)]};
  if (r.positions && (r.positions->shape != places || !ir::is_int(r.positions->dtype))) return bad_model(cat("positions of shape ", shape_text(r.positions->shape), " do not fit; expected ", shape_text(places)));
  for (Tensor table : {r.cosines, r.sines}) {
    const Shape wanted = r.positions ? Shape{table->shape.empty() ? 0 : table->shape[0], r.rotated / 2} : Shape{places[0], places[1], r.rotated / 2};
    if (table->shape != wanted || table->dtype != x->dtype || table->shape != r.cosines->shape || (r.positions && wanted[0] < 1))
      return bad_model(cat("cosines or sines of shape ", shape_text(table->shape), " do not fit; expected ", shape_text(wanted)));
  }
  return ok_status();
}

}  // namespace

Result<Tensor> rotate(Builder& b, Tensor x, const Rotation& r) {
  if (!ir::is_float(x->dtype)) return bad_model("expected elements of a float type");
  HONE_TRY(check(x, r));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const double half = double(r.rotated / 2);
  const Sym last = index.back(), place = last % double(r.head), sequence = index[sequence_axis(x)];
  const Sym pair = r.interleaved ? min(place / 2.0, half - 1) : place % half;
  std::vector<Sym> first = index, second = index, row{index[0], sequence};
  first.back() = last / double(r.head) * double(r.head) + (r.interleaved ? pair * 2.0 : pair);
  second.back() = first.back() + (r.interleaved ? 1.0 : half);
  if (r.positions) {
    const Sym position = cast(DType::kIndex, b.at(r.positions, row));
    row = {max(min(position, double(r.cosines->shape[0] - 1)), 0.0)};
  }
  row.push_back(pair);
  const Sym a = b.at(x, first), c = b.at(x, second), cosine = b.at(r.cosines, row), sine = b.at(r.sines, row);
  const Sym is_first = r.interleaved ? place % 2.0 == 0.0 : place < half;
  const Sym turned = select(is_first, a * cosine - c * sine, a * sine + c * cosine);
  if (r.rotated == r.head) return b.map("Y", axes, turned);
  const Sym own = b.at(x, index);
  return b.map("Y", axes, select(place < double(r.rotated), turned, own));
}

}  // namespace hone::te
