#include "codegen/schedule/winograd.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/cat.h"
#include "codegen/arith/affine.h"
#include "codegen/ir/mutator.h"
#include "codegen/schedule/half_sum.h"
#include "codegen/schedule/illegal.h"
#include "codegen/te/sym.h"

namespace hone::schedule {

using ir::Expr;
using te::Axis;
using te::Compute;
using te::Sym;
using te::Tensor;

namespace {

// A dimension of the data that is read at output axis + tap + offset.
struct Sliding {
  size_t dimension = 0;
  size_t axis = 0;           // of the reduction's spatial axes
  size_t tap = 0;            // of its reduce axes
  size_t tap_dimension = 0;  // of the taps' tensor
  int64_t offset = 0;
};

struct Pattern {
  const Compute* reduction = nullptr;
  Expr data = nullptr, taps = nullptr;  // the loads
  std::vector<Sliding> sliding;         // two
};

bool is_constant(const te::Task& task, Tensor tensor) {
  const std::vector<Tensor>& inputs = task.program.inputs;
  const auto found = std::find(inputs.begin(), inputs.end(), tensor);
  return found != inputs.end() && task.args[static_cast<size_t>(found - inputs.begin())].role == te::Role::kConstant;
}

std::optional<size_t> axis_of(const std::vector<Axis>& axes, Expr var) {
  for (size_t i = 0; i < axes.size(); i++)
    if (axes[i].var == var) return i;
  return std::nullopt;
}

// Is the index one spatial axis plus one reduce axis of three steps?
std::optional<Sliding> sliding_of(const Compute& c, size_t dimension, Expr index) {
  const arith::Affine a = arith::to_affine(index);
  if (a.terms.size() != 2 || a.terms[0].coefficient != 1 || a.terms[1].coefficient != 1) return std::nullopt;
  for (size_t first : {0u, 1u}) {
    const auto axis = axis_of(c.axes, a.terms[first].atom);
    const auto tap = axis_of(c.reduce->axes, a.terms[1 - first].atom);
    if (axis && tap && c.reduce->axes[*tap].extent == kWinogradTaps)
      return Sliding{dimension, *axis, *tap, 0, a.constant};
  }
  return std::nullopt;
}

bool uses_sliding(const Pattern& p, Expr e) {
  return std::any_of(p.sliding.begin(), p.sliding.end(), [&](const Sliding& s) {
    return ir::uses_var(e, p.reduction->axes[s.axis].var) || ir::uses_var(e, p.reduction->reduce->axes[s.tap].var);
  });
}

bool is_sliding(const Pattern& p, size_t dimension) {
  return std::any_of(p.sliding.begin(), p.sliding.end(), [&](const Sliding& s) { return s.dimension == dimension; });
}

bool is_tap(const Pattern& p, size_t dimension) {
  return std::any_of(p.sliding.begin(), p.sliding.end(),
                     [&](const Sliding& s) { return s.tap_dimension == dimension; });
}

Status find_sliding(Pattern& p) {
  const Compute& c = *p.reduction;
  for (size_t d = 0; d < p.data->args.size(); d++)
    if (const auto found = sliding_of(c, d, p.data->args[d])) p.sliding.push_back(*found);
  if (p.sliding.size() != 2 || p.sliding[0].axis == p.sliding[1].axis || p.sliding[0].tap == p.sliding[1].tap)
    return illegal(cat("'", p.data->buffer->name, "' is read at ", p.sliding.size(),
                       " indices of the form axis + tap with 3 taps, stride 1 and dilation 1; expected 2"));
  for (size_t d = 0; d < p.data->args.size(); d++)
    if (!is_sliding(p, d) && uses_sliding(p, p.data->args[d]))
      return illegal(cat("dimension ", d, " of '", p.data->buffer->name, "' is read by a window's axes, too"));
  return ok_status();
}

Status find_taps(Pattern& p) {
  std::vector<size_t> found;
  for (Sliding& s : p.sliding)
    for (size_t d = 0; d < p.taps->args.size(); d++)
      if (p.taps->args[d] == p.reduction->reduce->axes[s.tap].var) {
        s.tap_dimension = d;
        found.push_back(d);
      }
  bool others = found.size() == 2;
  for (size_t d = 0; d < p.taps->args.size() && others; d++) others = is_tap(p, d) || !uses_sliding(p, p.taps->args[d]);
  if (!others)
    return illegal(cat("constant '", p.taps->buffer->name, "' is not indexed by each tap in a dimension of its own"));
  return ok_status();
}

Result<Pattern> match(const te::Task& task, const std::string& name) {
  const auto& computes = task.program.computes;
  const auto found = std::find_if(computes.begin(), computes.end(), [&](const Compute& c) { return c.name == name; });
  if (found == computes.end()) return illegal(cat("the task computes nothing named '", name, "'"));
  const Compute& c = *found;
  if (!c.reduce || !c.finish.empty() || c.value[0]->kind != ir::ExprKind::kMul ||
      !is_sum(c.reduce->combiner, ir::DType::kF32) || !c.reduce->combiner.reassociable)
    return illegal(cat("'", name, "' is not a sum of products of f32"));
  Pattern p{.reduction = &c, .data = c.value[0]->args[0], .taps = c.value[0]->args[1]};
  if (p.data->kind != ir::ExprKind::kLoad || p.taps->kind != ir::ExprKind::kLoad)
    return illegal(cat("'", name, "' adds up products of something else than two elements"));
  if (!is_constant(task, p.taps->buffer)) std::swap(p.data, p.taps);
  if (!is_constant(task, p.taps->buffer))
    return illegal(cat("neither operand of '", name, "' is a constant, whose transform would be worth keeping"));
  if (c.reduce->axes.size() < 3)
    return illegal(cat("'", name, "' reduces over ", c.reduce->axes.size(),
                       " axes; expected two taps and at least one more, which the products are summed over"));
  HONE_TRY(find_sliding(p));
  HONE_TRY(find_taps(p));
  return p;
}

// The combination of the loads with the coefficients of a matrix' row.
Sym combination(const std::vector<double>& row, const std::function<Sym(size_t)>& load) {
  std::vector<size_t> order;  // a positive term first: nothing is negated
  for (const bool positive : {true, false})
    for (size_t i = 0; i < row.size(); i++)
      if (row[i] != 0 && (row[i] > 0) == positive) order.push_back(i);
  Sym sum = load(order[0]);
  if (row[order[0]] != 1) sum = sum * row[order[0]];
  for (size_t n = 1; n < order.size(); n++) {
    const double factor = row[order[n]];
    const Sym term = load(order[n]);
    sum = factor == 1 ? sum + term : factor == -1 ? sum - term : sum + term * factor;
  }
  return sum;
}

class Rewriter {
 public:
  Rewriter(const te::Task& task, const Pattern& pattern, const WinogradMatrices& matrices,
           std::shared_ptr<ir::Arena> arena)
      : p_(pattern), m_(matrices), program_(task.program) {
    program_.arena = std::move(arena);
  }

