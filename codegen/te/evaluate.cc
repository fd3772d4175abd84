#include "codegen/te/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/ir/numeric.h"

namespace hone::te {
namespace {

using ir::DType;
using ir::ExprKind;
using ir::Intrinsic;

double wrap(DType dtype, double v) {
  if (!ir::is_int(dtype) || dtype == DType::kIndex || ir::size_bits(dtype) > 32) return v;
  const double modulus = std::ldexp(1, ir::size_bits(dtype)), low_bits = v - std::floor(v / modulus) * modulus;
  return !ir::is_unsigned(dtype) && low_bits >= modulus / 2 ? low_bits - modulus : low_bits;
}

double saturate(DType dtype, double v) {
  if (std::isnan(v)) return 0;
  const int bits = ir::size_bits(dtype), sign_bits = ir::is_unsigned(dtype) ? 0 : 1;
  const double count = std::ldexp(1, bits - sign_bits), highest = bits == 64 ? count : count - 1;
  return std::clamp(std::trunc(v), sign_bits * -count, highest);
}

double cast_value(DType to, DType from, double v) {
  if (to == DType::kBool) return v != 0;
  if (ir::is_float(to)) return v;
  return ir::is_float(from) ? saturate(to, v) : wrap(to, v);
}

double call_value(Intrinsic f, double a, double b) {
  switch (f) {
    case Intrinsic::kNone:
    case Intrinsic::kLaneXor:
    case Intrinsic::kLaneRead:
    case Intrinsic::kDot4: break;
    case Intrinsic::kExp: return std::exp(a);
    case Intrinsic::kLog: return std::log(a);
    case Intrinsic::kSqrt: return std::sqrt(a);
    case Intrinsic::kRsqrt: return 1 / std::sqrt(a);
    case Intrinsic::kTanh: return std::tanh(a);
    case Intrinsic::kErf: return std::erf(a);
    case Intrinsic::kSin: return std::sin(a);
    case Intrinsic::kCos: return std::cos(a);
    case Intrinsic::kPow: return std::pow(a, b);
    case Intrinsic::kFloor: return std::floor(a);
    case Intrinsic::kCeil: return std::ceil(a);
    case Intrinsic::kRound: return std::nearbyint(a);
    case Intrinsic::kAbs: return std::fabs(a);
    case Intrinsic::kTrunc: return std::trunc(a);
  }
  CHECK(false, "an intrinsic without a meaning");
  return 0;
}

int64_t as_bits(double v) { return static_cast<int64_t>(v); }

double divide(DType dtype, double a, double b) {
  if (ir::is_float(dtype)) return a / b;
  return b == 0 ? 0 : wrap(dtype, std::floor(a / b));
}
double modulo(DType dtype, double a, double b) {
  if (b == 0 && !ir::is_float(dtype)) return 0;
  return a - std::floor(a / b) * b;
}

// The low bits of a product of 32-bit numbers may lie below what a double holds.
double multiply(DType dtype, double a, double b) {
  if (!ir::is_int(dtype) || ir::size_bytes(dtype) > 4 || dtype == DType::kIndex) return wrap(dtype, a * b);
  const uint64_t product = static_cast<uint64_t>(as_bits(a)) * static_cast<uint64_t>(as_bits(b));
  return static_cast<double>(ir::wrap_to(dtype, static_cast<int64_t>(product)));
}

// Expressions with their variables and tensors resolved to places, so that an evaluation looks nothing up.
class Evaluator {
 public:
  using Storage = std::unordered_map<Tensor, std::vector<double>>;
  explicit Evaluator(Storage& storage) : storage_(storage) {}

  int compile(Expr e);
  int slot(Var v) { return slots_.try_emplace(v, static_cast<int>(slots_.size())).first->second; }
  void prepare() { values_.resize(slots_.size()); }
  void set(int slot, double v) { values_[static_cast<size_t>(slot)] = v; }
  double run(int node) const;

 private:
  struct Term {
    int slot;
    double coefficient;
  };
  struct Node {
    Expr expr = nullptr;
    int slot = 0;                 // of a variable
    bool affine = false;          // an index: constant + Σ coefficient · variable; nearly all are, and they are most of the work
    double constant = 0;
    std::vector<Term> terms;
    std::vector<int> args;
    int mask = -1, other = -1;
    const std::vector<double>* data = nullptr;
  };
  double arg(const Node& n, size_t i) const { return run(n.args[i]); }
  double load(const Node& n) const;
  bool add_affine(Node& n, Expr e, double factor);

