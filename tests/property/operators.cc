#include "tests/property/operators.h"

#include <functional>

#include "base/check.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/cumulative.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/matrix.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/pool.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scatter.h"
#include "codegen/tuple_tasks.h"

namespace hone {

namespace {

using te::Builder;
using te::Operand;
using te::Shape;
using te::Sym;
using te::Tensor;

// A task of what `define` makes of inputs of the given shapes.
te::Task task_of(const std::string& name, const std::vector<Shape>& shapes,
                 const std::function<Result<Tensor>(Builder&, const std::vector<Tensor>&)>& define) {
  Builder builder;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); i++)
    inputs.push_back(builder.input(std::string(1, "XWVU"[i]), kF32, shapes[i]));
  Result<Tensor> out = define(builder, inputs);
  CHECK(out.ok(), name);
  builder.output(*out);
  te::Task task;
  task.name = name;
  task.program = builder.take();
  task.args.resize(task.program.inputs.size() + task.program.outputs.size());
  te::finish_task(task);
  return task;
}

Result<Tensor> add(Builder& b, Tensor x, Tensor y) {
  return te::elementwise(b, "sum", {Operand::of(x), Operand::of(y)},
                         [](const std::vector<Sym>& v) { return v[0] + v[1]; });
}

Tensor positive_part(Builder& b, Tensor x) {
  return te::unary(b, "positive", x, [&b](Sym v) { return max(v, b.constant(kF32, 0)); });
}

te::ConvParams window(int64_t stride, int64_t pad, int64_t dilation = 1, int64_t groups = 1) {
  te::ConvParams p;
  p.window.stride = {stride, stride};
  p.window.dilation = {dilation, dilation};
  p.window.pad_begin = p.window.pad_end = {pad, pad};
  p.groups = groups;
  return p;
}

te::PoolParams pooling(int64_t kernel, int64_t stride, int64_t pad) {
  te::PoolParams p;
  p.window.kernel = {kernel, kernel};
  p.window.stride = {stride, stride};
  p.window.pad_begin = p.window.pad_end = {pad, pad};
  return p;
}

using Tensors = const std::vector<Tensor>&;

}  // namespace

std::map<std::string, std::vector<te::Task>> sample_operators() {
  std::map<std::string, std::vector<te::Task>> all;
  auto product = [](Builder& b, Tensors t) { return te::matmul(b, t[0], t[1]); };
  all["matrix_product"] = {task_of("7x10x6", {{7, 6}, {6, 10}}, product), task_of("8x8x8", {{8, 8}, {8, 8}}, product)};
  all["batched_product"] = {task_of("2x4x8x5", {{2, 4, 5}, {2, 5, 8}}, product)};
  all["product_with_bias"] = {
      task_of("3x9x4 transposed", {{3, 4}, {9, 4}, {9}}, [](Builder& b, Tensors t) -> Result<Tensor> {
        HONE_ASSIGN(y, te::matmul(b, t[0], t[1], {.transpose_b = true}));
        return add(b, y, t[2]);
      })};
  auto sliding = [](te::ConvParams p) { return [p](Builder& b, Tensors t) { return te::conv(b, t[0], t[1], p); }; };
  all["window_product"] = {task_of("padded", {{1, 4, 5, 6}, {6, 4, 3, 3}}, sliding(window(1, 1))),
                           task_of("strided", {{2, 3, 6, 5}, {4, 3, 3, 3}}, sliding(window(2, 1)))};
  all["grouped_window_product"] = {task_of("two groups", {{1, 4, 6, 6}, {4, 2, 3, 3}}, sliding(window(2, 1, 1, 2))),
                                   task_of("each its own", {{1, 4, 5, 5}, {4, 1, 3, 3}}, sliding(window(1, 1, 1, 4))),
                                   task_of("dilated", {{1, 3, 7, 7}, {4, 3, 3, 3}}, sliding(window(1, 2, 2)))};
  all["residual"] = {
      task_of("window + skip", {{1, 4, 5, 4}, {4, 4, 3, 3}, {1, 4, 5, 4}}, [](Builder& b, Tensors t) -> Result<Tensor> {
        HONE_ASSIGN(y, te::conv(b, t[0], t[1], window(1, 1)));
        HONE_ASSIGN(sum, add(b, y, t[2]));
        return positive_part(b, sum);
      })};
  all["broadcast"] = {
      task_of("3x1x5 + 4x1", {{3, 1, 5}, {4, 1}}, [](Builder& b, Tensors t) { return add(b, t[0], t[1]); }),
      task_of("7x8 + 8", {{7, 8}, {8}}, [](Builder& b, Tensors t) { return add(b, t[0], t[1]); })};
  all["activation"] = {task_of("3x4x5", {{3, 4, 5}}, [](Builder& b, Tensors t) -> Result<Tensor> {
    return te::unary(b, "y", positive_part(b, t[0]), [](Sym v) { return v * v; });
  })};
  all["pooling_max"] = {
      task_of("3 by 2", {{1, 4, 7, 6}}, [](Builder& b, Tensors t) { return te::max_pool(b, t[0], pooling(3, 2, 1)); })};
  all["pooling_average"] = {task_of("2 by 2", {{2, 3, 6, 6}},
                                    [](Builder& b, Tensors t) { return te::average_pool(b, t[0], pooling(2, 2, 0)); })};
  all["reshape"] = {task_of("2x3x4 to 6x4", {{2, 3, 4}},
                            [](Builder& b, Tensors t) {
                              return te::reshape(b, t[0], {6, 4});
                            }),
                    task_of("5x6 to 2x15", {{5, 6}}, [](Builder& b, Tensors t) -> Result<Tensor> {
                      HONE_ASSIGN(y, te::reshape(b, t[0], {2, 15}));
                      return positive_part(b, y);
                    })};
  all["row_sum"] = {
      task_of("5x14", {{5, 14}}, [](Builder& b, Tensors t) { return te::reduce_over(b, "Y", t[0], {{1}}, {}); }),
      task_of("all of 3x8", {{3, 8}}, [](Builder& b, Tensors t) {
        return te::reduce_over(b, "Y", t[0], {{0, 1}, false}, {});
      })};
  all["tuples"] = {variance_task(3, 10), log_sum_exp_task(4, 12)};
  all["row_chain"] = {
      task_of("4x10", {{4, 10}}, [](Builder& b, Tensors t) { return te::softmax(b, t[0], {1}, false); }),
      task_of("3x8", {{3, 8}}, [](Builder& b, Tensors t) -> Result<Tensor> {
        HONE_ASSIGN(made, te::standardize(b, t[0], {.axes = {1}}));
        return made.y;
      })};
  all["running_sums"] = {
      task_of("3x9", {{3, 9}}, [](Builder& b, Tensors t) { return te::cumulate(b, t[0], {.axis = 1}); }),
      task_of("2x5x6", {{2, 5, 6}}, [](Builder& b, Tensors t) { return te::cumulate(b, t[0], {.axis = 1, .exclusive = true}); })};
  const auto scatter = [](te::ScatterJoin join) {
    return [join](Builder& b, Tensors t) {
      return te::scatter_elements(b, t[0], te::unary(b, "place", t[1], [](Sym v) { return cast(ir::DType::kI32, v * 6.0); }), t[2], 0, join);
    };
  };
  all["scattered"] = {task_of("5x6", {{5, 6}, {4, 6}, {4, 6}}, scatter(te::ScatterJoin::kAdd)), task_of("7x3", {{7, 3}, {3, 3}, {3, 3}}, scatter(te::ScatterJoin::kReplace))};
  return all;
}

}  // namespace hone