  Result<te::Program> run() {
    const auto position = std::find_if(program_.computes.begin(), program_.computes.end(),
                                       [&](const Compute& c) { return c.name == p_.reduction->name; });
    const std::vector<Compute> after(position + 1, program_.computes.end());
    program_.computes.erase(position, program_.computes.end());
    const Tensor v = transformed_data(), u = transformed_taps();
    transformed_back(products(v, u));
    program_.computes.insert(program_.computes.end(), after.begin(), after.end());
    return std::move(program_);
  }

 private:
  Axis axis(const std::string& name, int64_t extent) {
    return {name, extent, program_.arena->var(name, ir::kIndexType, extent)};
  }
  Axis fresh(const Axis& a) { return axis(a.name, a.extent); }
  Sym sym(Expr e) { return {program_.arena.get(), e}; }
  Sym sym(const Axis& a) { return sym(a.var); }
  Sym index(int64_t value) { return sym(program_.arena->index(value)); }
  Sym at(Tensor tensor, const std::vector<Sym>& indices) {
    std::vector<Expr> exprs;
    for (const Sym& s : indices) exprs.push_back(s.expr);
    return sym(program_.arena->load(tensor, std::move(exprs)));
  }
  std::string name(const char* part) const { return cat(p_.reduction->name, ".", part); }
  int64_t tiles(const Sliding& s) const { return (p_.reduction->axes[s.axis].extent + m_.outputs - 1) / m_.outputs; }

