#include "codegen/random_trace.h"

#include "base/cat.h"
#include "codegen/schedule/schedule.h"

namespace hone {

using schedule::Schedule;
using schedule::Stage;
using schedule::Step;
using schedule::Trace;

namespace {

class Proposals {
 public:
  Proposals(const Schedule& s, Rng& rng) : s_(s), rng_(rng) {}

  Step step() {
    const Stage& stage = pick_stage();
    switch (rng_.below(12)) {
      case 0:
      case 1:
      case 2:
        return schedule::split(stage.name, loop(stage), {1 + static_cast<int64_t>(rng_.below(4))});
      case 3:
        return schedule::split(stage.name, loop(stage), {2, 1 + static_cast<int64_t>(rng_.below(4))});
      case 4:
        return schedule::reorder(stage.name, {loop(stage), loop(stage)});
      case 5:
        return schedule::fuse(stage.name, {loop(stage), loop(stage)}, cat("f", rng_.below(1000)));
      case 6: {
        static const char* const places[] = {"block.x", "block.y", "thread.x", "thread.y", "thread"};
        return schedule::bind(stage.name, loop(stage), places[rng_.below(5)]);
      }
      case 7:
        return schedule::unroll(stage.name, loop(stage));
      case 8:
        return schedule::vectorize(stage.name, loop(stage));
      case 9: {
        const Stage& consumer = pick_stage();
        return schedule::compute_at(stage.name, consumer.name, loop(consumer));
      }
      case 10: {
        static const char* const scopes[] = {"register", "workgroup", "global"};
        return schedule::cache_read(tensor(stage), stage.name, scopes[rng_.below(3)],
                                    cat(stage.name, ".c", rng_.below(1000)), rng_.below(2) ? "iter" : "elem");
      }
      default:
        return rng_.below(2) ? schedule::cache_write(stage.name, "register") : schedule::inline_stage(stage.name);
    }
  }

 private:
  const Stage& pick_stage() { return s_.stages()[rng_.below(s_.stages().size())]; }
  std::string loop(const Stage& stage) {
    return stage.order.empty() ? "" : stage.order[rng_.below(stage.order.size())].name;
  }
  std::string tensor(const Stage& stage) {
    std::vector<std::string> names;
    for (ir::Expr e : stage.compute.value)
      ir::for_each_node(e, [&](ir::Expr n) {
        if (n->kind == ir::ExprKind::kLoad) names.push_back(n->buffer->name);
      });
    return names.empty() ? "" : names[rng_.below(names.size())];
  }
  const Schedule& s_;
  Rng& rng_;
};

}  // namespace

Trace random_legal_trace(const te::Task& task, const target::Target& target, Rng& rng, int steps) {
  Trace trace, best;
  for (int i = 0; i < steps * 4 && static_cast<int>(trace.steps.size()) < steps; i++) {
    auto schedule = schedule::apply_trace(task.program, trace, target);
    CHECK(schedule.ok(), "a legal trace no longer applies");
    Step step = Proposals(**schedule, rng).step();
    if (!(*schedule)->apply(step).ok()) continue;
    trace.steps.push_back(step);
    if (schedule::check_complete(**schedule).ok()) best = trace;
  }
  return best;
}

}  // namespace hone
