#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/cat.h"
#include "base/fresh_name.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/loops.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/overflow.h"
#include "codegen/te/overflow.h"

namespace hone::graph {
namespace {

using te::Interval;

constexpr std::string_view kWatch = "hone.Overflow";
// Elements of a constant that is looked through; a larger one may have any that its type has. Whole numbers are tables of places; floats matter where they become whole numbers, as settings do
// (kSettingsMax).
constexpr int64_t kNumbersMax = kFoldElementsMax, kFloatsMax = kSettingsMax;

Error beyond(const Value& constant) {
  return {ErrorCode::kLimitExceeded, cat("the constant '", constant.name, "' of ", ir::dtype_name(constant.dtype), " has elements beyond 32 bits, in which devices compute; export the model with smaller ones, or with floats")};
}

class Watcher {
 public:
  Watcher(Graph& graph, const CancelToken* cancel) : graph_(graph), cancel_(cancel), intervals_(graph.values.size()), known_(graph.values.size(), false) {}
  Status run();

 private:
  Interval interval_of(ValueId id);
  Interval of_constant(const Value& value) const;
  Status check_constant(ValueId id);
  Status check_numbers(const Node& node);
  Result<bool> learn_states(const Node& node);
  Result<bool> may_leave(const Node& node);
  Node watch_of(const Node& node, int64_t number);
  std::string name_of(const Node& node) const;
  void write(const std::vector<bool>& watched);
  void tell(int loop, ValueId more, int model_node);
  void carry(const Loops& loops, int loop);
  ValueId value(const std::string& op);

