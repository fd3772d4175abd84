#include "codegen/emit/llvm/cpu_bindings.h"

#include <algorithm>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Buffer;

namespace {

constexpr int64_t kBindingAlignment = 16;
constexpr int64_t kReachMax = 1 << 28;  // bytes; beyond it intervals knew nothing

struct Use {
  bool writes = false;
  int64_t reach_bytes = 0;
};

// How far beyond its buffer a load flagged `any` may lie.
int64_t reach_of(ir::Expr load, arith::Analyzer& analyzer) {
  const ir::Expr at = load->args.at(0);
  arith::Interval range;
  if (at->type.lanes == 1) {
    range = analyzer.bounds(at);
  } else if (at->kind == ir::ExprKind::kRamp && ir::is_const_int(at->args[1], 1)) {
    range = analyzer.bounds(at->args[0]);
    range.hi += at->type.lanes - 1;
  }
  const int64_t scalar = ir::size_bytes(load->buffer->dtype), lanes = load->buffer->lanes;
  return std::max({int64_t{0}, -range.lo * lanes * scalar, (range.hi + 1) * lanes * scalar - cpu_bytes(load->buffer)});
}

// The arguments and temporaries that the launch touches.
std::unordered_map<Buffer, Use> uses_of(const ir::Kernel& kernel, const ir::Launch& launch) {
  std::unordered_map<Buffer, Use> uses;
  arith::Analyzer analyzer(*kernel.arena);
  const auto load = [&](ir::Expr e) {
    if (e->kind != ir::ExprKind::kLoad) return;
    Use& use = uses[e->buffer];
    if (e->any_value) use.reach_bytes = std::max(use.reach_bytes, reach_of(e, analyzer));
  };
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    for (ir::Expr i : s->indices) ir::for_each_node(i, load);
    ir::for_each_node(s->value, load);
    ir::for_each_node(s->mask, load);
    if (s->kind == ir::StmtKind::kStore || s->kind == ir::StmtKind::kAtomic) uses[s->buffer].writes = true;
  });
  return uses;
}

}  // namespace

int64_t cpu_bytes(Buffer b) {
  const int64_t bytes = ir::element_count(b->shape) * b->lanes * ir::size_bytes(b->dtype);
  return (bytes + kBindingAlignment - 1) / kBindingAlignment * kBindingAlignment;
}

Result<CpuBindings> bind_cpu(const ir::Kernel& kernel, const ir::Launch& launch) {
  const std::unordered_map<Buffer, Use> uses = uses_of(kernel, launch);
  CpuBindings out;
  for (const auto kind : {Binding::Kind::kArg, Binding::Kind::kTemp}) {
    const std::vector<Buffer>& list = kind == Binding::Kind::kArg ? kernel.args : kernel.temps;
    for (size_t i = 0; i < list.size(); ++i) {
      const auto found = uses.find(list[i]);
      if (found == uses.end()) continue;
      const Buffer b = list[i];
      const Use& use = found->second;
      if (use.reach_bytes > kReachMax)
        return Error{ErrorCode::kUnsupported, cat("reads of ", b->name, " beyond its end by an unknown distance")};
      out.bindings.push_back(
          {kind, static_cast<int>(i), use.writes, ir::type_name({b->dtype, b->lanes}), cpu_bytes(b), use.reach_bytes});
      out.buffers.push_back(b);
    }
  }
  return out;
}

}  // namespace hone::emit
