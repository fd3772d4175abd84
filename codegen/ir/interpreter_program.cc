#include "codegen/ir/interpreter_program.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/ir/printer.h"

namespace hone::ir {
namespace {

// Persistent slots (constants and variables) come first; the results of one statement share the space behind them.
class ProgramMaker {
 public:
  ProgramMaker(const Kernel& kernel, const Launch& launch) : kernel_(kernel), launch_(launch) {}

  Result<Program> run() {
    for (Buffer b : kernel_.args) number(b);
    for (Buffer b : kernel_.temps) number(b);
    declare_ids();
    program_.grid = launch_.grid;
    program_.threads = launch_.threads;
    widen_dims(launch_.body);
    collect(launch_.body);
    temporaries_ = slots_;
    program_.body = ops(launch_.body);
    program_.slots = std::max(slots_, slots_used_);
    if (error_.empty() && linear_extent_ > program_.threads[0] * program_.threads[1] * program_.threads[2]) {
      if (program_.threads == Dims{1, 1, 1}) program_.threads[0] = linear_extent_;
      else
        error_ = cat("a loop over ", linear_extent_, " threads in a workgroup of ",
                     program_.threads[0] * program_.threads[1] * program_.threads[2]);
    }
    if (!error_.empty()) return Error{ErrorCode::kInternal, error_};
    return std::move(program_);
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  Slot take(int lanes) {
    Slot slot{slots_, lanes};
    slots_ += static_cast<uint32_t>(lanes);
    return slot;
  }

  int number(Buffer buffer) {
    auto [it, is_new] = buffers_.try_emplace(buffer, static_cast<int>(program_.buffers.size()));
    if (is_new) program_.buffers.push_back(buffer);
    return it->second;
  }

  void declare(Var var, Slot& slot) {
    if (!var) return;
    slot = take(var->type.lanes);
    values_[var] = slot;
  }

  void declare_ids() {
    for (size_t i = 0; i < 3; ++i) {
      declare(launch_.block_vars[i], program_.block_slots[i]);
      declare(launch_.thread_vars[i], program_.thread_slots[i]);
    }
    declare(launch_.thread_linear, program_.linear_slot);
  }

  void widen_dims(Stmt s) {
    if (!s) return;
    if (s->kind == StmtKind::kFor) {
      auto widen = [&](Dims& dims) {
        int64_t& extent = dims[static_cast<size_t>(place_dimension(s->place))];
        extent = std::max(extent, s->extent);
      };
      if (is_block(s->place)) widen(program_.grid);
      else if (s->place == Place::kThread) linear_extent_ = std::max(linear_extent_, s->extent);
      else if (is_thread(s->place)) widen(program_.threads);
    }
    for (Stmt child : s->body) widen_dims(child);
  }

  // Gives constants and declared variables their slots.
  void collect(Stmt s) {
    if (!s) return;
    if (s->var && !values_.count(s->var)) values_[s->var] = take(s->var->type.lanes);
    if (s->kind == StmtKind::kAlloc) number(s->buffer);
    collect(s->value);
    collect(s->mask);
    for (Expr e : s->indices) collect(e);
    for (Stmt child : s->body) collect(child);
  }

  void collect(Expr e) {
    if (!e || !seen_.insert({e, true}).second) return;
    if (e->kind == ExprKind::kConst) {
      Cell cell;
      if (is_float(e->type.dtype)) cell.real = e->fval;
      else cell.whole = e->ival;
      values_[e] = take(1);
      program_.constants.push_back({values_[e], cell});
    }
    for (Expr a : e->args) collect(a);
    collect(e->mask);
    collect(e->other);
  }

  std::vector<Op> ops(Stmt s) {
    std::vector<Op> out;
    append(s, out);
    return out;
  }
  void append(Stmt s, std::vector<Op>& out) {
    if (!s || !error_.empty()) return;
    if (s->kind == StmtKind::kBlock) {
      for (Stmt child : s->body) append(child, out);
    } else {
      out.push_back(op(s));
    }
  }

  Op op(Stmt s) {
    Op op;
    op.kind = s->kind;
    op.place = s->place;
    op.source = s;
    op.extent = s->extent;
    results_.clear();
    slots_ = temporaries_;
    if (s->value) op.value = value(s->value, op.code);
    if (s->buffer && s->kind != StmtKind::kAlloc) {
      op.access = access(s->buffer, s->indices, s->mask, nullptr, false, op.code);
      if (program_.accesses[static_cast<size_t>(op.access)].lanes != op.value.lanes)
        fail(cat("a store of ", op.value.lanes, " lanes to ", program_.accesses[static_cast<size_t>(op.access)].lanes,
                 " elements: ", print(s)));
    }
    if (s->kind == StmtKind::kAlloc) op.buffer = buffers_.at(s->buffer);
    slots_used_ = std::max(slots_used_, slots_);
    if (s->var) op.var = values_.at(s->var);
    if (!s->body.empty()) op.body = ops(s->body[0]);
    if (s->body.size() > 1) op.otherwise = ops(s->body[1]);
    return op;
  }

  int access(Buffer buffer, const std::vector<Expr>& indices, Expr mask, Expr other, bool any_value,
             std::vector<Instr>& code) {
    AccessPlan plan;
    auto found = buffers_.find(buffer);
    if (found == buffers_.end()) fail(cat("the buffer ", buffer->name, " is used but not declared"));
    else plan.buffer = found->second;
    if (indices.size() != buffer->shape.size())
      fail(cat(indices.size(), " indices of ", buffer->name, ", which has ", buffer->shape.size(), " dimensions"));
    for (Expr index : indices) {
      plan.indices.push_back(value(index, code));
      plan.index_lanes = std::max(plan.index_lanes, index->type.lanes);
    }
    plan.lanes = plan.index_lanes * buffer->lanes;
    if (mask) plan.mask = value(mask, code);
    if (other) plan.other = value(other, code);
    if (plan.mask.lanes > 1 && plan.mask.lanes != plan.index_lanes && plan.mask.lanes != plan.lanes)
      fail(cat("the mask of an access of ", buffer->name, " has ", plan.mask.lanes, " lanes"));
    plan.any_value = any_value;
    program_.accesses.push_back(std::move(plan));
    return static_cast<int>(program_.accesses.size()) - 1;
  }

  Slot value(Expr e, std::vector<Instr>& code) {
    if (e->kind == ExprKind::kVar || e->kind == ExprKind::kConst) {
      auto found = values_.find(e);
      if (found != values_.end()) return found->second;
      fail(cat("the variable ", e->name, " is used but not defined"));
      return {0, e->type.lanes};
    }
    auto found = results_.find(e);
    if (found != results_.end()) return found->second;
    Instr instr;
    instr.kind = e->kind;
    instr.intrinsic = e->intrinsic;
    instr.dtype = e->type.dtype;
    instr.lane = e->parameter;
    if (e->kind == ExprKind::kLoad) {
      instr.access = access(e->buffer, e->args, e->mask, e->other, e->any_value, code);
      const int lanes = program_.accesses[static_cast<size_t>(instr.access)].lanes;
      if (lanes != e->type.lanes)
        fail(cat("a load of ", lanes, " elements has the type ", type_name(e->type), ": ", print(e)));
    } else if (e->kind == ExprKind::kShuffle) {
      for (Expr a : e->args) instr.parts.push_back(value(a, code));
      instr.lanes = e->lanes;
    } else {
      for (size_t i = 0; i < e->args.size() && i < 3; ++i) instr.args[i] = value(e->args[i], code);
      instr.from = e->args[0]->type.dtype;
    }
    instr.to = take(e->type.lanes);
    results_[e] = instr.to;
    code.push_back(std::move(instr));
    return code.back().to;
  }

  const Kernel& kernel_;
  const Launch& launch_;
  Program program_;
  std::unordered_map<Expr, Slot> values_;   // constants and variables
  std::unordered_map<Expr, Slot> results_;  // of the current statement
  std::unordered_map<Expr, bool> seen_;
  std::unordered_map<Buffer, int> buffers_;
  uint32_t slots_ = 0, slots_used_ = 0, temporaries_ = 0;
  int64_t linear_extent_ = 1;
  std::string error_;
};

}  // namespace

Result<Program> make_program(const Kernel& kernel, const Launch& launch) { return ProgramMaker(kernel, launch).run(); }

}  // namespace hone::ir
