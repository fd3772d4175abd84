#include "codegen/emit/llvm/cpu_bindings.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Buffer;

namespace {

constexpr int64_t kBindingAlignment = 16;
constexpr int64_t kUnknownReach = int64_t{1} << 40;

struct Use {
  bool writes = false;
  int64_t reach_bytes = 0;
};

// What a launch does with the caller's buffers.
class Uses {
 public:
  Uses(ir::Arena& arena, const ir::Launch& launch) : arena_(arena), analyzer_(arena) {
    const auto load = [&](ir::Expr e) {
      if (e->kind != ir::ExprKind::kLoad) return;
      Use& use = uses_[e->buffer];
      if (e->any_value) use.reach_bytes = std::max(use.reach_bytes, reach_of(e));
    };
    ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
      for (ir::Expr i : s->indices) ir::for_each_node(i, load);
      ir::for_each_node(s->value, load);
      ir::for_each_node(s->mask, load);
      if (s->kind == ir::StmtKind::kStore) uses_[s->buffer].writes = true;
      // A variable's range begins at 0; one that may be negative is what it stands for.
      if (s->kind == ir::StmtKind::kLet && s->var->type == ir::kIndexType && s->var->bound() == 0)
        lets_[s->var] = ir::substitute(arena_, s->value, lets_);
    });
  }

  const Use* find(Buffer buffer) const {
    const auto found = uses_.find(buffer);
    return found == uses_.end() ? nullptr : &found->second;
  }

 private:
  // How far beyond its buffer a load flagged `any` may lie.
  int64_t reach_of(ir::Expr load) {
    ir::Expr at = load->args.at(0);
    int64_t last = 0;
    if (at->kind == ir::ExprKind::kRamp && ir::is_const_int(at->args[1], 1)) {
      last = at->type.lanes - 1;
      at = at->args[0];
    }
    if (at->type.lanes > 1) return kUnknownReach;
    const arith::Interval range = analyzer_.bounds(ir::substitute(arena_, at, lets_));
    if (!range.bounded()) return kUnknownReach;
    const int64_t element = load->buffer->lanes * ir::size_bytes(load->buffer->dtype);
    return std::max({int64_t{0}, -range.lo * element, (range.hi + last + 1) * element - cpu_bytes(load->buffer)});
  }

  ir::Arena& arena_;
  arith::Analyzer analyzer_;
  ir::VarMap lets_;
  std::unordered_map<Buffer, Use> uses_;
};

}  // namespace

int64_t cpu_bytes(Buffer b) {
  const int64_t bytes = ir::element_count(b->shape) * b->lanes * ir::size_bytes(b->dtype);
  return (bytes + kBindingAlignment - 1) / kBindingAlignment * kBindingAlignment;
}

Result<CpuBindings> bind_cpu(const ir::Kernel& kernel, const ir::Launch& launch) {
  const Uses uses(*kernel.arena, launch);
  CpuBindings out;
  for (const auto kind : {Binding::Kind::kArg, Binding::Kind::kTemp}) {
    const std::vector<Buffer>& list = kind == Binding::Kind::kArg ? kernel.args : kernel.temps;
    for (size_t i = 0; i < list.size(); ++i) {
      const Buffer b = list[i];
      const Use* use = uses.find(b);
      if (!use) continue;
      if (use->reach_bytes < kUnknownReach && use->reach_bytes > kReachBytesMax)
        return Error{ErrorCode::kLimitExceeded,
                     cat("reads of ", b->name, " may lie ", use->reach_bytes, " bytes beyond it, more than ",
                         kReachBytesMax, "; tile it smaller")};
      if (use->reach_bytes > kReachBytesMax)
        return Error{ErrorCode::kUnsupported, cat("reads of ", b->name, " beyond its end by an unknown distance")};
      out.bindings.push_back({kind, static_cast<int>(i), use->writes, ir::type_name({b->dtype, b->lanes}), cpu_bytes(b),
                              use->reach_bytes});
      out.buffers.push_back(b);
    }
  }
  return out;
}

Result<std::vector<Binding>> bind_arguments(const ir::Kernel& kernel) {
  std::map<int, Binding> all;
  for (const ir::Launch& launch : kernel.launches) {
    HONE_ASSIGN(bound, bind_cpu(kernel, launch));
    for (const Binding& b : bound.bindings) {
      if (b.kind != Binding::Kind::kArg) continue;
      Binding& one = all.try_emplace(b.position, b).first->second;
      one.writes |= b.writes;
      one.reach_bytes = std::max(one.reach_bytes, b.reach_bytes);
    }
  }
  std::vector<Binding> out;
  for (const auto& [position, binding] : all) out.push_back(binding);
  return out;
}

}  // namespace hone::emit
