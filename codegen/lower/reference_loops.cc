#include "codegen/lower/reference_loops.h"

#include <map>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"

namespace hone::lower {
namespace {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Place;
using ir::Stmt;
using ir::Type;

DType widened(DType dtype) { return ir::is_float(dtype) ? DType::kF64 : dtype; }

// The body of one compute with floats as f64, tensors as flat buffers and axes as loop variables.
class Widener {
 public:
  Widener(ir::Arena& arena, arith::Analyzer& analyzer, const std::unordered_map<Buffer, Buffer>& buffers)
      : a_(arena), analyzer_(analyzer), buffers_(buffers) {}

  void set(ir::Var var, Expr value) { vars_[var] = value; }

  // mask: what the selects around e have established; null = nothing.
  Expr widen(Expr e, Expr mask = nullptr) {
    auto [it, is_new] = memo_.try_emplace({e, mask}, nullptr);
    if (!is_new) return it->second;
    Expr out = make(e, mask);
    return memo_[{e, mask}] = out;
  }

  Expr flat_index(Buffer tensor, const std::vector<Expr>& index) {
    Expr flat = a_.index(0);
    int64_t stride = 1;
    for (size_t d = index.size(); d-- > 0;) {
      flat = a_.add(a_.mul(index[d], a_.index(stride)), flat);
      stride *= tensor->shape[d];
    }
    return analyzer_.simplify(flat);
  }

 private:
  Expr both(Expr a, Expr b) { return !a ? b : !b ? a : a_.logical_and(a, b); }

  Expr make(Expr e, Expr mask) {
    switch (e->kind) {
      case ExprKind::kConst:
        return ir::is_float(e->type.dtype) ? a_.constant({DType::kF64, 1}, e->fval) : e;
      case ExprKind::kVar: {
        auto found = vars_.find(e);
        CHECK(found != vars_.end(), cat("the variable ", e->name, " belongs to no axis"));
        return found->second;
      }
      case ExprKind::kLoad:
        return load(e, mask);
      case ExprKind::kSelect: {
        Expr condition = widen(e->args[0], mask);
        Expr yes = widen(e->args[1], both(mask, condition));
        Expr no = widen(e->args[2], both(mask, a_.logical_not(condition)));
        return a_.select(condition, yes, no);
      }
      case ExprKind::kCast:
        return a_.cast({widened(e->type.dtype), 1}, widen(e->args[0], mask));
      case ExprKind::kBitcast: {
        Expr bits = a_.bitcast(e->type, a_.cast(e->args[0]->type, widen(e->args[0], mask)));
        return a_.cast({widened(e->type.dtype), 1}, bits);
      }
      default: {
        std::vector<Expr> args;
        for (Expr arg : e->args) args.push_back(widen(arg, mask));
        return a_.with_args(e, std::move(args), nullptr, nullptr);
      }
    }
  }

  Expr load(Expr e, Expr mask) {
    Expr own = e->mask ? widen(e->mask, mask) : nullptr;
    mask = both(mask, own);
    std::vector<Expr> index;
    bool is_proven = true;
    for (size_t d = 0; d < e->args.size(); ++d) {
      index.push_back(analyzer_.simplify(widen(e->args[d], mask)));
      is_proven = is_proven && analyzer_.bounds(index.back()).within(0, e->buffer->shape[d] - 1);
    }
    Buffer from = buffers_.at(e->buffer);
    Expr value = a_.load(from, {flat_index(e->buffer, index)}, is_proven ? nullptr : mask);
    value = a_.cast({widened(from->dtype), 1}, value);
    if (!own) return value;
    Expr other = e->other ? widen(e->other, mask) : a_.constant(value->type, 0);
    return a_.select(own, value, other);
  }

  ir::Arena& a_;
  arith::Analyzer& analyzer_;
  const std::unordered_map<Buffer, Buffer>& buffers_;
  std::unordered_map<ir::Var, Expr> vars_;
  std::map<std::pair<Expr, Expr>, Expr> memo_;
};

struct Nest {
  ir::Var var;
  int64_t extent;
};

class ReferenceMaker {
 public:
  explicit ReferenceMaker(const te::Program& program)
      : program_(program), owner_(std::make_shared<Owner>(program.arena)), a_(owner_->arena), analyzer_(a_) {}

  Result<ir::Kernel> run() {
    kernel_.arena = {owner_, &owner_->arena};
    for (Buffer tensor : program_.inputs) kernel_.args.push_back(flat(tensor, tensor->dtype, ir::Scope::kArg));
    for (Buffer tensor : program_.outputs) kernel_.args.push_back(flat(tensor, tensor->dtype, ir::Scope::kArg));
    kernel_.input_count = static_cast<int>(program_.inputs.size());
    for (const te::Compute& compute : program_.computes)
      for (Buffer tensor : compute.outputs)
        if (!buffers_.count(tensor)) kernel_.temps.push_back(flat(tensor, widened(tensor->dtype), ir::Scope::kScratch));
    if (!error_.empty()) return Error{ErrorCode::kUnsupported, error_};
    for (const te::Compute& compute : program_.computes) {
      kernel_.launches.push_back({});
      kernel_.launches.back().body = launch(compute);
    }
    return std::move(kernel_);
  }

