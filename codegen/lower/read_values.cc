#include "codegen/lower/read_values.h"

#include <algorithm>

namespace hone::lower {

using ir::Expr;
using ir::ExprKind;
using schedule::Stage;

Expr ReadValues::below(Expr value, int64_t extent) { return s_.analyzer().simplify(a_.lt(value, a_.index(extent))); }

Expr ReadValues::flat_index(const Storage& storage, const std::vector<Expr>& index) {
  std::vector<std::vector<Expr>> positions;
  for (size_t d = 0; d < index.size(); d++)
    positions.push_back(schedule::position_in(s_.analyzer(), a_, storage.stage->boxes[d], index[d]));
  Expr flat = storage.slot ? storage.slot : a_.index(0);
  for (size_t i = 0; i < storage.dims.size(); i++)
    flat = a_.add(a_.mul(flat, a_.index(storage.extents[i])), positions[storage.dims[i].first][storage.dims[i].second]);
  return s_.analyzer().simplify(flat);
}

// The piece first: what lies inside of one has no part in the rest.
Expr ReadValues::index_in_lane(const Spread& spread, Expr flat) {
  arith::Analyzer& analyzer = s_.analyzer();
  const Expr piece = analyzer.simplify(a_.div(flat, a_.index(spread.width)));
  const Expr turn = a_.div(piece, a_.index(spread.lanes)), inside = a_.mod(flat, a_.index(spread.width));
  return analyzer.simplify(a_.add(a_.mul(turn, a_.index(spread.width)), inside));
}

Expr ReadValues::lane_of(const Spread& spread, Expr flat) {
  const Expr piece = s_.analyzer().simplify(a_.div(flat, a_.index(spread.width)));
  return s_.analyzer().simplify(a_.mod(piece, a_.index(spread.lanes)));
}

// What lies at a place of the storage, wherever that is.
Expr ReadValues::stored(const Storage& storage, Expr flat) {
  if (!storage.spread) return a_.load(storage.buffer, {flat});
  const Expr lane = s_.analyzer().simplify(a_.add(storage.spread->first, lane_of(*storage.spread, flat)));
  return a_.lane_read(a_.load(storage.buffer, {index_in_lane(*storage.spread, flat)}), lane, s_.target().subgroup_size);
}

Expr ReadValues::own_index(const Storage& storage) {
  const Expr flat = own_flat_index(storage);
  return storage.spread ? index_in_lane(*storage.spread, flat) : flat;
}

Expr ReadValues::own_lane(const Storage& storage) { return lane_of(*storage.spread, own_flat_index(storage)); }

Expr ReadValues::own_flat_index(const Storage& storage) {
  std::vector<Expr> index(storage.stage->axis_value.begin(),
                          storage.stage->axis_value.begin() + static_cast<long>(storage.stage->compute.axes.size()));
  return flat_index(storage, index);
}

Expr ReadValues::inside(const Storage& storage) {
  const Stage& stage = *storage.stage;
  Expr all = a_.boolean(true);
  for (size_t d = 0; d < stage.boxes.size(); d++) {
    std::vector<Expr> at = schedule::position_in(s_.analyzer(), a_, stage.boxes[d], stage.axis_value[d]);
    for (size_t j = 0; j < at.size(); j++) all = a_.logical_and(all, below(at[j], stage.boxes[d].levels[j].extent));
  }
  return all;
}

Expr ReadValues::guard(const Stage& stage) {
  return stage.guard ? s_.analyzer().simplify(s_.to_loops(stage, stage.guard)) : a_.boolean(true);
}

Expr ReadValues::read(const Stage& stage, Expr e) {
  memo_.clear();
  may_overshoot_ = stage.reads_beyond || guard(stage) != a_.boolean(true);
  std::vector<te::Axis> axes = stage.compute.axes;
  if (stage.compute.reduce)
    axes.insert(axes.end(), stage.compute.reduce->axes.begin(), stage.compute.reduce->axes.end());
  for (size_t i = 0; i < axes.size(); i++) may_overshoot_ |= !ir::is_true(below(stage.axis_value[i], axes[i].extent));
  return lower(s_.to_loops(stage, e), nullptr);
}

Expr ReadValues::lower(Expr e, Expr mask) {
  auto key = std::make_pair(e, mask);
  if (auto it = memo_.find(key); it != memo_.end()) return it->second;
  Expr out = e;
  if (e->kind == ExprKind::kSelect) {
    out = lower_select(e, mask);
  } else if (e->kind == ExprKind::kLoad) {
    out = lower_load(e, mask);
  } else if (!e->args.empty()) {
    std::vector<Expr> args;
    for (Expr a : e->args) args.push_back(lower(a, mask));
    out = a_.with_args(e, std::move(args), nullptr, nullptr);
    if (out->type.dtype == ir::DType::kIndex || out->type.dtype == ir::DType::kBool) out = s_.analyzer().simplify(out);
  }
  return memo_[key] = out;
}

namespace {
// Only what a condition says of indices keeps a load inside; one of values would be computed again in each load's mask.
bool is_of_indices(Expr condition) {
  const bool compares = condition->kind == ExprKind::kEq || condition->kind == ExprKind::kLt || condition->kind == ExprKind::kLe;
  if (compares) return condition->args[0]->type.dtype == ir::DType::kIndex;
  const bool joins = condition->kind == ExprKind::kAnd || condition->kind == ExprKind::kOr || condition->kind == ExprKind::kNot;
  return joins && std::any_of(condition->args.begin(), condition->args.end(), is_of_indices);
}
}  // namespace

Expr ReadValues::lower_select(Expr e, Expr mask) {
  Expr condition = lower(e->args[0], mask);
  const bool restricts = is_of_indices(condition);
  auto both = [&](Expr c) { return !restricts ? mask : mask ? a_.logical_and(mask, c) : c; };
  if (ir::is_true(condition)) return lower(e->args[1], mask);
  if (ir::is_false(condition)) return lower(e->args[2], mask);
  Expr yes = lower(e->args[1], both(condition));
  Expr no = lower(e->args[2], both(a_.logical_not(condition)));
  // Padding: the masked load itself yields the constant.
  if (restricts && ir::is_const(no) && yes->kind == ExprKind::kLoad && yes->mask == both(condition) && !mask)
    return a_.load(yes->buffer, yes->args, yes->mask, no, yes->any_value);
  return a_.select(condition, yes, no);
}

Expr ReadValues::lower_load(Expr e, Expr mask) {
  std::vector<Expr> index;
  for (Expr i : e->args) index.push_back(s_.analyzer().simplify(lower(i, mask)));
  if (auto it = storage_.find(e->buffer); it != storage_.end())
    return a_.cast(e->type, stored(it->second, flat_index(it->second, index)));
  bool inside = true;
  for (size_t d = 0; d < index.size(); d++)
    inside = inside && s_.analyzer().bounds(index[d]).within(0, e->buffer->shape[d] - 1);
  if (inside) return a_.load(e->buffer, index);
  return a_.load(e->buffer, index, mask, nullptr, may_overshoot_ || !mask);
}

namespace {
class Retarget final : public ir::Mutator {
 public:
  Retarget(ir::Arena& arena, const std::unordered_map<ir::Buffer, ir::Buffer>& global)
      : Mutator(arena), global_(global) {}

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind != ExprKind::kLoad) return r;
    auto it = global_.find(r->buffer);
    if (it == global_.end()) return r;
    const ir::DType kept = it->second->dtype;
    Expr other = r->other ? arena_.cast({kept, r->other->type.lanes}, r->other) : nullptr;
    return arena_.cast(r->type, arena_.load(it->second, r->args, r->mask, other, r->any_value));
  }
  ir::Stmt stmt(ir::Stmt s) override {
    ir::Stmt r = rebuild(s);
    if (r->kind != ir::StmtKind::kStore) return r;
    auto it = global_.find(r->buffer);
    if (it == global_.end()) return r;
    const ir::Type kept{it->second->dtype, r->value->type.lanes};
    return arena_.store(it->second, r->indices, arena_.cast(kept, r->value), r->mask);
  }

 private:
  const std::unordered_map<ir::Buffer, ir::Buffer>& global_;
};
}  // namespace

ir::Stmt ReadValues::retarget(ir::Stmt s) { return s_.analyzer().simplify(Retarget(a_, *global_).mutate(s)); }

}  // namespace hone::lower
