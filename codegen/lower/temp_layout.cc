#include "codegen/lower/temp_layout.h"

#include <algorithm>

#include "codegen/ir/mutator.h"

namespace hone::lower {

ir::Layout temp_layout(const schedule::Stage& stage) {
  std::vector<std::pair<int, size_t>> by_loop;  // position of the axis' innermost loop, axis
  for (size_t d = 0; d < stage.compute.axes.size(); d++) {
    int last = -1;
    for (size_t l = 0; l < stage.order.size(); l++)
      if (ir::uses_var(stage.axis_value[d], stage.order[l].var)) last = static_cast<int>(l);
    by_loop.push_back({last, d});
  }
  std::stable_sort(by_loop.begin(), by_loop.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  const std::vector<ir::Expr>& index = stage.store_index[0];
  std::vector<int> order;
  auto add_dim = [&](ir::Expr e) {
    for (size_t d = 0; d < index.size(); d++)
      if (index[d] == e && std::find(order.begin(), order.end(), static_cast<int>(d)) == order.end())
        return order.push_back(static_cast<int>(d));
  };
  for (auto [position, d] : by_loop) {
    ir::Var axis = stage.compute.axes[d].var;
    add_dim(axis);
    for (const schedule::Fused& f : stage.fused)
      if (f.axis == axis)
        for (ir::Expr part : f.parts) add_dim(part);
  }
  const ir::Shape& shape = stage.compute.outputs[0]->shape;
  for (size_t d = 0; d < shape.size(); d++)  // dimensions of extent 1, whose index is a constant
    if (std::find(order.begin(), order.end(), static_cast<int>(d)) == order.end())
      order.insert(order.begin(), static_cast<int>(d));
  return ir::permuted_layout(shape, order);
}

}  // namespace hone::lower
