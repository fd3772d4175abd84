#include "tuner/space/held_parts.h"

#include <algorithm>
#include <map>

#include "codegen/ir/mutator.h"
#include "tuner/space/patch.h"
#include "tuner/space/row_chain.h"

namespace hone::tuner {

namespace {

using schedule::Loop;

class HeldParts {
 public:
  HeldParts(TraceBuilder& t, const Group& group, const Choices& choices, const RootNest& nest)
      : t_(t), group_(group), c_(choices), name_(compute(group.root).name), nest_(nest) {
    vectors_[name_] = nest.vector;
  }

  void hold_all() {
    for (int part : group_.parts)
      if (is_read_by(name_, compute(part).name)) hold(compute(part).name, name_, nest_.around);
    lay_out();
  }

 private:
  const te::Compute& compute(int i) const { return t_.task().program.computes[static_cast<size_t>(i)]; }
  bool on_cores() const { return target::on_cores(t_.target().kind); }

  bool is_part(const std::string& stage) const {
    return std::any_of(group_.parts.begin(), group_.parts.end(), [&](int p) { return compute(p).name == stage; });
  }

  bool is_read_by(const std::string& reader, const std::string& stage) const {
    const schedule::Stage* r = t_.stage(reader);
    const schedule::Stage* s = t_.stage(stage);
    if (!r || !s) return false;
    const std::vector<ir::Expr> loads = loads_of(r->compute);
    return std::any_of(loads.begin(), loads.end(), [&](ir::Expr l) { return l->buffer == s->compute.outputs[0]; });
  }

  // Computes a part, or copies a tensor, for the reader's thread; what it picks from itself lies under its own loops.
  void hold(const std::string& part, const std::string& reader, const std::string& loop) {
    t_.add(schedule::compute_at(part, reader, loop));
    const std::string lane = lane_loop(part, reader);
    const std::vector<int64_t> tested = t_.stage(part) ? tested_axes(t_.stage(part)->compute) : std::vector<int64_t>{};
    std::vector<std::string> around, picks;
    for (size_t axis = 0; axis < tested.size(); ++axis)
      for (const Loop& l : t_.loops_of_axis(part, axis))
        if (l.name != lane) (tested[axis] > 1 ? picks : around).push_back(l.name);
    if (!t_.ok()) return;
    std::vector<std::string> order = around;
    order.insert(order.end(), picks.begin(), picks.end());
    if (!lane.empty()) order.push_back(lane);
    if (order.size() > 1) t_.add(schedule::reorder(part, order));
    if (!picks.empty() && !around.empty()) hold_operands(part, around.back());
    // A core has too few registers for all that a part picks: it lies in the thread's memory.
    const auto stays_loop = [&](const std::string& name) {
      return on_cores() && !picks.empty() && std::find(around.begin(), around.end(), name) != around.end();
    };
    if (const schedule::Stage* stage = t_.stage(part)) {
      const std::vector<Loop> loops = stage->order;
      for (const Loop& l : loops)
        if (l.name == lane) t_.add(schedule::vectorize(part, lane));
        else if (l.extent > 1 && !stays_loop(l.name)) t_.add(schedule::unroll(part, l.name));
    }
  }

  // What the part reads at several places: parts of its own, and copies of other tensors.
  void hold_operands(const std::string& part, const std::string& loop) {
    const schedule::Stage* stage = t_.stage(part);
    std::map<std::string, int> reads;
    for (ir::Expr load : stage ? loads_of(stage->compute) : std::vector<ir::Expr>{}) ++reads[load->buffer->name];
    for (const auto& [tensor, count] : reads) {
      if (count < 2) continue;
      const std::string held = is_part(tensor) ? tensor : tensor + ".r";
      if (!is_part(tensor)) t_.add(schedule::cache_read(tensor, part, "register", held, "elem"));
      hold(held, part, loop);
    }
  }

  // The part's loop along the vector of its reader; "" where there is none.
  std::string lane_loop(const std::string& part, const std::string& reader) {
    const schedule::Stage* p = t_.stage(part);
    const schedule::Stage* r = t_.stage(reader);
    if (!p || !r) return "";
    const auto vector =
        std::find_if(r->order.begin(), r->order.end(), [&](const Loop& l) { return l.name == vectors_[reader]; });
    if (vector == r->order.end()) return "";
    for (ir::Expr load : loads_of(r->compute))
      for (size_t d = 0; d < load->args.size() && load->buffer == p->compute.outputs[0]; ++d) {
        const std::vector<Loop> loops = t_.loops_of_axis(part, d);
        if (ir::uses_var(t_.schedule().to_loops(*r, load->args[d]), vector->var) && loops.size() == 1 &&
            loops[0].extent == c_.lanes)
          return vectors_[part] = loops[0].name;
      }
    return "";
  }

  // A temporary lies as the group says, whatever the order of the loops.
  void lay_out() {
    const te::Compute& root = compute(group_.root);
    if (t_.ok() && t_.schedule().is_output(root.outputs[0])) return;
    schedule::Step layout;
    layout.primitive = schedule::Primitive::kLayout;
    layout.stage = name_;
    for (int axis : group_.order)
      layout.factors.insert(layout.factors.end(), {axis, 1, root.axes[static_cast<size_t>(axis)].extent});
    t_.add(std::move(layout));
  }

  TraceBuilder& t_;
  const Group& group_;
  const Choices& c_;
  const std::string name_;
  const RootNest& nest_;
  std::map<std::string, std::string> vectors_;  // of each stage: its loop along the root's vector, if any
};

}  // namespace

void hold_parts(TraceBuilder& t, const Group& group, const Choices& choices, const RootNest& nest) { HeldParts(t, group, choices, nest).hold_all(); }

}  // namespace hone::tuner
