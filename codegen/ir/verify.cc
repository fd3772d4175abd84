#include "codegen/ir/verify.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/cat.h"
#include "codegen/ir/node_map.h"
#include "codegen/ir/printer.h"

namespace hone::ir {
namespace {

class Verifier {
 public:
  Verifier(const Kernel& kernel, VerifyStage stage) : kernel_(kernel), stage_(stage) {}

  Status run() {
    if (!kernel_.arena) return Error{ErrorCode::kInternal, "the kernel has no arena"};
    if (kernel_.input_count < 0 || kernel_.input_count > static_cast<int>(kernel_.args.size()))
      fail("input_count exceeds the arguments");
    for (size_t i = 0; i < kernel_.args.size(); ++i) {
      declare(kernel_.args[i], Scope::kArg);
      if (static_cast<int>(i) < kernel_.input_count) inputs_.insert(kernel_.args[i]);
    }
    for (Buffer temp : kernel_.temps) declare(temp, Scope::kScratch);
    for (const Launch& launch : kernel_.launches) this->launch(launch);
    if (!error_.empty()) return Error{ErrorCode::kInternal, error_};
    return ok_status();
  }

 private:
  bool at_least(VerifyStage stage) const { return stage_ >= stage; }

  void fail(const std::string& message) {
    if (!error_.empty()) return;
    error_ = message;
    if (!statement_) return;
    error_ += cat(", at: ", headline(statement_));
  }

  void declare(Buffer buffer, Scope scope) {
    if (buffer->scope != scope)
      fail(
          cat("the buffer ", buffer->name, " has scope ", scope_name(buffer->scope), ", expected ", scope_name(scope)));
    declare(buffer);
  }
  void declare(Buffer buffer) {
    if (!declared_.insert(buffer).second) fail(cat("the buffer ", buffer->name, " is declared twice"));
    visible_buffers_.insert(buffer);
    if (is_model_only(buffer->dtype)) fail(cat("the buffer ", buffer->name, " has the type ", dtype_name(buffer->dtype), ", which kernels do not have"));
    if (buffer->lanes < 1) fail(cat("the buffer ", buffer->name, " has ", buffer->lanes, " lanes"));
    for (int64_t extent : buffer->shape)
      if (extent < 0) fail(cat("the buffer ", buffer->name, " has the extent ", extent));
    layout(*buffer);
    if (at_least(VerifyStage::kFlat) &&
        (!(buffer->shape.size() == 1 || buffer->shape.size() == 3) || !buffer->layout.row_major()))
      fail(cat("the buffer ", buffer->name, " is not flat"));
  }

  void layout(const BufferNode& buffer) {
    if (!buffer.layout.dims.empty() && buffer.lanes != 1)
      fail(cat("the buffer ", buffer.name, " has a layout and vector elements"));
    for (const PhysicalDim& dim : buffer.layout.dims)
      if (dim.axis < 0 || dim.axis >= static_cast<int>(buffer.shape.size()) || dim.div < 1 || dim.size < 1)
        fail(cat("the layout of ", buffer.name, " does not fit its shape"));
  }

  void define(Var var, bool is_uniform) {
    if (var->kind != ExprKind::kVar) return fail("a definition names no variable");
    if (!defined_.insert(var).second) fail(cat("the variable ", var->name, " is defined twice"));
    visible_vars_[var] = is_uniform;
    scope_vars_.push_back(var);
  }

  void place_vars(const std::array<Var, 3>& vars, const Dims& extents, bool is_uniform, const char* what) {
    for (size_t i = 0; i < 3; ++i) {
      if (extents[i] < 1) fail(cat(what, " has the extent ", extents[i]));
      if (vars[i]) {
        range(vars[i], extents[i]);
        define(vars[i], is_uniform);
      }
    }
  }

  void range(Var var, int64_t extent) {
    if (var->type != kIndexType) fail(cat("the variable ", var->name, " is not of type index"));
    if (var->bound() != 0 && var->bound() < extent)
      fail(cat("the range of ", var->name, " ends at ", var->bound(), ", the loop at ", extent));
  }

  void launch(const Launch& launch) {
    statement_ = nullptr;
    const size_t vars = scope_vars_.size();
    place_vars(launch.block_vars, launch.grid, true, "the grid");
    place_vars(launch.thread_vars, launch.threads, false, "the workgroup");
    if (launch.thread_linear) {
      range(launch.thread_linear, launch.threads[0] * launch.threads[1] * launch.threads[2]);
      define(launch.thread_linear, false);
    }
    scoped(launch.body, true);
    leave(vars, scope_buffers_.size());
  }

  void leave(size_t vars, size_t buffers) {
    for (; scope_vars_.size() > vars; scope_vars_.pop_back()) visible_vars_.erase(scope_vars_.back());
    for (; scope_buffers_.size() > buffers; scope_buffers_.pop_back()) visible_buffers_.erase(scope_buffers_.back());
  }

  // is_uniform: all threads of the workgroup that run the launch come here.
  void scoped(Stmt body, bool is_uniform) {
    const size_t vars = scope_vars_.size(), buffers = scope_buffers_.size();
    stmts(body, is_uniform);
    leave(vars, buffers);
  }

  void stmts(Stmt s, bool is_uniform) {
    if (!s || !error_.empty()) return;
    if (s->kind == StmtKind::kBlock) {
      for (Stmt child : s->body) stmts(child, is_uniform);
    } else {
      statement_ = s;
      stmt(s, is_uniform);
    }
  }