  Storage& storage_;
  std::vector<Node> nodes_;
  std::unordered_map<Expr, int> compiled_;
  std::unordered_map<Var, int> slots_;
  std::vector<double> values_;
};

// Adds factor · e to the node's sum; false when e is no sum of multiples of variables.
bool Evaluator::add_affine(Node& n, Expr e, double factor) {
  const auto constant = [](Expr x) { return static_cast<double>(x->ival); };
  switch (e->kind) {
    case ExprKind::kConst: n.constant += factor * constant(e); return true;
    case ExprKind::kVar: n.terms.push_back({slot(e), factor}); return true;
    case ExprKind::kAdd: return add_affine(n, e->args[0], factor) && add_affine(n, e->args[1], factor);
    case ExprKind::kSub: return add_affine(n, e->args[0], factor) && add_affine(n, e->args[1], -factor);
    case ExprKind::kMul:
      if (ir::is_const(e->args[0])) return add_affine(n, e->args[1], factor * constant(e->args[0]));
      return ir::is_const(e->args[1]) && add_affine(n, e->args[0], factor * constant(e->args[1]));
    default: return false;
  }
}

double bits_as(DType to, DType from, double value) {
  ir::Cell given;
  if (ir::is_float(from)) given.real = value;
  else given.whole = static_cast<int64_t>(value);
  const ir::Cell made = ir::cell_of_bits(to, ir::bits_of(from, given));
  return ir::is_float(to) ? made.real : static_cast<double>(made.whole);
}

int Evaluator::compile(Expr e) {
  if (auto it = compiled_.find(e); it != compiled_.end()) return it->second;
  Node n;
  n.expr = e;
  if (e->type == ir::kIndexType) {
    n.affine = add_affine(n, e, 1);
    if (!n.affine) n.terms.clear();
  }
  for (Expr a : e->args) n.args.push_back(compile(a));
  if (e->mask) n.mask = compile(e->mask);
  if (e->other) n.other = compile(e->other);
  if (e->kind == ExprKind::kVar) n.slot = slot(e);
  if (e->kind == ExprKind::kLoad) n.data = &storage_[e->buffer];
  nodes_.push_back(std::move(n));
  return compiled_[e] = static_cast<int>(nodes_.size()) - 1;
}

double Evaluator::load(const Node& n) const {
  if (n.mask >= 0 && run(n.mask) == 0) return n.other >= 0 ? run(n.other) : 0;
  const ir::Shape& shape = n.expr->buffer->shape;
  size_t at = 0;
  for (size_t d = 0; d < shape.size(); d++) {
    const double i = arg(n, d);
    CHECK(i >= 0 && i < static_cast<double>(shape[d]), cat("index ", i, " of ", n.expr->buffer->name, " lies outside [0, ", shape[d], ")"));
    at = at * static_cast<size_t>(shape[d]) + static_cast<size_t>(i);
  }
  return (*n.data)[at];
}

double Evaluator::run(int node) const {
  const Node& n = nodes_[static_cast<size_t>(node)];
  if (n.affine) {
    double sum = n.constant;
    for (const Term& t : n.terms) sum += t.coefficient * values_[static_cast<size_t>(t.slot)];
    return sum;
  }
  const Expr e = n.expr;
  const DType type = e->type.dtype;
  switch (e->kind) {
    case ExprKind::kConst: return ir::is_float(type) ? e->fval : static_cast<double>(e->ival);
    case ExprKind::kVar: return values_[static_cast<size_t>(n.slot)];
    case ExprKind::kLoad: return load(n);
    case ExprKind::kSelect: return arg(n, 0) != 0 ? arg(n, 1) : arg(n, 2);
    case ExprKind::kAdd: return wrap(type, arg(n, 0) + arg(n, 1));
    case ExprKind::kSub: return wrap(type, arg(n, 0) - arg(n, 1));
    case ExprKind::kMul: return multiply(type, arg(n, 0), arg(n, 1));
    case ExprKind::kMad: return wrap(type, multiply(type, arg(n, 0), arg(n, 1)) + arg(n, 2));
    case ExprKind::kDiv: return divide(type, arg(n, 0), arg(n, 1));
    case ExprKind::kMod: return modulo(type, arg(n, 0), arg(n, 1));
    case ExprKind::kMin: return ir::min_of(arg(n, 0), arg(n, 1));
    case ExprKind::kMax: return ir::max_of(arg(n, 0), arg(n, 1));
    case ExprKind::kAnd: return arg(n, 0) != 0 && arg(n, 1) != 0;
    case ExprKind::kOr: return arg(n, 0) != 0 || arg(n, 1) != 0;
    case ExprKind::kNot: return arg(n, 0) == 0;
    case ExprKind::kEq: return arg(n, 0) == arg(n, 1);
    case ExprKind::kLt: return arg(n, 0) < arg(n, 1);
    case ExprKind::kLe: return arg(n, 0) <= arg(n, 1);
    case ExprKind::kCast: return cast_value(type, e->args[0]->type.dtype, arg(n, 0));
    case ExprKind::kCall: return call_value(e->intrinsic, arg(n, 0), n.args.size() > 1 ? arg(n, 1) : 0);
    case ExprKind::kBitAnd: return wrap(type, static_cast<double>(as_bits(arg(n, 0)) & as_bits(arg(n, 1))));
    case ExprKind::kBitOr: return wrap(type, static_cast<double>(as_bits(arg(n, 0)) | as_bits(arg(n, 1))));
    case ExprKind::kBitXor: return wrap(type, static_cast<double>(as_bits(arg(n, 0)) ^ as_bits(arg(n, 1))));
    case ExprKind::kShl: return wrap(type, std::ldexp(arg(n, 0), static_cast<int>(modulo(type, arg(n, 1), ir::size_bits(type)))));
    case ExprKind::kShr: return std::floor(std::ldexp(arg(n, 0), -static_cast<int>(modulo(type, arg(n, 1), ir::size_bits(type)))));
    case ExprKind::kBitcast: return bits_as(type, e->args[0]->type.dtype, arg(n, 0));
    case ExprKind::kBroadcast: case ExprKind::kRamp: case ExprKind::kExtract: case ExprKind::kShuffle: break;
  }
  CHECK(false, cat("a tensor expression holds a ", ir::kind_name(e->kind), ", which has no place there"));
  return 0;
}

// Hears a cancel once in some thousand points.
class Pause {
 public:
  explicit Pause(const CancelToken* cancel) : cancel_(cancel) {}
  bool ends() { return ++points_ % kPointsMax == 0 && is_cancelled(cancel_); }