 private:
  // The kernel's arena looks into the program's, which must live as long.
  struct Owner {
    explicit Owner(std::shared_ptr<ir::Arena> program) : parent(std::move(program)), arena(parent.get()) {}
    std::shared_ptr<ir::Arena> parent;
    ir::Arena arena;
  };

  Buffer flat(Buffer tensor, DType dtype, ir::Scope scope) {
    const int64_t count = ir::element_count(tensor->shape);
    if (count > INT32_MAX)
      error_ = cat("the tensor ", tensor->name, " has ", count, " elements, the reference handles up to ", INT32_MAX);
    return buffers_[tensor] = a_.buffer(tensor->name, dtype, {count}, scope);
  }

  // A loop variable per axis of extent other than 1; the others are 0.
  std::vector<Nest> open(const std::vector<te::Axis>& axes, Widener& widener, std::vector<Expr>* index) {
    std::vector<Nest> nest;
    for (const te::Axis& axis : axes) {
      Expr at = a_.index(0);
      if (axis.extent != 1) {
        nest.push_back({a_.var(axis.name, ir::kIndexType, axis.extent), axis.extent});
        at = nest.back().var;
      }
      widener.set(axis.var, at);
      if (index) index->push_back(at);
    }
    return nest;
  }

  Stmt close(const std::vector<Nest>& nest, Stmt body, Place outermost) {
    for (size_t i = nest.size(); i-- > 0;)
      body = a_.loop(nest[i].var, nest[i].extent, i == 0 ? outermost : Place::kSerial, body);
    return body;
  }

  Stmt store(Widener& widener, Buffer tensor, const std::vector<Expr>& index, Expr value) {
    Buffer to = buffers_.at(tensor);
    return a_.store(to, {widener.flat_index(tensor, index)}, a_.cast({to->dtype, 1}, value));
  }

  Stmt launch(const te::Compute& compute) {
    Widener widener(a_, analyzer_, buffers_);
    std::vector<Expr> index;
    const std::vector<Nest> nest = open(compute.axes, widener, &index);
    std::vector<Stmt> body;
    std::vector<Expr> results;
    if (compute.reduce) {
      body = fold(compute, widener);
      const auto& acc = compute.reduce->combiner.acc;
      results.assign(acc.begin(), acc.end());
      if (!compute.finish.empty()) results = compute.finish;
    } else {
      results = compute.value;
    }
    for (size_t i = 0; i < results.size(); ++i)
      body.push_back(store(widener, compute.outputs[i], index, widener.widen(results[i])));
    return close(nest, a_.block(std::move(body)), Place::kCore);
  }

  // Leaves the accumulators' variables standing for what the registers hold.
  std::vector<Stmt> fold(const te::Compute& compute, Widener& widener) {
    const te::Combiner& combiner = compute.reduce->combiner;
    std::vector<Stmt> body, update, writes;
    std::vector<Buffer> registers;
    for (size_t i = 0; i < combiner.acc.size(); ++i) {
      registers.push_back(
          a_.buffer(cat(compute.name, ".acc", i), widened(combiner.acc[i]->type.dtype), {1}, ir::Scope::kRegister));
      body.push_back(a_.alloc(registers[i]));
      body.push_back(a_.store(registers[i], {a_.index(0)}, widener.widen(combiner.identity[i])));
      widener.set(combiner.acc[i], a_.load(registers[i], {a_.index(0)}));
    }
    const std::vector<Nest> nest = open(compute.reduce->axes, widener, nullptr);
    for (size_t i = 0; i < combiner.val.size(); ++i) {
      Expr value = widener.widen(compute.value[i]);
      ir::Var val = a_.var(combiner.val[i]->name, value->type);
      update.push_back(a_.let(val, value));
      widener.set(combiner.val[i], val);
    }
    for (size_t i = 0; i < combiner.combine.size(); ++i) {
      Expr joined = widener.widen(combiner.combine[i]);
      ir::Var next = a_.var("next", joined->type);
      update.push_back(a_.let(next, joined));
      writes.push_back(a_.store(registers[i], {a_.index(0)}, next));
    }
    update.insert(update.end(), writes.begin(), writes.end());
    body.push_back(close(nest, a_.block(std::move(update)), Place::kSerial));
    return body;
  }

  const te::Program& program_;
  std::shared_ptr<Owner> owner_;
  ir::Arena& a_;
  arith::Analyzer analyzer_;
  ir::Kernel kernel_;
  std::unordered_map<Buffer, Buffer> buffers_;
  std::string error_;
};

}  // namespace

Result<ir::Kernel> reference_loops(const te::Task& task) { return ReferenceMaker(task.program).run(); }

}  // namespace hone::lower
