#include "codegen/random_trace.h"

#include "base/cat.h"
#include "codegen/schedule/schedule.h"
#include "codegen/te/terms.h"

namespace hone {

using schedule::Schedule;
using schedule::Stage;
using schedule::Step;
using schedule::Trace;

namespace {

// Steps that are tried one after the other; the ones that are illegal where they stand are left out.
class Proposals {
 public:
  Proposals(const Schedule& s, Rng& rng) : s_(s), rng_(rng) {}

  std::vector<Step> steps() {
    const Stage& stage = pick_stage();
    if (has_order(stage) && rng_.below(3) == 0) return {rng_.below(2) ? schedule::scatter(stage.name) : schedule::scan(stage.name)};
    switch (rng_.below(16)) {
      case 0:
      case 1:
      case 2:
        return {schedule::split(stage.name, loop(stage), {1 + static_cast<int64_t>(rng_.below(4))})};
      case 3:
        return {schedule::split(stage.name, loop(stage), {2, 1 + static_cast<int64_t>(rng_.below(4))})};
      case 4:
        return {schedule::reorder(stage.name, {loop(stage), loop(stage)})};
      case 5:
        return {schedule::fuse(stage.name, {loop(stage), loop(stage)}, cat("f", rng_.below(1000)))};
      case 6:
        return {schedule::bind(stage.name, loop(stage), place())};
      case 7:
        return {schedule::unroll(stage.name, loop(stage))};
      case 8:
        return {schedule::vectorize(stage.name, loop(stage))};
      case 9: {
        const Stage& consumer = pick_stage();
        return {schedule::compute_at(stage.name, consumer.name, loop(consumer))};
      }
      case 10:
        return {read_through(stage, scope())};
      case 11:
        return {rng_.below(2) ? schedule::cache_write(stage.name, "register") : schedule::inline_stage(stage.name)};
      case 12:
        return {rng_.below(2) ? schedule::set_scope(stage.name, scope()) : permuted(stage)};
      case 13:
        return staged(stage);
      default:
        return factored(stage);
    }
  }

 private:
  const char* place() {
    static const char* const places[] = {"block.x", "block.y", "thread.x", "thread.y", "thread", "lane"};
    return places[rng_.below(6)];
  }
  const char* scope() {
    static const char* const scopes[] = {"register", "workgroup", "global"};
    return scopes[rng_.below(3)];
  }
  Step read_through(const Stage& stage, const char* scope) {
    return schedule::cache_read(tensor(stage), stage.name, scope, cat(stage.name, ".c", rng_.below(1000)),
                                rng_.below(2) ? "iter" : "elem");
  }
  // The storage of the stage with its axes in another order.
  Step permuted(const Stage& stage) {
    std::vector<int64_t> order;
    for (size_t i = 0; i < stage.compute.axes.size(); i++)
      order.insert(order.begin() + static_cast<long>(rng_.below(i + 1)), static_cast<int64_t>(i));
    Step step;
    step.primitive = schedule::Primitive::kLayout;
    step.stage = stage.name;
    for (int64_t axis : order)
      step.factors.insert(step.factors.end(), {axis, 1, stage.compute.axes[static_cast<size_t>(axis)].extent});
    return step;
  }
  // An operand that comes through workgroup memory, tile by tile of a reduce loop: what single proposals hardly ever put together.
  std::vector<Step> staged(const Stage& stage) {
    if (!stage.compute.reduce || tensor(stage).empty()) return {};
    std::string name = cat(stage.name, ".c", rng_.below(1000)), reduced;
    for (const schedule::Loop& l : stage.order)
      if (l.reduce && (reduced.empty() || rng_.below(2))) reduced = l.name;
    std::vector<Step> steps;
    if (rng_.below(2)) {
      steps.push_back(schedule::split(stage.name, reduced, {1 + static_cast<int64_t>(rng_.below(3))}));
      reduced += ".0";
    }
    steps.push_back(
        schedule::cache_read(tensor(stage), stage.name, "workgroup", name, rng_.below(2) ? "iter" : "elem"));
    steps.push_back(schedule::compute_at(name, stage.name, reduced));
    if (rng_.below(2) && !stage.compute.axes.empty())
      steps.push_back(schedule::bind(name, stage.compute.axes.back().name, "thread"));
    if (rng_.below(4)) steps.push_back(schedule::double_buffer(name));
    if (rng_.below(2)) steps.push_back(schedule::pad(name, 1 + static_cast<int64_t>(rng_.below(4))));
    return steps;
  }
  // A reduction in parts: of a launch of its own, of threads, or of lanes.
  std::vector<Step> factored(const Stage& stage) {
    std::vector<std::string> reduced;
    for (const schedule::Loop& l : stage.order)
      if (l.reduce) reduced.push_back(l.name);
    if (reduced.empty()) return {};
    std::string kept = reduced[rng_.below(reduced.size())];
    std::vector<Step> steps;
    if (reduced.size() == 1 || rng_.below(2)) {
      steps.push_back(schedule::split(stage.name, kept, {1 + static_cast<int64_t>(rng_.below(5))}));
      kept += rng_.below(2) ? ".0" : ".1";
    }
    steps.push_back(schedule::rfactor(stage.name, kept));
    const Stage& consumer = pick_stage();
    if (rng_.below(2)) {
      steps.push_back(schedule::set_scope(stage.name, scope()));
      steps.push_back(schedule::compute_at(stage.name, consumer.name, loop(consumer)));
    }
    if (rng_.below(4)) steps.push_back(schedule::bind(stage.name, kept, place()));
    if (rng_.below(3) == 0) steps.push_back(schedule::set_scope(stage.name + ".rf", scope()));
    if (rng_.below(4)) steps.push_back(schedule::compute_at(stage.name + ".rf", stage.name, kept));
    if (rng_.below(3) == 0) steps.push_back(schedule::vectorize(stage.name + ".rf", kept));
    return steps;
  }
  // Terms that may find their elements, as nothing has been done with them yet.
  bool has_order(const Stage& stage) const {
    if (!stage.compute.reduce || stage.order.size() != stage.axis_value.size()) return false;
    ir::Arena scratch(s_.program().arena.get());
    return te::scanned_terms(stage.compute, scratch) || te::scattered_terms(stage.compute, scratch);
  }
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
    auto schedule = schedule::apply_trace(task, trace, target);
    CHECK(schedule.ok(), "a legal trace no longer applies");
    for (const Step& step : Proposals(**schedule, rng).steps()) {
      trace.steps.push_back(step);
      auto extended = schedule::apply_trace(task, trace, target);
      if (!extended.ok()) trace.steps.pop_back();
      else if (schedule::check_complete(**extended).ok()) best = trace;
    }
  }
  return best;
}

}  // namespace hone
