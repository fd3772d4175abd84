#include "codegen/schedule/check_threads.h"

#include <algorithm>
#include <array>

#include "base/cat.h"
#include "codegen/schedule/illegal.h"

namespace hone::schedule {
namespace {

// The workgroup of a launch.
struct Threads {
  std::array<int64_t, 3> dims{1, 1, 1};
  int64_t linear = 1;
  bool bound = false;  // some loop has thread.x, y or z

  int64_t total() const { return bound ? dims[0] * dims[1] * dims[2] : linear; }
  int64_t along(Place place) const {
    return place == Place::kThread ? total() : dims[static_cast<size_t>(ir::place_dimension(place))];
  }
};

const Stage& launch_of(const Schedule& schedule, const Stage& stage) {
  const Stage* s = &stage;
  while (!s->root()) s = &schedule.stages()[static_cast<size_t>(s->consumer)];
  return *s;
}

Threads threads_of(const Schedule& schedule, const Stage& launch) {
  Threads out;
  for (const Stage& stage : schedule.stages()) {
    if (stage.inlined || &launch_of(schedule, stage) != &launch) continue;
    for (const Loop& l : stage.order) {
      if (l.place == Place::kThread) out.linear = std::max(out.linear, l.extent);
      else if (ir::is_thread(l.place)) {
        int64_t& dim = out.dims[static_cast<size_t>(ir::place_dimension(l.place))];
        dim = std::max(dim, l.extent);
        out.bound = true;
      }
    }
  }
  return out;
}

Status check_reached(const Stage& stage, const std::vector<const Loop*>& around, const Threads& threads) {
  for (const Loop* l : around)
    if (ir::is_thread(l->place) && l->extent != threads.along(l->place))
      return illegal(cat("stage '", stage.name, "' needs all threads of the workgroup, but loop '", l->name,
                         "' around it runs on ", l->extent, " of ", threads.along(l->place), "; bind equal extents"));
  return ok_status();
}

Status check_places_taken(const Stage& stage, const std::vector<const Loop*>& loops, const Threads& threads) {
  for (Place place : {Place::kThreadX, Place::kThreadY, Place::kThreadZ})
    if (threads.along(place) > 1 && !bound_to(loops, place))
      return illegal(cat("stage '", stage.name, "' would be computed once by each thread along ", ir::place_name(place),
                         "; attach it inside the loop that is bound there"));
  return ok_status();
}

Status check_joining(const Schedule& schedule, const Stage& stage, const Loop& x, const Threads& threads) {
  for (const Stage* s = &stage; !s->root();) {
    s = &schedule.stages()[static_cast<size_t>(s->consumer)];
    if (s->scope == ir::Scope::kWorkgroup)
      return illegal(cat("stage '", stage.name, "' is joined by all threads, but each runs '", s->name,
                         "' for elements of its own; attach it outside"));
  }
  const bool linear = x.place == Place::kThread;
  if (x.lanes && x.extent != threads.dims[0])
    return illegal(cat("loop '", x.name, "' joins ", x.extent, " lanes, but thread.x has ", threads.dims[0],
                       " threads, so that subgroups would hold others too; bind equal extents"));
  std::vector<const Loop*> around = loops_around(schedule, stage, stage.reduce_begin());
  for (const Loop* l : around)
    if (ir::is_thread(l->place) && (linear || l->place == Place::kThread || l->place == x.place))
      return illegal(cat("loop '", x.name, "' joins the threads that loop '", l->name, "' around it has taken"));
  std::vector<const Loop*> all = around;
  for (const Loop& l : stage.order) all.push_back(&l);
  if (!linear) HONE_TRY(check_places_taken(stage, all, threads));
  return check_reached(stage, around, threads);
}

// The lanes of a row of thread.x lie in one subgroup, all of them come, and all read the same.
Status check_spread(const Schedule& schedule, int position, const Threads& threads) {
  const Stage& stage = schedule.stages()[static_cast<size_t>(position)];
  const std::vector<const Loop*> around = loops_around(schedule, stage, 0);
  const Loop* x = bound_to(around, Place::kThreadX);
  const int64_t subgroup = schedule.target().subgroup_size;
  if (!x)
    return illegal(cat("stage '", stage.name, "' is spread over lanes, but no loop around it is bound to thread.x"));
  if (x->extent < 2 || (x->extent & (x->extent - 1)) != 0 || x->extent > subgroup)
    return illegal(cat("stage '", stage.name, "' is spread over the ", x->extent, " threads of loop '", x->name,
                       "'; whole rows in a subgroup of ", subgroup, " have a power of 2 from 2 to that"));
  const auto shares = [&](const Loop& l) { return l.lanes && l.extent == x->extent; };
  if (std::none_of(stage.order.begin(), stage.order.end(), shares))
    return illegal(cat("no loop of ", x->extent, " iterations of stage '", stage.name, "' is bound to lane"));
  for (const Box& box : stage.boxes)
    if (ir::uses_var(box.base, x->var))
      return illegal(
          cat("the lanes read different parts of stage '", stage.name, "'; only what all of them read is spread"));
  for (Buffer b : stage.compute.outputs)
    if (ir::size_bytes(stage.stored_as.value_or(b->dtype)) != 4)
      return illegal(cat("lanes exchange numbers of 4 bytes; stage '", stage.name, "' keeps others"));
  HONE_TRY(check_places_taken(stage, around, threads));
  HONE_TRY(check_reached(stage, around, threads));
  for (int reader : schedule.consumers(position)) {
    const Stage& by = schedule.stages()[static_cast<size_t>(reader)];
    const std::vector<const Loop*> reading = loops_around(schedule, by, by.order.size());
    HONE_TRY(check_reached(stage, reading, threads));
    if (const Loop* copying = bound_to(reading, Place::kThread))
      return illegal(cat("stage '", by.name, "' reads stage '", stage.name, "' by loop '", copying->name,
                         "', of which each lane runs another part; only what all of them read is spread"));
  }
  return ok_status();
}

}  // namespace

std::vector<const Loop*> loops_around(const Schedule& schedule, const Stage& stage, size_t position) {
  std::vector<const Loop*> out;
  for (size_t i = position; i-- > 0;) out.push_back(&stage.order[i]);
  for (const Stage* s = &stage; !s->root();) {
    const Stage& consumer = schedule.stages()[static_cast<size_t>(s->consumer)];
    for (size_t i = static_cast<size_t>(consumer.loop_position(s->at)) + 1; i-- > 0;) out.push_back(&consumer.order[i]);
    s = &consumer;
  }
  return out;
}

const Loop* bound_to(const std::vector<const Loop*>& loops, Place place) {
  auto found = std::find_if(loops.begin(), loops.end(), [&](const Loop* l) { return l->place == place; });
  return found == loops.end() ? nullptr : *found;
}

Status check_threads(const Schedule& schedule) {
  for (size_t i = 0; i < schedule.stages().size(); i++) {
    const Stage& stage = schedule.stages()[i];
    if (stage.inlined) continue;
    const Threads threads = threads_of(schedule, launch_of(schedule, stage));
    if (stage.spread) HONE_TRY(check_spread(schedule, static_cast<int>(i), threads));
    if (const Loop* x = stage.joining()) HONE_TRY(check_joining(schedule, stage, *x, threads));
    if (!stage.root() && stage.scope == ir::Scope::kWorkgroup)
      HONE_TRY(check_reached(stage, loops_around(schedule, stage, 0), threads));
  }
  return ok_status();
}

}  // namespace hone::schedule