  Tensor map(const std::string& name, std::vector<Axis> axes, Sym value) {
    ir::Shape shape;
    for (const Axis& a : axes) shape.push_back(a.extent);
    Compute c{.name = name, .axes = std::move(axes), .value = {value.expr}};
    c.outputs = {program_.arena->buffer(name, ir::DType::kF32, shape, ir::Scope::kScratch)};
    program_.computes.push_back(std::move(c));
    return program_.computes.back().outputs[0];
  }

  // The row of the matrix that the position picks, as combinations of load(column).
  Sym picked(const std::vector<std::vector<double>>& matrix, Sym position, const std::function<Sym(size_t)>& load) {
    Sym value = combination(matrix.back(), load);
    for (size_t row = matrix.size() - 1; row-- > 0;)
      value = te::select(position == static_cast<double>(row), combination(matrix[row], load), value);
    return value;
  }

  // Axes `first` and then those of the tensor, sliding dimensions as tiles (h, w) and taps left out.
  std::vector<Axis> with_tiles(std::vector<Axis> first) {
    const Tensor x = p_.data->buffer;
    for (size_t d = 0; d < x->shape.size(); d++) {
      const auto s =
          std::find_if(p_.sliding.begin(), p_.sliding.end(), [&](const Sliding& s) { return s.dimension == d; });
      first.push_back(s == p_.sliding.end() ? axis(cat("x", d), x->shape[d]) : axis(cat("t", d), tiles(*s)));
    }
    return first;
  }

  static std::vector<Sym> replaced(std::vector<Sym> at, std::initializer_list<Sym> first) {
    std::copy(first.begin(), first.end(), at.begin());
    return at;
  }
  std::vector<Sym> syms(const std::vector<Axis>& axes) {
    std::vector<Sym> out;
    for (const Axis& a : axes) out.push_back(sym(a));
    return out;
  }

  // d[i, j, …]: element (i, j) of a tile; the last tiles may reach beyond the tensor.
  Tensor data_tiles() {
    const Tensor x = p_.data->buffer;
    const std::vector<Axis> axes = with_tiles({axis("i", m_.tile()), axis("j", m_.tile())});
    std::vector<Sym> at_x = syms({axes.begin() + 2, axes.end()});
    std::optional<Sym> inside;
    for (size_t n = 0; n < 2; n++) {
      const Sliding& s = p_.sliding[n];
      Sym& e = at_x[s.dimension];
      e = e * static_cast<double>(m_.outputs) + sym(axes[n]) + static_cast<double>(s.offset);
      if (tiles(s) * m_.outputs + kWinogradTaps - 1 + s.offset <= x->shape[s.dimension]) continue;
      const Sym holds = e < static_cast<double>(x->shape[s.dimension]);
      inside = inside ? te::both(*inside, holds) : holds;
    }
    const Sym value = at(x, at_x);
    return map(name("d"), axes, inside ? te::select(*inside, value, value.number(0)) : value);
  }

  // bd[a, j, …] = Bᵀ d, v[a, b, …] = (Bᵀ d) B
  Tensor transformed_data() {
    const Tensor d = data_tiles();
    const std::vector<Axis> rows = with_tiles({axis("a", m_.tile()), axis("j", m_.tile())});
    const Tensor bd = map(name("bd"), rows, picked(m_.b_t, sym(rows[0]), [&](size_t i) {
                            return at(d, replaced(syms(rows), {index(static_cast<int64_t>(i))}));
                          }));
    const std::vector<Axis> both = with_tiles({axis("a", m_.tile()), axis("b", m_.tile())});
    return map(name("v"), both, picked(m_.b_t, sym(both[1]), [&](size_t j) {
                 return at(bd, replaced(syms(both), {sym(both[0]), index(static_cast<int64_t>(j))}));
               }));
  }

