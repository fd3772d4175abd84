#include "tuner/features/loop_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"

namespace hone::tuner {

namespace {

constexpr int64_t kStepsLookedAt = 16;

using ir::Expr;
using ir::ExprKind;
using ir::Place;
using ir::Stmt;
using ir::StmtKind;

struct Enclosing {
  ir::Var var;
  double extent;
  Place place;
};

class Reader {
 public:
  explicit Reader(const ir::Launch& launch) : launch_(launch) {
    facts_.grid = launch.grid;
    facts_.threads = launch.threads;
  }

  LoopFacts read() {
    visit(launch_.body);
    return std::move(facts_);
  }

 private:
  void visit(Stmt s) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::kFor:
        loops_.push_back({s->var, static_cast<double>(s->extent), s->place});
        visit(s->body[0]);
        loops_.pop_back();
        return;
      case StmtKind::kIf:
        read_expr(s->value);
        ++conditions_;
        for (Stmt child : s->body) visit(child);
        --conditions_;
        return;
      case StmtKind::kAlloc:
        read_alloc(s->buffer);
        return;
      case StmtKind::kBarrier:
        facts_.barriers += trips();
        return;
      case StmtKind::kLet:
        lets_[s->var] = s->value;
        read_expr(s->value);
        return;
      case StmtKind::kStore:
        read_store(s);
        return;
      default:
        for (Stmt child : s->body) visit(child);
    }
  }

  double trips() const {
    double n = 1;
    for (const Enclosing& l : loops_) n *= l.extent;
    return n;
  }

  double lanes() const {
    double n = 1;
    for (const Enclosing& l : loops_)
      if (l.place == Place::kVectorize) n *= l.extent;
    return n;
  }

  void read_alloc(ir::Buffer buffer) {
    auto elements = static_cast<double>(ir::element_count(buffer->shape));
    if (buffer->scope == ir::Scope::kWorkgroup) facts_.workgroup_bytes += elements * ir::size_bytes(buffer->dtype);
    else facts_.register_elements += elements;
  }

  void read_store(Stmt s) {
    double n = trips();
    facts_.stores += n / lanes();
    if (conditions_ > 0 || s->mask) facts_.masked += n / lanes();
    double copies = 1, serial = 1, inner = 1;
    for (const Enclosing& l : loops_) {
      if (l.place == Place::kUnroll) copies *= l.extent;
      if (l.place == Place::kSerial) serial *= inner = l.extent;
    }
    facts_.statements += copies;
    if (n > busiest_) {
      busiest_ = n;
      facts_.serial_trips = serial;
      facts_.inner_extent = inner;
    }
    if (s->buffer->scope == ir::Scope::kWorkgroup) facts_.workgroup_stores += n / lanes();
    if (is_global(s->buffer)) facts_.accesses.push_back(access(s->buffer, s->indices[0], true));
    read_expr(s->value);
    read_expr(s->mask);
  }

  static bool is_global(ir::Buffer b) { return b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch; }

  // Each distinct node once: the compiler shares what is equal.
  void read_expr(Expr e) {
    double n = trips(), vectors = n / lanes();
    ir::NodeSet seen;
    ir::for_each_node(e, seen, [&](Expr node) {
      if (node->kind == ExprKind::kLoad) return read_load(node);
      if (node->type.dtype == ir::DType::kIndex) {
        facts_.divisions += node->kind == ExprKind::kDiv || node->kind == ExprKind::kMod ? vectors : 0;
        return;
      }
      switch (node->kind) {
        case ExprKind::kMad:
          facts_.flops += n;
          [[fallthrough]];
        case ExprKind::kAdd:
        case ExprKind::kSub:
        case ExprKind::kMul:
        case ExprKind::kMin:
        case ExprKind::kMax:
          facts_.flops += n;
          facts_.operations += vectors;
          break;
        case ExprKind::kCall:
          if (ir::is_exchange(node)) {
            facts_.operations += vectors;
            break;
          }
          [[fallthrough]];
        case ExprKind::kDiv:
          facts_.special += vectors;
          break;
        case ExprKind::kSelect:
          facts_.selects += vectors;
          break;
        default:
          break;
      }
    });
  }

  void read_load(Expr load) {
    double vectors = trips() / lanes();
    if (load->buffer->scope == ir::Scope::kWorkgroup) facts_.workgroup_loads += vectors;
    else if (!is_global(load->buffer)) facts_.register_loads += vectors;
    else facts_.accesses.push_back(access(load->buffer, load->args[0], false));
    if (load->mask) facts_.selects += vectors;
  }