  Graph& graph_;
  const CancelToken* cancel_;
  std::vector<Interval> intervals_;
  std::vector<bool> known_;
  std::vector<Node> nodes_;           // as they are written
  std::vector<ValueId> told_;         // by loop, the last one outside of all: the largest number that is told so far
};

Interval Watcher::of_constant(const Value& value) const {
  const int64_t count = ir::element_count(value.shape);
  if (!value.bytes || count == 0 || count > (ir::is_float(value.dtype) ? kFloatsMax : kNumbersMax)) return te::device_range(value.dtype);
  const std::vector<double> numbers = to_doubles({value.dtype, value.shape, value.bytes});
  if (std::any_of(numbers.begin(), numbers.end(), [](double v) { return std::isnan(v); })) return te::device_range(value.dtype);
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return {*low, *high};
}

Interval Watcher::interval_of(ValueId id) {
  const auto at = static_cast<size_t>(id);
  if (known_[at]) return intervals_[at];
  known_[at] = true;
  const Value& value = graph_.value(id);
  return intervals_[at] = value.constant ? of_constant(value) : te::device_range(value.dtype);
}

Status Watcher::check_constant(ValueId id) {
  const Value& value = graph_.value(id);
  if (!value.constant || !te::is_wide(value.dtype) || interval_of(id).within(te::device_range(value.dtype))) return ok_status();
  return beyond(value);
}

// Numbers of one element stand in expressions, which carry them as doubles; the ends of a type are what they are.
Status Watcher::check_numbers(const Node& node) {
  for (ValueId id : node.inputs) {
    if (id == kNoValue || !te::is_wide(graph_.value(id).dtype) || !graph_.value(id).constant || ir::element_count(graph_.value(id).shape) != 1) continue;
    const double size = interval_of(id).magnitude();
    if (size > 0x1p53 && size < 0x1p63) return beyond(graph_.value(id));
  }
  return ok_status();
}

// What a loop carries is anything that fits, but for how many trips ran.
Result<bool> Watcher::learn_states(const Node& node) {
  for (ValueId id : node.inputs)
    if (id != kNoValue) HONE_TRY(check_constant(id));
  for (ValueId id : node.outputs) {
    if (id == kNoValue) continue;
    known_[static_cast<size_t>(id)] = true;
    const auto most = node.attributes.find("counts");
    intervals_[static_cast<size_t>(id)] = most != node.attributes.end() ? Interval{0, static_cast<double>(std::get<int64_t>(most->second))} : te::device_range(graph_.value(id).dtype);
  }
  return false;
}

// Also learns what is known of the node's results.
Result<bool> Watcher::may_leave(const Node& node) {
  HONE_TRY(check_numbers(node));
  if (find_op(node.op)->kind == OpKind::kState) return learn_states(node);
  te::Builder b;
  std::unordered_map<te::Tensor, Interval> inputs;
  Status constants = ok_status();
  const OpCall call(b, graph_, node, [&](ValueId id, std::string_view name) {
    if (constants.ok()) constants = check_constant(id);
    const te::Tensor tensor = b.input(name, graph_.value(id).dtype, graph_.value(id).shape);
    inputs[tensor] = interval_of(id);
    return tensor;
  });
  HONE_ASSIGN(made, emit_op(call));
  HONE_TRY(constants);
  te::Intervals intervals;
  for (const auto& [tensor, interval] : inputs) intervals.learn(tensor, interval);
  for (const te::Compute& compute : b.program().computes) intervals.follow(compute);
  for (size_t i = 0; i < node.outputs.size() && i < made.size(); i++) {
    if (node.outputs[i] == kNoValue || !made[i]) continue;
    intervals_[static_cast<size_t>(node.outputs[i])] = intervals.of(made[i]);
    known_[static_cast<size_t>(node.outputs[i])] = true;
  }
  return node.op != kWatch && te::overflow(b, 0, inputs, 1) != nullptr;
}

ValueId Watcher::value(const std::string& op) {
  const ValueId id = graph_.add_value({.name = cat(op, "#", graph_.values.size()), .dtype = DType::kI32, .shape = {1}, .shape_known = true});
  intervals_.emplace_back();
  known_.push_back(false);
  return id;
}

// The node's own attributes, and what emit_overflow needs to know of it.
Node Watcher::watch_of(const Node& node, int64_t number) {
  Node out{.op = std::string(kWatch), .inputs = node.inputs, .attributes = node.attributes, .model_node = node.model_node};
  std::vector<double> low, high;
  std::vector<int64_t> outputs;
  for (ValueId id : node.inputs) {
    const Interval interval = id == kNoValue ? Interval{} : interval_of(id);
    low.push_back(interval.low);
    high.push_back(interval.high);
  }
  for (ValueId id : node.outputs) outputs.push_back(id != kNoValue);
  out.attributes["overflow.of"] = node.op;
  out.attributes["overflow.low"] = std::move(low);
  out.attributes["overflow.high"] = std::move(high);
  out.attributes["overflow.outputs"] = std::move(outputs);
  out.attributes["overflow.number"] = number;
  out.outputs = {value(out.op)};
  return out;
}

// As the model calls it.
std::string Watcher::name_of(const Node& node) const {
  const ValueId own = node.model_node >= 0 ? graph_.model_nodes[static_cast<size_t>(node.model_node)].result : kNoValue;
  const ValueId first = *std::find_if(node.outputs.begin(), node.outputs.end(), [](ValueId id) { return id != kNoValue; });
  return graph_.value(own == kNoValue ? first : own).name;
}

// Joined with what is told in that loop.
void Watcher::tell(int loop, ValueId more, int model_node) {
  ValueId& told = loop < 0 ? told_.back() : told_[static_cast<size_t>(loop)];
  if (told != kNoValue) {
    nodes_.push_back({.op = "Max", .inputs = {more, told}, .outputs = {value("Max")}, .model_node = model_node});
    more = nodes_.back().outputs[0];
  }
  told = more;
}

// What is told in a loop is a state of it, since nobody outside reads what its trips make. The loop's end is the node to come.
void Watcher::carry(const Loops& loops, int loop) {
  Node end = std::move(nodes_.back());
  nodes_.pop_back();
  Value none{.name = cat("constant#", graph_.values.size()), .dtype = DType::kI32, .shape = {1}, .shape_known = true, .constant = true};
  none.bytes = from_doubles(DType::kI32, {1}, {0}).bytes;
  Node state{.op = "hone.LoopState", .inputs = {graph_.add_value(std::move(none))}, .outputs = {kNoValue}, .model_node = end.model_node};
  intervals_.emplace_back();
  known_.push_back(false);
  // It begins anew with each trip of the loop around, as the others do.
  for (const Node& other : nodes_)
    if (other.op == "hone.LoopState" && other.outputs[0] == loops.loops[static_cast<size_t>(loop)].states[0] && other.inputs.size() > 1) state.inputs.push_back(other.inputs[1]);
  state.outputs[0] = value("hone.LoopState");
  const ValueId before = state.outputs[0];
  nodes_.push_back(std::move(state));
  tell(loop, before, end.model_node);
  end.inputs.insert(end.inputs.end(), {before, told_[static_cast<size_t>(loop)]});
  end.outputs.resize(end.inputs.size() / 2 - 1, kNoValue);
  end.outputs.push_back(value("hone.LoopEnd"));
  nodes_.push_back(std::move(end));
  tell(loops.loops[static_cast<size_t>(loop)].around, nodes_.back().outputs.back(), nodes_.back().model_node);
}

// The first has the largest number, so that the largest that is told is the first.
void Watcher::write(const std::vector<bool>& watched) {
  size_t number = std::min(static_cast<size_t>(std::count(watched.begin(), watched.end(), true)), kWatchedMax);
  graph_.watched.assign(number, "");
  const Loops loops = loops_of(graph_);
  told_.assign(loops.loops.size() + 1, kNoValue);
  for (size_t i = 0; i < graph_.nodes.size(); i++) {
    const int loop = loops.loop_of[i];
    nodes_.push_back(graph_.nodes[i]);
    if (is_loop_end(nodes_.back()) && told_[static_cast<size_t>(loop)] != kNoValue) carry(loops, loop);
    if (!watched[i]) continue;
    if (graph_.watched[number - 1].empty()) graph_.watched[number - 1] = name_of(nodes_.back());
    nodes_.push_back(watch_of(nodes_.back(), static_cast<int64_t>(number)));
    number = std::max<size_t>(number - 1, 1);
    tell(loop, nodes_.back().outputs[0], nodes_.back().model_node);
  }
  graph_.nodes = std::move(nodes_);
  const ValueId told = told_.back();
  graph_.value(told).name = fresh_name("overflow", "_", 2, [&](const std::string& name) {
    return std::any_of(graph_.values.begin(), graph_.values.end(), [&](const Value& value) { return value.name == name; });
  });
  graph_.outputs.push_back(told);
  graph_.hidden_outputs++;
}

Status Watcher::run() {
  std::vector<bool> watched;
  for (const Node& node : graph_.nodes) {
    HONE_TRY(check_cancel(cancel_));
    HONE_ASSIGN(leaves, may_leave(node));
    watched.push_back(leaves);
  }
  if (std::find(watched.begin(), watched.end(), true) != watched.end()) write(watched);
  return ok_status();
}

bool has_wide_numbers(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    const auto is_wide = [&](ValueId id) { return id != kNoValue && te::is_wide(graph.value(id).dtype); };
    return std::any_of(node.inputs.begin(), node.inputs.end(), is_wide) || std::any_of(node.outputs.begin(), node.outputs.end(), is_wide);
  });
}

}  // namespace

Status watch_overflow(Graph& graph, const CancelToken* cancel) {
  graph.watched.clear();
  return has_wide_numbers(graph) ? Watcher(graph, cancel).run() : ok_status();
}

}  // namespace hone::graph
