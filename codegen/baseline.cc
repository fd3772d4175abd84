#include <algorithm>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/schedule/fragment_nest.h"
#include "codegen/schedule/schedule.h"
#include "codegen/target/texture_form.h"

namespace hone {

using schedule::Schedule;
using schedule::Stage;
using schedule::Step;

namespace {

class Baseline {
 public:
  Baseline(const te::Task& task, const target::Target& target) : task_(task), s_(task, target) {
    trace_.sketch = "naive-v1";
  }

  Result<schedule::Trace> run() {
    HONE_TRY(inline_maps());
    std::vector<std::string> roots;
    for (const Stage& stage : s_.stages())
      if (!stage.inlined) roots.push_back(stage.name);
    // A reduction whose one reader takes it element by element is computed in the reader's thread.
    std::vector<std::pair<std::string, std::string>> attached;
    for (const std::string& name : roots)
      if (std::string reader = pointwise_reader(name); !reader.empty() && !is_reader(attached, name))
        attached.push_back({name, reader});
    for (const std::string& name : roots) {
      bool is_attached = std::any_of(attached.begin(), attached.end(), [&](const auto& a) { return a.first == name; });
      if (is_attached) continue;
      std::string producer;
      for (const auto& [stage, reader] : attached)
        if (reader == name) producer = stage;
      HONE_TRY(root(name, producer));
    }
    return std::move(trace_);
  }

 private:
  Status apply(const Step& step) {
    if (Status status = s_.apply(step); !status.ok()) return no_yardstick(status.error());
    trace_.steps.push_back(step);
    return ok_status();
  }

  Error no_yardstick(const Error& why) const {
    return {why.code, cat("the plain schedule of ", task_.name, " does not fit the device: ", why.message)};
  }

  static bool is_reader(const std::vector<std::pair<std::string, std::string>>& attached, const std::string& name) {
    return std::any_of(attached.begin(), attached.end(), [&](const auto& a) { return a.second == name; });
  }

  Status inline_maps() {
    std::vector<std::string> maps;
    for (const Stage& stage : s_.stages())
      if (!stage.compute.reduce && !s_.is_output(stage.compute.outputs[0])) maps.push_back(stage.name);
    for (const std::string& name : maps) HONE_TRY(apply(schedule::inline_stage(name)));
    return ok_status();
  }

  std::string pointwise_reader(const std::string& name) {
    int position = s_.find(name);
    const Stage& stage = s_.stages()[position];
    if (!stage.compute.reduce || s_.is_output(stage.compute.outputs[0])) return "";
    std::vector<int> readers = s_.consumers(position);
    if (readers.size() != 1) return "";
    const Stage& reader = s_.stages()[readers[0]];
    if (reader.compute.reduce) return "";
    bool pointwise = true;
    auto visit = [&](ir::Expr e) {
      if (e->kind != ir::ExprKind::kLoad || std::find(stage.compute.outputs.begin(), stage.compute.outputs.end(),
                                                      e->buffer) == stage.compute.outputs.end())
        return;
      for (ir::Expr index : e->args) pointwise = pointwise && (index->kind == ir::ExprKind::kVar || is_const(index));
    };
    for (ir::Expr e : reader.compute.value) ir::for_each_node(e, visit);
    return pointwise ? reader.name : "";
  }

  // Axes of the stage from outermost to innermost in memory.
  std::vector<std::string> memory_order(const Stage& stage) {
    std::vector<std::string> order;
    const ir::Layout* layout = nullptr;
    for (size_t i = 0; i < task_.program.outputs.size(); i++)
      if (task_.program.outputs[i] == stage.compute.outputs[0])
        layout = &task_.args[task_.program.inputs.size() + i].layout;
    auto add = [&](size_t axis) {
      const std::string& name = stage.compute.axes[axis].name;
      if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
    };
    if (layout)
      for (const ir::PhysicalDim& dim : layout->dims) add(static_cast<size_t>(dim.axis));
    for (size_t a = 0; a < stage.compute.axes.size(); a++) add(a);
    return order;
  }

  Status root(const std::string& name, std::string producer) {
    // One element: there is no loop to attach to, so a producer stays a launch of its own.
    if (s_.stages()[s_.find(name)].compute.axes.empty()) return ok_status();
    if (s_.stages()[s_.find(name)].compute.reduce) {
      HONE_TRY(apply(schedule::cache_write(name, "register")));
      producer = name + ".acc";
    } else if (!producer.empty()) {
      HONE_TRY(apply(schedule::set_scope(producer, "register")));
    }
    if (target::on_textures(s_.target().kind)) return fragments(name, producer);
    std::vector<std::string> order = memory_order(s_.stages()[s_.find(name)]);
    if (order.size() > 1) HONE_TRY(apply(schedule::reorder(name, order)));
    HONE_ASSIGN(innermost, target::on_cores(s_.target().kind) ? cores(name, order) : threads(name, order));
    return producer.empty() ? ok_status() : apply(schedule::compute_at(producer, name, innermost));
  }

