#include "codegen/schedule/check_threads.h"

#include <algorithm>
#include <array>

#include "base/cat.h"

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

Error illegal(std::string message) { return {ErrorCode::kIllegalSchedule, std::move(message)}; }

Status check_reached(const Stage& stage, const std::vector<const Loop*>& around, const Threads& threads) {
  for (const Loop* l : around)
    if (ir::is_thread(l->place) && l->extent != threads.along(l->place))
      return illegal(cat("stage '", stage.name, "' needs all threads of the workgroup, but loop '", l->name,
                         "' around it runs on ", l->extent, " of ", threads.along(l->place), "; bind equal extents"));
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
  for (Place place : {Place::kThreadX, Place::kThreadY, Place::kThreadZ})
    if (!linear && threads.along(place) > 1 &&
        std::none_of(all.begin(), all.end(), [&](const Loop* l) { return l->place == place; }))
      return illegal(cat("stage '", stage.name, "' would be computed once by each thread along ", ir::place_name(place),
                         "; attach it inside the loop that is bound there"));
  return check_reached(stage, around, threads);
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

Status check_threads(const Schedule& schedule) {
  for (const Stage& stage : schedule.stages()) {
    if (stage.inlined) continue;
    const Threads threads = threads_of(schedule, launch_of(schedule, stage));
    if (const Loop* x = stage.joining()) HONE_TRY(check_joining(schedule, stage, *x, threads));
    if (!stage.root() && stage.scope == ir::Scope::kWorkgroup)
      HONE_TRY(check_reached(stage, loops_around(schedule, stage, 0), threads));
  }
  return ok_status();
}

}  // namespace hone::schedule
