#include <algorithm>

#include "base/cat.h"
#include "tuner/space/root_nest.h"
#include "tuner/space/row_chain.h"
#include "tuner/space/rules.h"

namespace hone::tuner {

namespace {

using schedule::Loop;

class RowRule {
 public:
  RowRule(TraceBuilder& t, const Group& group, const Choices& choices) : t_(t), group_(group), c_(choices) {}

  void apply() {
    root_ = compute(group_.root).name;
    if (c_.lane_threads > 1 && joins(Join::kFlat) && c_.row_threads > 1)
      t_.refuse(ErrorCode::kIllegalSchedule, "parts in workgroup memory are those of one row");
    std::vector<int> kept = c_.keeps ? shared_maps(t_.task(), group_) : std::vector<int>{};
    const auto is_kept = [&kept](int map) { return std::find(kept.begin(), kept.end(), map) != kept.end(); };
    for (int map : group_.between)
      if (!is_kept(map)) t_.add(schedule::inline_stage(compute(map).name));
    std::vector<int> chain = group_.chain;
    const bool alone = chain.back() == group_.root;
    if (alone) t_.add(schedule::cache_write(root_, "register"));
    const RootNest nest = arrange_root(t_, root_, group_, c_);
    row_loop_ = nest.around_row;
    if (row_loop_.empty()) t_.refuse(ErrorCode::kIllegalSchedule, "one output has no loop to reduce its row in");
    // Whoever reads a stage hangs under the row already.
    chain.insert(chain.end(), kept.begin(), kept.end());
    std::sort(chain.begin(), chain.end());
    for (size_t i = chain.size(); i-- > 0;) {
      std::string name = compute(chain[i]).name;
      if (is_kept(chain[i])) keep_row(name);
      else reduce_row(alone ? name + ".acc" : name, compute(chain[i]), !alone);
    }
    annotate_root(t_, root_, nest);
  }

 private:
  const te::Compute& compute(int i) const { return t_.task().program.computes[static_cast<size_t>(i)]; }

  bool on_cores() const { return target::on_cores(t_.target().kind); }
  bool on_textures() const { return target::on_textures(t_.target().kind); }
  bool joins(Join how) const { return c_.join == static_cast<int64_t>(how); }
  // That take a part of a row each.
  int64_t items() const { return on_cores() ? c_.vectors : c_.lane_threads; }
  // Of a reduction.
  int64_t lanes() const { return on_textures() ? c_.k_lanes : c_.lanes; }

  std::vector<int64_t> factors() const {
    std::vector<int64_t> f{items()};
    if (lanes() > 1) f.push_back(lanes());
    return f;
  }

  // A row of a Map, as vectors.
  void keep_row(const std::string& name) {
    t_.add(schedule::set_scope(name, "register"));
    t_.add(schedule::compute_at(name, root_, row_loop_));
    const schedule::Stage* stage = t_.stage(name);
    if (!stage) return;
    std::string innermost;
    for (const Loop& loop : stage->order)
      if (loop.extent > 1) innermost = loop.name;
    if (innermost.empty()) return;
    t_.add(schedule::split(name, innermost, factors(), "guard", "line"));
    if (c_.vectors > 1) t_.add(schedule::unroll(name, innermost + ".1"));
    if (c_.lanes > 1) t_.add(schedule::vectorize(name, innermost + ".2"));
  }

  // The reduction's axes as one loop, cut like the line: a part for each thread, and in it one for each lane.
  void reduce_row(const std::string& name, const te::Compute& c, bool set_scope) {
    if (set_scope) t_.add(schedule::set_scope(name, "register"));
    std::vector<std::string> axes;
    std::vector<int> order = reduce_order(t_.task(), c);
    for (int a : order) axes.push_back(c.reduce->axes[static_cast<size_t>(a)].name);
    if (!std::is_sorted(order.begin(), order.end())) t_.add(schedule::reorder(name, axes));
    std::string k = axes[0];
    if (axes.size() > 1) t_.add(schedule::fuse(name, axes, k = "k_"));
    t_.add(schedule::split(name, k, factors(), "peel", "line"));
    if (on_cores() || on_textures()) return reduce_alone(name, k);
    const std::string part = k + ".1", lane = k + ".2";
    const bool tree = c_.lane_threads > 1 && !joins(Join::kFlat), flat = c_.lane_threads > 1 && !tree;
    std::string inner = name;
    if (c_.lane_threads > 1) {
      t_.add(schedule::rfactor(name, part));
      inner += ".rf";
    }
    if (c_.lanes > 1) t_.add(schedule::rfactor(inner, lane));
    if (flat) t_.add(schedule::set_scope(inner, "workgroup"));
    t_.add(schedule::compute_at(name, root_, row_loop_));
    if (tree) t_.add(schedule::bind(name, part, joins(Join::kSubgroup) ? "lane" : "thread.x"));
    std::string at = first_loop(name);
    if (tree) t_.add(schedule::compute_at(inner, name, at = part));
    if (flat) {
      t_.add(schedule::compute_at(inner, name, at));
      at = part;
      t_.add(schedule::bind(inner, part, "thread"));
    }
    if (c_.lanes == 1) return;
    const std::string lanes = inner + ".rf";
    t_.add(schedule::compute_at(lanes, inner, at));
    std::vector<std::string> loops;
    if (const schedule::Stage* stage = t_.stage(lanes))
      for (const Loop& l : stage->order)
        if (l.reduce) loops.push_back(l.name);
    loops.push_back(lane);
    t_.add(schedule::reorder(lanes, loops));
    t_.add(schedule::vectorize(lanes, lane));
    t_.add(schedule::unroll(inner, lane));
  }

  // An accumulator for each item and lane, and then all of them joined, beside one another in the row's loop.
  void reduce_alone(const std::string& name, const std::string& k) {
    std::vector<std::string> stages{name};
    for (const std::string& part : {k + ".1", k + ".2"}) {
      if ((part == k + ".1" ? items() : lanes()) == 1) continue;
      t_.add(schedule::rfactor(stages.back(), part));
      stages.push_back(stages.back() + ".rf");
    }
    for (const std::string& stage : stages) t_.add(schedule::compute_at(stage, root_, row_loop_));
    for (const std::string& stage : stages) {
      std::vector<std::string> serial, copied, vector;
      if (const schedule::Stage* s = t_.stage(stage))
        for (const Loop& l : s->order) {
          const bool lane = l.name == k + ".2" && stage == stages.back();
          (l.name == k + ".0" || l.extent == 1 ? serial : lane ? vector : copied).push_back(l.name);
        }
      std::vector<std::string> order = serial;
      order.insert(order.end(), copied.begin(), copied.end());
      order.insert(order.end(), vector.begin(), vector.end());
      t_.add(schedule::reorder(stage, order));
      for (const std::string& loop : copied) t_.add(schedule::unroll(stage, loop));
      for (const std::string& loop : vector) t_.add(schedule::vectorize(stage, loop));
    }
  }

  std::string first_loop(const std::string& name) const {
    const schedule::Stage* stage = t_.stage(name);
    return stage && !stage->order.empty() ? stage->order[0].name : "";
  }

  TraceBuilder& t_;
  const Group& group_;
  const Choices& c_;
  std::string root_, row_loop_;
};

}  // namespace

void apply_row(TraceBuilder& t, const Group& group, const Choices& choices) { RowRule(t, group, choices).apply(); }

}  // namespace hone::tuner