 private:
  static constexpr uint32_t kPointsMax = 4096;
  const CancelToken* cancel_;
  uint32_t points_ = 0;
};

// Calls visit() for each point of the axes' domain in row-major order, with the variables set. A domain without axes has one point.
template <class Visit>
void for_each_point(Evaluator& evaluator, const std::vector<Axis>& axes, const std::vector<int>& slots, Pause& pause,
                    const Visit& visit) {
  std::vector<int64_t> point(axes.size(), 0);
  for (const Axis& a : axes)
    if (a.extent == 0) return;
  for (int slot : slots) evaluator.set(slot, 0);
  for (;;) {
    if (pause.ends()) return;
    visit();
    size_t d = axes.size();
    while (d > 0 && ++point[d - 1] == axes[d - 1].extent) {
      point[--d] = 0;
      evaluator.set(slots[d], 0);
    }
    if (d == 0) return;
    evaluator.set(slots[d - 1], static_cast<double>(point[d - 1]));
  }
}

class ComputeRunner {
 public:
  ComputeRunner(const Compute& compute, Evaluator::Storage& storage, const CancelToken* cancel)
      : compute_(compute), storage_(storage), evaluator_(storage), pause_(cancel) {}
  void run();

 private:
  std::vector<int> compile_all(const std::vector<Expr>& exprs) {
    std::vector<int> out;
    for (Expr e : exprs) out.push_back(evaluator_.compile(e));
    return out;
  }
  std::vector<int> slots_of(const std::vector<Axis>& axes) {
    std::vector<int> out;
    for (const Axis& a : axes) out.push_back(evaluator_.slot(a.var));
    return out;
  }
  std::vector<double> all(const std::vector<int>& nodes) const {
    std::vector<double> out;
    for (int n : nodes) out.push_back(evaluator_.run(n));
    return out;
  }
  void fold();

