#include "codegen/te/ops/matrix.h"

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {
// The extents of one operand, read as […, rows, columns] after its transposition.
struct MatrixShape {
  Shape batch;
  int64_t rows = 1, columns = 1;
  bool vector = false;
};

MatrixShape matrix_shape_of(const Shape& shape, bool transposed, bool is_left) {
  MatrixShape out;
  if (shape.size() == 1) {
    out.vector = true;
    (is_left ? out.columns : out.rows) = shape[0];
    return out;
  }
  out.batch.assign(shape.begin(), shape.end() - 2);
  out.rows = shape[shape.size() - 2];
  out.columns = shape[shape.size() - 1];
  if (transposed) std::swap(out.rows, out.columns);
  return out;
}

Sym load_operand(Builder& b, Tensor t, const MatrixShape& shape, bool transposed, const std::vector<Sym>& batch,
                 Sym row, Sym column, bool is_left) {
  if (shape.vector) return b.at(t, {is_left ? column : row});
  std::vector<Sym> index = broadcast_index(b, batch, shape.batch);
  index.push_back(transposed ? column : row);
  index.push_back(transposed ? row : column);
  return b.at(t, index);
}
}  // namespace

Result<Tensor> matmul(Builder& b, Tensor a, Tensor bmat, const MatmulParams& params) {
  const auto misfit = [&] {
    return Error{ErrorCode::kBadModel,
                 cat("a product of shapes ", shape_text(a->shape), " and ", shape_text(bmat->shape),
                     " is not defined; expected […, m, k] and […, k, n]")};
  };
  if (a->shape.empty() || bmat->shape.empty()) return misfit();
  const MatrixShape left = matrix_shape_of(a->shape, params.transpose_a, true),
                    right = matrix_shape_of(bmat->shape, params.transpose_b, false);
  if (left.columns != right.rows) return misfit();
  const auto batch_shape = broadcast_shapes(left.batch, right.batch);
  if (!batch_shape.ok()) return misfit();

  std::vector<Axis> axes;
  for (size_t i = 0; i < batch_shape->size(); i++) axes.push_back(b.axis(cat("b", i), (*batch_shape)[i]));
  const std::vector<Sym> batch = b.syms(axes);
  const Axis m = b.axis("m", left.rows), n = b.axis("n", right.columns), k = b.axis("k", left.columns);
  if (!left.vector) axes.push_back(m);
  if (!right.vector) axes.push_back(n);
  const Sym x = summable(load_operand(b, a, left, params.transpose_a, batch, b.sym(m), b.sym(k), true));
  const Sym y = summable(load_operand(b, bmat, right, params.transpose_b, batch, b.sym(k), b.sym(n), false));
  if (x.type() != y.type()) return misfit();
  return b.reduce("C", axes, {k}, Fold::kSum, x * y);
}

}  // namespace hone::te
