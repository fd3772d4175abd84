#include <algorithm>

#include "tuner/space/rules.h"

namespace hone::tuner {

namespace {

using schedule::Loop;
using Names = std::vector<std::string>;

class OrderedRule {
 public:
  OrderedRule(TraceBuilder& t, const Group& group, const Choices& choices) : t_(t), group_(group), c_(choices), reduction_(t.task().program.computes[static_cast<size_t>(group.reduction)]), stage_(reduction_.name) {}

  void apply() {
    t_.add(group_.terms->scan ? schedule::scan(stage_) : schedule::scatter(stage_));
    if (group_.terms->lanes) cut_lanes();
    arrange();
    if (!vector_.empty()) t_.add(schedule::vectorize(stage_, vector_));
    if (!vectors_.empty()) t_.add(schedule::unroll(stage_, vectors_));
  }

 private:
  // Vectors that a thread takes with each term, where they lie along an axis of which each term has all.
  void cut_lanes() {
    const te::Axis& axis = reduction_.axes[static_cast<size_t>(group_.lane_axis)];
    const int64_t lanes = c_.lanes <= axis.extent ? c_.lanes : 1, vectors = c_.vectors * lanes <= axis.extent ? c_.vectors : 1;
    if (lanes * vectors == 1) return;
    t_.add(schedule::split(stage_, axis.name, {vectors, lanes}, "guard", "lanes"));
    if (vectors > 1) vectors_ = axis.name + ".1";
    if (lanes > 1) vector_ = axis.name + ".2";
    inner_ = {axis.name + ".1", axis.name + ".2"};
  }

  // Lines, the terms of a line, the elements that a scatter begins, the vectors.
  void arrange() {
    const schedule::Stage* stage = t_.stage(stage_);
    if (!stage) return;
    Names lines, terms, begun;
    for (const Loop& l : stage->order)
      if (std::find(inner_.begin(), inner_.end(), l.name) == inner_.end()) (l.reduce ? terms : stage->is_scattered(l) ? begun : lines).push_back(l.name);
    Names order = lines;
    for (const Names* part : {&terms, &begun, &inner_}) order.insert(order.end(), part->begin(), part->end());
    t_.add(schedule::reorder(stage_, order));
    if (!lines.empty()) share(lines);
  }

  void share(const Names& lines) {
    if (target::on_cores(t_.target().kind)) {
      share_among_cores(t_, stage_, lines);
      return;
    }
    std::string all = lines[0];
    if (lines.size() > 1) t_.add(schedule::fuse(stage_, lines, all = t_.free_axis(stage_, "z")));
    t_.add(schedule::split(stage_, all, {c_.lane_threads}, "guard", "lanes.threads"));
    t_.add(schedule::bind(stage_, all + ".0", "block.x"));
    t_.add(schedule::bind(stage_, all + ".1", "thread.x"));
  }

  TraceBuilder& t_;
  const Group& group_;
  const Choices& c_;
  const te::Compute reduction_;
  const std::string stage_;
  std::string vectors_, vector_;
  Names inner_;
};

}  // namespace

void apply_ordered(TraceBuilder& t, const Group& group, const Choices& choices) { OrderedRule(t, group, choices).apply(); }

}  // namespace hone::tuner