  const Compute& compute_;
  Evaluator::Storage& storage_;
  Evaluator evaluator_;
  Pause pause_;
  std::vector<int> value_, finish_, identity_, combine_, acc_, val_, reduce_slots_;
};

void ComputeRunner::fold() {
  const std::vector<double> start = all(identity_);
  for (size_t i = 0; i < acc_.size(); i++) evaluator_.set(acc_[i], start[i]);
  for_each_point(evaluator_, compute_.reduce->axes, reduce_slots_, pause_, [&] {
    for (size_t i = 0; i < value_.size(); i++) evaluator_.set(val_[i], evaluator_.run(value_[i]));
    if (combine_.size() == 1) {
      evaluator_.set(acc_[0], evaluator_.run(combine_[0]));
    } else {
      const std::vector<double> joined = all(combine_);
      for (size_t i = 0; i < joined.size(); i++) evaluator_.set(acc_[i], joined[i]);
    }
  });
}

void ComputeRunner::run() {
  const std::vector<int> slots = slots_of(compute_.axes);
  value_ = compile_all(compute_.value);
  finish_ = compile_all(compute_.finish);
  if (compute_.reduce) {
    const Combiner& k = compute_.reduce->combiner;
    reduce_slots_ = slots_of(compute_.reduce->axes);
    identity_ = compile_all(k.identity);
    combine_ = compile_all(k.combine);
    for (Var v : k.acc) acc_.push_back(evaluator_.slot(v));
    for (Var v : k.val) val_.push_back(evaluator_.slot(v));
    if (finish_.empty()) finish_ = compile_all({k.acc.begin(), k.acc.end()});
  }
  evaluator_.prepare();
  std::vector<std::vector<double>*> outputs;
  for (Tensor t : compute_.outputs) {
    outputs.push_back(&storage_[t]);
    outputs.back()->reserve(static_cast<size_t>(ir::element_count(t->shape)));
  }
  const std::vector<int>& results = compute_.reduce ? finish_ : value_;
  for_each_point(evaluator_, compute_.axes, slots, pause_, [&] {
    if (compute_.reduce) fold();
    for (size_t i = 0; i < outputs.size(); i++) outputs[i]->push_back(evaluator_.run(results[i]));
  });
}

}  // namespace

Result<std::vector<std::vector<double>>> evaluate(const Program& program, std::vector<std::vector<double>> inputs,
                                                  const CancelToken* cancel) {
  CHECK(inputs.size() == program.inputs.size(), "evaluate needs one input per tensor");
  Evaluator::Storage storage;
  for (size_t i = 0; i < inputs.size(); i++) {
    CHECK(static_cast<int64_t>(inputs[i].size()) == ir::element_count(program.inputs[i]->shape),
          cat("input ", program.inputs[i]->name, " has ", inputs[i].size(), " elements"));
    storage[program.inputs[i]] = std::move(inputs[i]);
  }
  for (const Compute& c : program.computes)
    for (Tensor t : c.outputs) storage[t];  // every tensor has its place before expressions point at it
  for (const Compute& c : program.computes) {
    ComputeRunner(c, storage, cancel).run();
    HONE_TRY(check_cancel(cancel));  // what a cancelled compute left is incomplete
  }
  std::vector<std::vector<double>> out;
  for (Tensor t : program.outputs) out.push_back(storage[t]);
  return out;
}

std::vector<std::vector<double>> evaluate(const Program& program, const std::vector<std::vector<double>>& inputs) {
  return *evaluate(program, inputs, nullptr);
}

namespace {

// Of the expression as a tree, as the evaluator walks it.
double tree_nodes(Expr e, std::unordered_map<Expr, double>& known) {
  if (!e) return 0;
  if (const auto it = known.find(e); it != known.end()) return it->second;
  double nodes = 1 + tree_nodes(e->mask, known) + tree_nodes(e->other, known);
  for (Expr a : e->args) nodes += tree_nodes(a, known);
  return known[e] = nodes;
}
double tree_nodes(const std::vector<Expr>& exprs) {
  std::unordered_map<Expr, double> known;
  double nodes = 0;
  for (Expr e : exprs) nodes += tree_nodes(e, known);
  return nodes;
}

double points(const std::vector<Axis>& axes) {
  double out = 1;
  for (const Axis& a : axes) out *= static_cast<double>(a.extent);
  return out;
}

double nodes_of(const Compute& c) {
  if (!c.reduce) return points(c.axes) * tree_nodes(c.value);
  const double inner = tree_nodes(c.value) + tree_nodes(c.reduce->combiner.combine);
  return points(c.axes) * (points(c.reduce->axes) * inner + tree_nodes(c.finish) + 1);
}

}  // namespace

EvaluationCost evaluation_cost(const Program& program) {
  EvaluationCost cost;
  for (Tensor t : program.inputs) cost.elements += static_cast<double>(ir::element_count(t->shape));
  for (const Compute& c : program.computes) {
    cost.elements += static_cast<double>(c.outputs.size()) * points(c.axes);
    cost.nodes += nodes_of(c);
  }
  return cost;
}

}  // namespace hone::te
