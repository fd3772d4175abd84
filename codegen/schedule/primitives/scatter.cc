// scatter s: each term of s's reduction is put where it goes, instead of each element looking at all terms. The loops of the axes along which a term finds its element
// (te/terms.h) run where the elements are begun, and not where they are reduced; they stand inside the reduce loops and stay as they are. The sums lie in the result.
// Refused: terms that go to no one element, a finish, a stage that is scheduled already or no root, targets whose threads write only their own element.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"
#include "codegen/te/terms.h"

namespace hone::schedule {

Status apply_scatter(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_to_order(schedule, step));
  Stage& stage = schedule.stages()[position];
  std::optional<te::Scattered> terms = te::scattered_terms(stage.compute, schedule.arena());
  if (!terms) return illegal(cat("stage '", stage.name, "' has no terms that go to one element each: select(axis == place, value, identity)"));
  if (!stage.compute.finish.empty()) return illegal(cat("stage '", stage.name, "' does more with its sums, which a scatter keeps in the result"));
  for (const auto& [axis, place] : terms->to) stage.scattered.push_back(axis);
  const auto inside = [&](const Loop& l) { return l.reduce ? 1 : stage.is_scattered(l) ? 2 : 0; };
  std::stable_sort(stage.order.begin(), stage.order.end(), [&](const Loop& x, const Loop& y) { return inside(x) < inside(y); });
  return ok_status();
}

}  // namespace hone::schedule
