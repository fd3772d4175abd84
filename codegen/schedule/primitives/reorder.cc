// reorder s x…: the named loops take, in this order, the places that they hold now; the others stay.
// Refused: a repeated loop; a loop that crosses the place where another stage is computed; reduce loops of a combiner that is not reassociable changing their order.
#include <algorithm>
#include <set>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

std::set<Var> loops_inside(const std::vector<Loop>& order, Var at) {
  std::set<Var> out;
  bool inside = false;
  for (const Loop& l : order) {
    if (inside) out.insert(l.var);
    inside = inside || l.var == at;
  }
  return out;
}

std::vector<Var> reduce_loops(const std::vector<Loop>& order) {
  std::vector<Var> out;
  for (const Loop& l : order)
    if (l.reduce) out.push_back(l.var);
  return out;
}

}  // namespace

Status apply_reorder(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  std::vector<int> places;
  std::vector<Loop> loops;
  for (const std::string& name : step.names) {
    HONE_ASSIGN(loop, loop_named(stage, name));
    int at = stage.loop_position(loop->var);
    for (int p : places)
      if (p == at) return illegal(cat("loop '", name, "' is named twice"));
    places.push_back(at);
    loops.push_back(*loop);
  }
  std::sort(places.begin(), places.end());
  std::vector<Loop> order = stage.order;
  for (size_t i = 0; i < places.size(); i++) order[places[i]] = loops[i];
  const bool free = !stage.compute.reduce || stage.compute.reduce->combiner.reassociable;
  if (!free && reduce_loops(order) != reduce_loops(stage.order)) return illegal("the reduction's order may not change: its combiner is not reassociable");
  for (size_t i = 0; i < order.size() && !order[i].reduce; i++)
    if (stage.is_scattered(order[i])) return illegal(cat("loop '", order[i].name, "' begins the elements that terms are put into; it stands inside the reduce loops"));
  for (const Stage& s : schedule.stages())
    if (!s.inlined && s.consumer == position && loops_inside(order, s.at) != loops_inside(stage.order, s.at))
      return illegal(
          cat("a loop would cross the one that stage '", s.name, "' is computed in; reorder before compute_at"));
  stage.order = std::move(order);
  return ok_status();
}

}  // namespace hone::schedule