  // The usual change of an index per step of a variable: inside of divisions and remainders, that of most of its first steps with all other
  // variables at 0. kIrregular where that cannot be known (an index that comes from data).
  double stride(const arith::Affine& a, ir::Var var) const {
    bool is_plain = true;
    double sum = 0;
    for (const arith::Term& t : a.terms) {
      if (t.atom == var) sum += static_cast<double>(t.coefficient);
      else is_plain &= t.atom->kind == ExprKind::kVar || !ir::uses_var(t.atom, var);
    }
    return is_plain ? sum : usual_step(a, var);
  }

  double usual_step(const arith::Affine& a, ir::Var var) const {
    std::map<int64_t, int> seen;
    std::optional<int64_t> before = value(a, var, 0);
    for (int64_t i = 1; i <= kStepsLookedAt && before; ++i) {
      const std::optional<int64_t> now = value(a, var, i);
      if (now) ++seen[*now - *before];
      before = now;
    }
    if (!before) return kIrregular;
    auto rarer = [](const auto& x, const auto& y) { return x.second < y.second; };
    return static_cast<double>(std::max_element(seen.begin(), seen.end(), rarer)->first);
  }

  std::optional<int64_t> value(const arith::Affine& a, ir::Var var, int64_t at) const {
    int64_t sum = a.constant;
    for (const arith::Term& t : a.terms) {
      const std::optional<int64_t> atom = value(t.atom, var, at);
      if (!atom) return std::nullopt;
      sum += t.coefficient * *atom;
    }
    return sum;
  }

  std::optional<int64_t> value(Expr e, ir::Var var, int64_t at) const {
    if (e == var) return at;
    if (e->kind == ExprKind::kConst) return e->ival;
    if (e->kind == ExprKind::kVar) {
      auto let = lets_.find(e);
      return let == lets_.end() ? 0 : value(let->second, var, at);
    }
    if (e->kind == ExprKind::kLoad || e->args.size() != 2) return std::nullopt;
    const std::optional<int64_t> x = value(e->args[0], var, at), y = value(e->args[1], var, at);
    return x && y ? of_two(e->kind, *x, *y) : std::nullopt;
  }

  static std::optional<int64_t> of_two(ExprKind kind, int64_t x, int64_t y) {
    switch (kind) {
      case ExprKind::kAdd:
        return x + y;
      case ExprKind::kSub:
        return x - y;
      case ExprKind::kMul:
        return x * y;
      case ExprKind::kDiv:
        return y > 0 && x >= 0 ? std::optional(x / y) : std::nullopt;
      case ExprKind::kMod:
        return y > 0 && x >= 0 ? std::optional(x % y) : std::nullopt;
      case ExprKind::kMin:
        return std::min(x, y);
      case ExprKind::kMax:
        return std::max(x, y);
      default:
        return std::nullopt;
    }
  }

  static double span(double stride, double extent) { return stride == 0 ? 1 : extent; }

  LoopAccess access(ir::Buffer buffer, Expr index, bool store) const {
    arith::Affine a = arith::to_affine(resolve(index));
    LoopAccess out{.buffer = buffer, .store = store, .elements = trips(), .instructions = 1, .footprint_thread = 1};
    for (const Enclosing& l : loops_) {
      double s = stride(a, l.var);
      if (l.place == Place::kSerial) {
        out.stride_inner = s;
        out.instructions *= l.extent;
      } else if (l.place == Place::kVectorize) {
        if (s == 1) out.lanes *= l.extent;
        else out.instructions *= span(s, l.extent);
      } else {
        out.instructions *= span(s, l.extent);
      }
      out.footprint_thread *= span(s, l.extent);
    }
    out.footprint_block = out.footprint_thread;
    for (size_t d = 0; d < 3; ++d) {
      if (ir::Var v = launch_.thread_vars[d]) {
        double s = stride(a, v);
        if (d == 0) out.stride_thread = s;
        out.footprint_block *= span(s, static_cast<double>(launch_.threads[d]));
      }
      if (ir::Var v = launch_.block_vars[d])
        if (stride(a, v) == 0) out.reuse_blocks *= static_cast<double>(launch_.grid[d]);
    }
    if (launch_.thread_linear) {
      double s = stride(a, launch_.thread_linear);
      if (s != 0) {
        out.stride_thread = s;
        out.footprint_block *= static_cast<double>(launch_.threads[0] * launch_.threads[1] * launch_.threads[2]);
      }
    }
    return out;
  }

  Expr resolve(Expr e) const {
    auto found = lets_.find(e);
    return found == lets_.end() ? e : found->second;
  }

  const ir::Launch& launch_;
  LoopFacts facts_;
  std::vector<Enclosing> loops_;
  std::unordered_map<Expr, Expr> lets_;
  int conditions_ = 0;
  double busiest_ = 0;
};

}  // namespace

LoopFacts read_loops(const ir::Launch& launch) { return Reader(launch).read(); }

}  // namespace hone::tuner