  // 8×8 threads over the two innermost axes, the others one by one over blocks. Returns the innermost loop.
  Result<std::string> threads(const std::string& name, std::vector<std::string> order) {
    std::string x = order.back();
    order.pop_back();
    if (order.empty()) {
      HONE_TRY(apply(schedule::split(name, x, {64})));
      HONE_TRY(apply(schedule::bind(name, x + ".0", "block.x")));
      HONE_TRY(apply(schedule::bind(name, x + ".1", "thread.x")));
      return x + ".1";
    }
    std::string y = order.back();
    order.pop_back();
    HONE_TRY(apply(schedule::split(name, x, {8})));
    HONE_TRY(apply(schedule::split(name, y, {8})));
    HONE_TRY(apply(schedule::reorder(name, {y + ".0", x + ".0", y + ".1", x + ".1"})));
    HONE_TRY(apply(schedule::bind(name, y + ".0", "block.y")));
    HONE_TRY(apply(schedule::bind(name, x + ".0", "block.x")));
    HONE_TRY(apply(schedule::bind(name, y + ".1", "thread.y")));
    HONE_TRY(apply(schedule::bind(name, x + ".1", "thread.x")));
    if (order.size() > 1) {
      HONE_TRY(apply(schedule::fuse(name, order, "outer")));
      order = {"outer"};
    }
    if (!order.empty()) HONE_TRY(apply(schedule::bind(name, order[0], "block.z")));
    return x + ".1";
  }

  // A fragment for each texel of the output, which lies as the task hands it over.
  Status fragments(const std::string& name, const std::string& producer) {
    te::Tensor tensor = s_.stages()[static_cast<size_t>(s_.find(name))].compute.outputs[0];
    ir::Layout layout;
    for (size_t i = 0; i < task_.program.outputs.size(); i++)
      if (task_.program.outputs[i] == tensor) layout = task_.args[task_.program.inputs.size() + i].layout;
    auto nest = schedule::fragment_nest(s_, name, target::whole_texels(tensor->shape, layout));
    if (!nest.ok()) return no_yardstick(nest.error());
    const std::string axis = producer.empty() ? "" : axis_of_producer(name, producer, nest->lane_axis);
    for (const Step& step : nest->steps) HONE_TRY(apply(step));
    if (producer.empty()) return ok_status();
    HONE_TRY(apply(schedule::compute_at(producer, name, nest->at)));
    return axis.empty() ? ok_status() : take_lanes(producer, axis);
  }

  // The producer's axis that the reader's axis `lane` runs along; empty if none does.
  std::string axis_of_producer(const std::string& reader, const std::string& producer, ir::Var lane) {
    const Stage& from = s_.stages()[static_cast<size_t>(s_.find(producer))];
    const Stage& to = s_.stages()[static_cast<size_t>(s_.find(reader))];
    std::string found;
    const auto visit = [&](ir::Expr e) {
      if (e->kind != ir::ExprKind::kLoad || e->buffer != from.compute.outputs[0]) return;
      for (size_t d = 0; d < e->args.size(); d++)
        if (e->args[d] == lane) found = from.compute.axes[d].name;
    };
    for (ir::Expr e : to.compute.value) ir::for_each_node(e, visit);
    return found;
  }

  // Four neighbours along the axis are one vector.
  Status take_lanes(const std::string& name, const std::string& axis) {
    const Stage& stage = s_.stages()[static_cast<size_t>(s_.find(name))];
    std::string lane;
    std::vector<std::string> order;
    int64_t extent = 0;
    for (size_t a = 0; a < stage.compute.axes.size(); a++)
      for (const schedule::Loop& l : stage.order)
        if (stage.compute.axes[a].name == axis && !l.reduce && ir::uses_var(stage.axis_value[a], l.var)) {
          lane = l.name;
          extent = l.extent;
        }
    if (lane.empty() || extent % 4 != 0) return ok_status();
    if (extent > 4) {
      HONE_TRY(apply(schedule::split(name, lane, {4})));
      lane += ".1";
    }
    for (const schedule::Loop& l : s_.stages()[static_cast<size_t>(s_.find(name))].order)
      if (l.name != lane) order.push_back(l.name);
    order.push_back(lane);
    if (order.size() > 1) HONE_TRY(apply(schedule::reorder(name, order)));
    return apply(schedule::vectorize(name, lane));
  }

  // One element after the other, shared by the cores. Returns the loop.
  Result<std::string> cores(const std::string& name, const std::vector<std::string>& order) {
    std::string loop = order[0];
    if (order.size() > 1) HONE_TRY(apply(schedule::fuse(name, order, loop = "outer")));
    HONE_TRY(apply(schedule::bind(name, loop, "core")));
    return loop;
  }

  const te::Task& task_;
  Schedule s_;
  schedule::Trace trace_;
};

}  // namespace

Result<schedule::Trace> baseline_trace(const te::Task& task, const target::Target& target) {
  return Baseline(task, target).run();
}

}  // namespace hone
