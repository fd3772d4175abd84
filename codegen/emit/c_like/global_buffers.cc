#include "codegen/emit/c_like/global_buffers.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/ir/mutator.h"

namespace hone::emit {

namespace {

// Whether the launch writes the buffer, of each that it touches.
std::unordered_map<ir::Buffer, bool> touched(const ir::Launch& launch) {
  std::unordered_map<ir::Buffer, bool> out;
  auto load = [&](ir::Expr e) {
    if (e->kind == ir::ExprKind::kLoad) out.try_emplace(e->buffer, false);
  };
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    for (ir::Expr i : s->indices) ir::for_each_node(i, load);
    ir::for_each_node(s->value, load);
    ir::for_each_node(s->mask, load);
    if (s->kind == ir::StmtKind::kStore) out[s->buffer] = true;
  });
  return out;
}

}  // namespace

std::vector<GlobalBuffer> global_buffers(const ir::Kernel& kernel, const ir::Launch& launch) {
  const std::unordered_map<ir::Buffer, bool> used = touched(launch);
  std::vector<GlobalBuffer> out;
  const auto add = [&](const std::vector<ir::Buffer>& list, Binding::Kind kind) {
    for (size_t i = 0; i < list.size(); i++) {
      const auto it = used.find(list[i]);
      if (it == used.end()) continue;
      Binding binding;
      binding.kind = kind;
      binding.position = static_cast<int>(i);
      binding.writes = it->second;
      out.push_back({list[i], binding});
    }
  };
  add(kernel.args, Binding::Kind::kArg);
  add(kernel.temps, Binding::Kind::kTemp);
  return out;
}

int64_t elements_bound(ir::Buffer buffer) { return std::max<int64_t>(1, buffer->shape[0]); }

}  // namespace hone::emit