  // Axes `first` and then those of the taps' tensor that are no taps, reduced ones first.
  std::vector<Axis> with_channels(std::vector<Axis> first) {
    for (const size_t d : channel_dimensions()) first.push_back(axis(cat("w", d), p_.taps->buffer->shape[d]));
    return first;
  }
  std::vector<size_t> channel_dimensions() const {
    std::vector<size_t> reduced, spatial;
    for (size_t d = 0; d < p_.taps->args.size(); d++) {
      if (is_tap(p_, d)) continue;
      const std::vector<Axis>& axes = p_.reduction->reduce->axes;
      const bool by_k =
          std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return ir::uses_var(p_.taps->args[d], a.var); });
      (by_k ? reduced : spatial).push_back(d);
    }
    reduced.insert(reduced.end(), spatial.begin(), spatial.end());
    return reduced;
  }

  // g[a, s, …] = G g, u[a, b, …] = (G g) Gᵀ
  Tensor transformed_taps() {
    const std::vector<size_t> dimensions = channel_dimensions();
    const std::vector<Axis> rows = with_channels({axis("a", m_.tile()), axis("s", kWinogradTaps)});
    const Tensor g = map(name("g"), rows, picked(m_.g, sym(rows[0]), [&](size_t r) {
                           std::vector<Sym> w(p_.taps->args.size());
                           for (size_t n = 0; n < dimensions.size(); n++) w[dimensions[n]] = sym(rows[n + 2]);
                           w[p_.sliding[0].tap_dimension] = index(static_cast<int64_t>(r));
                           w[p_.sliding[1].tap_dimension] = sym(rows[1]);
                           return at(p_.taps->buffer, w);
                         }));
    const std::vector<Axis> both = with_channels({axis("a", m_.tile()), axis("b", m_.tile())});
    return map(name("u"), both, picked(m_.g, sym(both[1]), [&](size_t s) {
                 return at(g, replaced(syms(both), {sym(both[0]), index(static_cast<int64_t>(s))}));
               }));
  }

  // The reduction's spatial axes: those that the data is read by, then the others, along which the taps lie.
  std::vector<size_t> axis_order() const {
    std::vector<size_t> order, others;
    for (size_t a = 0; a < p_.reduction->axes.size(); a++) {
      const Axis& axis = p_.reduction->axes[a];
      const bool of_data =
          std::any_of(p_.data->args.begin(), p_.data->args.end(), [&](Expr e) { return ir::uses_var(e, axis.var); });
      const bool of_taps =
          std::any_of(p_.taps->args.begin(), p_.taps->args.end(), [&](Expr e) { return ir::uses_var(e, axis.var); });
      (of_data || !of_taps ? order : others).push_back(a);
    }
    order.insert(order.end(), others.begin(), others.end());
    return order;
  }
  const Sliding* sliding_on(size_t axis) const {
    for (const Sliding& s : p_.sliding)
      if (s.axis == axis) return &s;
    return nullptr;
  }

