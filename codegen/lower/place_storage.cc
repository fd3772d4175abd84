#include "codegen/lower/place_storage.h"

#include "codegen/schedule/check_threads.h"

namespace hone::lower {

using ir::Expr;
using ir::Place;
using ir::Var;
using schedule::Loop;
using schedule::Schedule;
using schedule::Stage;

namespace {

// Positions of the storage dimensions of an attached stage, outermost first: (axis, level) pairs; the vectorised one comes last.
std::vector<std::pair<size_t, size_t>> storage_dims(Schedule& s, const Stage& stage) {
  std::vector<size_t> axes;
  for (size_t d = 0; d < stage.boxes.size(); d++)
    axes.push_back(stage.storage_order.empty() ? d : stage.storage_order[d]);
  Var lanes = nullptr;
  for (const Loop& l : stage.order)
    if (l.place == Place::kVectorize) lanes = l.var;
  std::vector<std::pair<size_t, size_t>> out, last;
  for (size_t d : axes) {
    std::vector<Expr> at = schedule::position_in(s.analyzer(), s.arena(), stage.boxes[d], stage.axis_value[d]);
    for (size_t j = 0; j < at.size(); j++)
      (lanes && stage.storage_order.empty() && ir::uses_var(at[j], lanes) ? last : out).push_back({d, j});
  }
  out.insert(out.end(), last.begin(), last.end());
  return out;
}

// The linear number of a row's first thread is that of the row times the row's length.
Spread spread_of(Schedule& s, const Stage& stage) {
  ir::Arena& a = s.arena();
  Spread spread;
  Expr row = a.index(0);
  const std::vector<const Loop*> around = schedule::loops_around(s, stage, 0);
  for (Place place : {Place::kThreadZ, Place::kThreadY})
    if (const Loop* l = schedule::bound_to(around, place)) row = a.add(a.mul(row, a.index(l->extent)), l->var);
  spread.lanes = schedule::bound_to(around, Place::kThreadX)->extent;
  for (const Loop& l : stage.order)
    if (l.place == Place::kVectorize) spread.width = l.extent;
  const Expr thread = a.mul(row, a.index(spread.lanes));
  spread.first = s.analyzer().simplify(a.mod(thread, a.index(s.target().subgroup_size)));
  return spread;
}

}  // namespace

Storage storage_of(Schedule& schedule, const Stage& stage) {
  ir::Arena& arena = schedule.arena();
  Storage storage;
  storage.stage = &stage;
  storage.dims = storage_dims(schedule, stage);
  for (auto [d, j] : storage.dims) storage.extents.push_back(stage.boxes[d].levels[j].extent);
  for (size_t i = 0; i < storage.extents.size(); i++)
    if (storage.extents[i] > 1) storage.row = static_cast<int>(i);
  if (storage.row >= 0) storage.extents[static_cast<size_t>(storage.row)] += stage.padding;
  for (int64_t extent : storage.extents) storage.elements *= extent;
  if (stage.spread) {
    storage.spread = spread_of(schedule, stage);
    const int64_t pieces = storage.elements / storage.spread->width, lanes = storage.spread->lanes;
    storage.elements = (pieces + lanes - 1) / lanes * storage.spread->width;
  }
  if (stage.double_buffered) {
    storage.slot = arena.mod(stage.at, arena.index(2));
    storage.elements *= 2;
  }
  return storage;
}

std::vector<const Loop*> accumulator_dims(const Schedule& schedule, const Stage& stage) {
  const Loop* joining = stage.joining();
  std::vector<const Loop*> inner, lanes, threads;
  for (size_t i = 0; i < stage.order.size(); i++) {
    const Loop& l = stage.order[i];
    if (l.place == Place::kVectorize && !l.reduce) lanes.push_back(&l);
    else if (!l.reduce && i >= stage.reduce_begin()) inner.push_back(&l);
  }
  if (joining && !joining->lanes) {
    for (const Loop* l : schedule::loops_around(schedule, stage, stage.reduce_begin()))
      if (ir::is_thread(l->place)) threads.push_back(l);
    threads.push_back(joining);
  }
  inner.insert(inner.end(), threads.begin(), threads.end());
  inner.insert(inner.end(), lanes.begin(), lanes.end());
  return inner;
}

}  // namespace hone::lower
