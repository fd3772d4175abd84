#include "codegen/schedule/region.h"

#include <algorithm>
#include <numeric>

#include "base/cat.h"

namespace hone::schedule {

using arith::Affine;
using arith::Interval;
using ir::Expr;

namespace {

struct Access {
  Affine outer;               // fixed part, its constant included
  std::vector<Level> levels;  // unmerged
};

bool uses_inner(Expr e, const std::function<bool(ir::Var)>& inner) {
  bool found = false;
  ir::for_each_node(e, [&](Expr n) { found |= n->kind == ir::ExprKind::kVar && inner(n); });
  return found;
}

Result<Access> split_access(arith::Analyzer& analyzer, Expr e, const std::function<bool(ir::Var)>& inner) {
  Access out;
  Affine a = arith::to_affine(analyzer.simplify(e));
  out.outer.constant = a.constant;
  for (const arith::Term& t : a.terms) {
    if (!uses_inner(t.atom, inner)) {
      out.outer.terms.push_back(t);
      continue;
    }
    Interval range = analyzer.bounds(t.atom);
    bool fixed_range = t.atom->kind == ir::ExprKind::kVar;
    if (!fixed_range) {  // a quotient or remainder of inner loops alone still has a range of its own
      fixed_range = range.bounded();
      ir::VarSet vars;
      ir::collect_vars(t.atom, vars);
      for (ir::Var v : vars) fixed_range = fixed_range && inner(v);
    }
    if (!fixed_range || !range.bounded())
      return Error{ErrorCode::kIllegalSchedule,
                   "the region read is not a box: an index mixes inner and outer loops in a quotient or remainder; "
                   "split along the fused boundary"};
    out.outer.constant += t.coefficient > 0 ? t.coefficient * range.lo : t.coefficient * range.hi;
    if (range.hi > range.lo) out.levels.push_back({std::abs(t.coefficient), range.hi - range.lo + 1});
  }
  return out;
}

// Two levels that do not nest, the finer first: those that tile an interval join, overlapping ones widen to one.
Level join(const Level& fine, const Level& coarse) {
  if (coarse.stride == fine.stride * fine.extent) return {fine.stride, fine.extent * coarse.extent};
  const int64_t span = (fine.extent - 1) * fine.stride + (coarse.extent - 1) * coarse.stride;
  const int64_t stride = std::gcd(fine.stride, coarse.stride);
  return {stride, span / stride + 1};
}

// Until each level's stride exceeds the one below: a widened level may reach down to those already passed.
std::vector<Level> merge(std::vector<Level> levels) {
  auto finer = [](const Level& a, const Level& b) { return a.stride < b.stride; };
  auto overlap = [](const Level& fine, const Level& coarse) { return coarse.stride <= fine.stride * fine.extent; };
  std::sort(levels.begin(), levels.end(), finer);
  auto at = levels.end();
  while ((at = std::adjacent_find(levels.begin(), levels.end(), overlap)) != levels.end()) {
    at[1] = join(at[0], at[1]);
    levels.erase(at);
    std::sort(levels.begin(), levels.end(), finer);
  }
  std::reverse(levels.begin(), levels.end());
  if (levels.empty()) levels.push_back({1, 1});
  return levels;
}

bool same_levels(const std::vector<Level>& a, const std::vector<Level>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Level& x, const Level& y) { return x.stride == y.stride && x.extent == y.extent; });
}

int64_t span_of(const std::vector<Level>& levels) {
  int64_t span = 0;
  for (const Level& l : levels) span += (l.extent - 1) * l.stride;
  return span;
}

bool same_terms(const Affine& a, const Affine& b) {
  return std::equal(
      a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
      [](const arith::Term& x, const arith::Term& y) { return x.atom == y.atom && x.coefficient == y.coefficient; });
}

}  // namespace

Result<Box> box_of(arith::Analyzer& analyzer, ir::Arena& arena, const std::vector<Expr>& accesses,
                   const std::function<bool(ir::Var)>& inner) {
  Box box;
  Affine base;
  int64_t low = 0, high = 0;
  for (size_t i = 0; i < accesses.size(); i++) {
    HONE_ASSIGN(access, split_access(analyzer, accesses[i], inner));
    std::vector<Level> levels = merge(access.levels);
    int64_t begin = access.outer.constant, end = begin + span_of(levels);
    if (i == 0) {
      base = access.outer;
      box.levels = levels;
      low = begin;
      high = end;
      continue;
    }
    if (!same_terms(base, access.outer))
      return Error{ErrorCode::kIllegalSchedule,
                   "two reads of one tensor lie at unrelated places, so one stage cannot hold both"};
    const bool same = begin == low && end == high && same_levels(levels, box.levels);
    low = std::min(low, begin);
    high = std::max(high, end);
    if (!same) box.levels = {{1, high - low + 1}};
  }
  base.constant = low;
  box.base = arith::from_affine(arena, base);
  return box;
}

std::vector<Expr> position_in(arith::Analyzer& analyzer, ir::Arena& arena, const Box& box, Expr value) {
  Expr rest = analyzer.simplify(arena.sub(value, box.base));
  std::vector<Expr> out;
  for (size_t i = 0; i < box.levels.size(); i++) {
    Expr stride = arena.index(box.levels[i].stride);
    out.push_back(analyzer.simplify(arena.div(rest, stride)));
    if (i + 1 < box.levels.size()) rest = analyzer.simplify(arena.mod(rest, stride));
  }
  return out;
}

}  // namespace hone::schedule