  // m[a, b, …] = Σ v · u
  Tensor products(Tensor v, Tensor u) {
    std::vector<Axis> axes{axis("a", m_.tile()), axis("b", m_.tile())}, reduced;
    ir::VarMap map;
    for (const size_t a : axis_order()) {
      const Sliding* s = sliding_on(a);
      axes.push_back(axis(p_.reduction->axes[a].name, s ? tiles(*s) : p_.reduction->axes[a].extent));
      map[p_.reduction->axes[a].var] = axes.back().var;
    }
    for (const Axis& a : p_.reduction->reduce->axes) {
      if (a.var == tap(0).var || a.var == tap(1).var) continue;
      reduced.push_back(fresh(a));
      map[a.var] = reduced.back().var;
    }
    std::vector<Sym> at_v{sym(axes[0]), sym(axes[1])}, at_u = at_v;
    for (size_t d = 0; d < p_.data->args.size(); d++) {
      const auto s =
          std::find_if(p_.sliding.begin(), p_.sliding.end(), [&](const Sliding& s) { return s.dimension == d; });
      const Expr e = s == p_.sliding.end() ? p_.data->args[d] : p_.reduction->axes[s->axis].var;
      at_v.push_back(sym(ir::substitute(*program_.arena, e, map)));
    }
    for (const size_t d : channel_dimensions())
      at_u.push_back(sym(ir::substitute(*program_.arena, p_.taps->args[d], map)));
    ir::Shape shape;
    for (const Axis& a : axes) shape.push_back(a.extent);
    Compute c{.name = name("m"), .axes = std::move(axes), .value = {(at(v, at_v) * at(u, at_u)).expr}};
    c.reduce = te::Reduce{std::move(reduced), p_.reduction->reduce->combiner};
    c.outputs = {program_.arena->buffer(c.name, ir::DType::kF32, shape, ir::Scope::kScratch)};
    program_.computes.push_back(std::move(c));
    return program_.computes.back().outputs[0];
  }
  const Axis& tap(size_t n) const { return p_.reduction->reduce->axes[p_.sliding[n].tap]; }

  // am[i, b, …] = Aᵀ m, and the reduction's own output: y = (Aᵀ m) A, element (h % m, w % m) of tile (h / m, w / m)
  void transformed_back(Tensor m) {
    const std::vector<size_t> order = axis_order();
    std::vector<Axis> rows{axis("i", m_.outputs), axis("b", m_.tile())}, own;
    for (size_t n = 0; n < order.size(); n++) rows.push_back(axis(p_.reduction->axes[order[n]].name, m->shape[n + 2]));
    const Tensor am = map(name("am"), rows, picked(m_.a_t, sym(rows[0]), [&](size_t a) {
                            return at(m, replaced(syms(rows), {index(static_cast<int64_t>(a))}));
                          }));
    for (const Axis& a : p_.reduction->axes) own.push_back(fresh(a));
    const double outputs = static_cast<double>(m_.outputs);
    std::vector<Sym> at_am(2);
    at_am[0] = sym(own[p_.sliding[0].axis]) % outputs;
    for (const size_t a : order) at_am.push_back(sliding_on(a) ? sym(own[a]) / outputs : sym(own[a]));
    const Sym value = picked(m_.a_t, sym(own[p_.sliding[1].axis]) % outputs, [&](size_t b) {
      return at(am, replaced(at_am, {at_am[0], index(static_cast<int64_t>(b))}));
    });
    program_.computes.push_back(
        {.name = p_.reduction->name, .outputs = p_.reduction->outputs, .axes = own, .value = {value.expr}});
  }

  const Pattern& p_;
  const WinogradMatrices& m_;
  te::Program program_;
};

}  // namespace

const WinogradMatrices& winograd_matrices(int64_t outputs) {
  static const WinogradMatrices two{2,
                                    {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                                    {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
                                    {{1, 1, 1, 0}, {0, 1, -1, -1}}};
  static const WinogradMatrices four{
      4,
      {{4, 0, -5, 0, 1, 0},
       {0, -4, -4, 1, 1, 0},
       {0, 4, -4, -1, 1, 0},
       {0, -2, -1, 2, 1, 0},
       {0, 2, -1, -2, 1, 0},
       {0, 4, 0, -5, 0, 1}},
      {{1. / 4, 0, 0},
       {-1. / 6, -1. / 6, -1. / 6},
       {-1. / 6, 1. / 6, -1. / 6},
       {1. / 24, 1. / 12, 1. / 6},
       {1. / 24, -1. / 12, 1. / 6},
       {0, 0, 1}},
      {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
  CHECK(outputs == 2 || outputs == 4, "Winograd's tiles have 2 or 4 outputs along an axis");
  return outputs == 2 ? two : four;
}

Result<te::Program> winograd_program(const te::Task& task, const std::string& name, int64_t outputs,
                                     std::shared_ptr<ir::Arena> arena) {
  HONE_ASSIGN(pattern, match(task, name));
  return Rewriter(task, pattern, winograd_matrices(outputs), std::move(arena)).run();
}

}  // namespace hone::schedule