  void stmt(Stmt s, bool is_uniform) {
    all_come_ = is_uniform;
    if (s->value) expr(s->value);
    switch (s->kind) {
      case StmtKind::kBlock:
        return;
      case StmtKind::kFor:
        return loop(s, is_uniform);
      case StmtKind::kIf:
        if (s->value->type != kBoolType) fail("a condition is not of type bool");
        is_uniform = is_uniform && uniform(s->value);
        for (Stmt child : s->body) scoped(child, is_uniform);
        return;
      case StmtKind::kLet:
        if (s->var->type != s->value->type) fail("a variable's type is not its value's");
        return define(s->var, uniform(s->value));
      case StmtKind::kAlloc:
        if (s->buffer->scope == Scope::kArg || s->buffer->scope == Scope::kScratch)
          fail(cat("the buffer ", s->buffer->name, " is the caller's, not a statement's"));
        scope_buffers_.push_back(s->buffer);
        return declare(s->buffer);
      case StmtKind::kStore:
        return store(s);
      case StmtKind::kBarrier:
        if (!is_uniform) fail("a barrier stands under control flow that differs between threads");
        return;
    }
  }

  void loop(Stmt s, bool is_uniform) {
    if (s->extent < 0) fail(cat("a loop has the extent ", s->extent));
    if (at_least(VerifyStage::kStraight) && (is_straight(s->place) || s->place == Place::kVectorize))
      fail("a loop to unroll or vectorize is left");
    if (at_least(VerifyStage::kLaunched) && (is_block(s->place) || is_thread(s->place)))
      fail("a loop bound to a block or thread is left");
    range(s->var, s->extent);
    const size_t vars = scope_vars_.size();
    define(s->var, !is_thread(s->place) && s->place != Place::kLane);
    scoped(s->body.at(0), is_uniform);
    leave(vars, scope_buffers_.size());
  }

  void store(Stmt s) {
    if (inputs_.count(s->buffer)) fail(cat("the input ", s->buffer->name, " is written"));
    int index_lanes = 1;
    for (Expr index : s->indices) {
      expr(index);
      if (index->type.dtype != DType::kIndex) fail("an index is not of type index");
      index_lanes = std::max(index_lanes, index->type.lanes);
    }
    access(s->buffer, s->indices);
    const Type expected{s->buffer->dtype, index_lanes * s->buffer->lanes};
    if (s->value->type != expected)
      fail(cat("a value of type ", type_name(s->value->type), " is stored where ", type_name(expected), " lies"));
    if (!s->mask) return;
    expr(s->mask);
    const Type mask = s->mask->type;
    if (mask.dtype != DType::kBool || (mask.lanes != 1 && mask.lanes != index_lanes && mask.lanes != expected.lanes))
      fail("a store's mask does not fit");
  }

  void access(Buffer buffer, const std::vector<Expr>& indices) {
    if (!visible_buffers_.count(buffer)) fail(cat("the buffer ", buffer->name, " is not declared here"));
    if (indices.size() != buffer->shape.size())
      fail(cat(indices.size(), " indices of ", buffer->name, ", which has ", buffer->shape.size(), " dimensions"));
    if (at_least(VerifyStage::kFlat) && buffer->lanes > 1 && !indices.empty() && indices[0]->type.lanes > 1)
      fail(cat("a vector of indices of ", buffer->name, ", whose elements are vectors"));
  }

  void expr(Expr e) {
    seen_.clear();
    visit(e);
    if (!typed_.insert(e).second || !error_.empty()) return;
    Status types = verify_types(e);
    if (!types.ok()) fail(types.error().message);
  }

  void visit(Expr e) {
    if (!e || !seen_.insert(e).second || !error_.empty()) return;
    if (e->kind == ExprKind::kVar && !visible_vars_.count(e))
      return fail(cat("the variable ", e->name, " is not defined here"));
    for (Expr a : e->args) visit(a);
    visit(e->mask);
    visit(e->other);
    if (e->kind == ExprKind::kLoad) access(e->buffer, e->args);
    if (is_exchange(e) && !all_come_) fail("threads exchange values under control flow that differs between them");
  }

  // Whether the value is the same in all threads of a workgroup. What memory holds counts only for inputs.
  bool uniform(Expr e) const {
    NodeSet seen;
    return uniform(e, seen);
  }
  bool uniform(Expr e, NodeSet& seen) const {
    if (!e || !seen.insert(e)) return true;  // a node that is not uniform has ended the walk
    if (e->kind == ExprKind::kVar) {
      auto found = visible_vars_.find(e);
      return found != visible_vars_.end() && found->second;
    }
    if (e->kind == ExprKind::kLoad && !inputs_.count(e->buffer)) return false;
    return std::all_of(e->args.begin(), e->args.end(), [&](Expr a) { return uniform(a, seen); }) &&
           uniform(e->mask, seen) && uniform(e->other, seen);
  }

  const Kernel& kernel_;
  const VerifyStage stage_;
  std::unordered_set<Buffer> declared_, visible_buffers_, inputs_;
  std::unordered_set<Var> defined_;
  std::unordered_map<Var, bool> visible_vars_;  // value: uniform
  std::vector<Var> scope_vars_;
  std::vector<Buffer> scope_buffers_;
  std::unordered_set<Expr> seen_, typed_;
  Stmt statement_ = nullptr;
  bool all_come_ = true;  // all threads of the workgroup run the statement
  std::string error_;
};

}  // namespace

Status verify(const Kernel& kernel, VerifyStage stage) { return Verifier(kernel, stage).run(); }

}  // namespace hone::ir
