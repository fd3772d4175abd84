#include "codegen/lower/reference_loops.h"

#include <algorithm>
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

  void set(ir::Var var, Expr value) {
    vars_[var] = value;
    memo_.clear();
  }

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

// Neighbours along the innermost axis are reduced side by side: they share what they load and read in order, while each is added up in the order
// that it has alone. 4 KiB of accumulators, an eighth of the smallest first-level caches of processors.
constexpr int64_t kBesideMax = 512;
constexpr double kStepsBesideMax = 1e8;  // some tenths of a second, after which a cancel is to be heard

// The largest divisor of the extent that leaves a loop for threads where there is no other. terms: that each of them adds up.
int64_t beside_of(int64_t extent, bool is_only, double terms) {
  const auto in_time = static_cast<int64_t>(std::max(1.0, kStepsBesideMax / std::max(1.0, terms)));
  int64_t count = std::min({kBesideMax, in_time, is_only ? extent / 2 : extent});
  while (count > 1 && extent % count != 0) --count;
  return std::max<int64_t>(count, 1);
}

// A compute's iteration domain, opened.
struct Domain {
  std::vector<Nest> nest;
  std::vector<Expr> index;
  size_t axis = 0;      // of which so many neighbours are computed side by side
  int64_t beside = 1;
  Expr begin = nullptr; // the first of them
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

  // Innermost, of those with a loop.
  static size_t innermost(const std::vector<te::Axis>& axes) {
    size_t found = 0;
    for (size_t d = 0; d < axes.size(); ++d)
      if (axes[d].extent > 1) found = d;
    return found;
  }

  Domain open_domain(const te::Compute& compute, Widener& widener) {
    Domain domain;
    std::vector<te::Axis> axes = compute.axes;
    if (compute.reduce && !axes.empty()) {
      domain.axis = innermost(axes);
      const auto loops = std::count_if(axes.begin(), axes.end(), [](const te::Axis& axis) { return axis.extent > 1; });
      double terms = 1;
      for (const te::Axis& axis : compute.reduce->axes) terms *= static_cast<double>(axis.extent);
      domain.beside = beside_of(axes[domain.axis].extent, loops == 1, terms);
      axes[domain.axis].extent /= domain.beside;
    }
    domain.nest = open(axes, widener, &domain.index);
    if (domain.beside > 1) domain.begin = a_.mul(domain.index[domain.axis], a_.index(domain.beside));
    return domain;
  }

  // make(which): statements for one of the neighbours; a loop over all of them.
  template <class Make>
  Stmt for_each_beside(const te::Compute& compute, Widener& widener, Domain& domain, const Make& make) {
    if (domain.beside == 1) return a_.block(make(a_.index(0)));
    const te::Axis& axis = compute.axes[domain.axis];
    ir::Var which = a_.var(cat(axis.name, ".beside"), ir::kIndexType, domain.beside);
    domain.index[domain.axis] = a_.add(domain.begin, which);
    widener.set(axis.var, domain.index[domain.axis]);
    return a_.loop(which, domain.beside, Place::kSerial, a_.block(make(which)));
  }

  Stmt launch(const te::Compute& compute) {
    Widener widener(a_, analyzer_, buffers_);
    Domain domain = open_domain(compute, widener);
    std::vector<Stmt> body;
    const std::vector<Buffer> sums = compute.reduce ? registers_of(compute, domain) : std::vector<Buffer>{};
    for (Buffer sum : sums) body.push_back(a_.alloc(sum));
    if (compute.reduce) fold(compute, widener, domain, sums, body);
    body.push_back(for_each_beside(compute, widener, domain, [&](Expr which) { return stores(compute, widener, domain, sums, which); }));
    return close(domain.nest, a_.block(std::move(body)), Place::kCore);
  }

  std::vector<Stmt> stores(const te::Compute& compute, Widener& widener, const Domain& domain, const std::vector<Buffer>& sums, Expr which) {
    std::vector<Expr> results = compute.value;
    if (compute.reduce) {
      stand_for(compute, widener, sums, which);
      const auto& acc = compute.reduce->combiner.acc;
      results.assign(acc.begin(), acc.end());
      if (!compute.finish.empty()) results = compute.finish;
    }
    std::vector<Stmt> out;
    for (size_t i = 0; i < results.size(); ++i) out.push_back(store(widener, compute.outputs[i], domain.index, widener.widen(results[i])));
    return out;
  }

  std::vector<Buffer> registers_of(const te::Compute& compute, const Domain& domain) {
    std::vector<Buffer> registers;
    for (ir::Var acc : compute.reduce->combiner.acc)
      registers.push_back(a_.buffer(cat(compute.name, ".acc", registers.size()), widened(acc->type.dtype), {domain.beside}, ir::Scope::kRegister));
    return registers;
  }

  // The accumulators' variables stand for what the registers hold.
  void stand_for(const te::Compute& compute, Widener& widener, const std::vector<Buffer>& sums, Expr which) {
    for (size_t i = 0; i < sums.size(); ++i) widener.set(compute.reduce->combiner.acc[i], a_.load(sums[i], {which}));
  }

  void fold(const te::Compute& compute, Widener& widener, Domain& domain, const std::vector<Buffer>& sums, std::vector<Stmt>& body) {
    const te::Combiner& combiner = compute.reduce->combiner;
    body.push_back(for_each_beside(compute, widener, domain, [&](Expr which) {
      std::vector<Stmt> begin;
      for (size_t i = 0; i < sums.size(); ++i) begin.push_back(a_.store(sums[i], {which}, widener.widen(combiner.identity[i])));
      return begin;
    }));
    const std::vector<Nest> nest = open(compute.reduce->axes, widener, nullptr);
    Stmt update = for_each_beside(compute, widener, domain, [&](Expr which) { return joined(compute, widener, sums, which); });
    body.push_back(close(nest, update, Place::kSerial));
  }

  std::vector<Stmt> joined(const te::Compute& compute, Widener& widener, const std::vector<Buffer>& sums, Expr which) {
    const te::Combiner& combiner = compute.reduce->combiner;
    std::vector<Stmt> update, writes;
    stand_for(compute, widener, sums, which);
    std::vector<Expr> values;
    for (Expr value : compute.value) values.push_back(widener.widen(value));
    for (size_t i = 0; i < values.size(); ++i) {
      ir::Var val = a_.var(combiner.val[i]->name, values[i]->type);
      update.push_back(a_.let(val, values[i]));
      widener.set(combiner.val[i], val);
    }
    for (size_t i = 0; i < combiner.combine.size(); ++i) {
      Expr next_value = widener.widen(combiner.combine[i]);
      ir::Var next = a_.var("next", next_value->type);
      update.push_back(a_.let(next, next_value));
      writes.push_back(a_.store(sums[i], {which}, next));
    }
    update.insert(update.end(), writes.begin(), writes.end());
    return update;
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
