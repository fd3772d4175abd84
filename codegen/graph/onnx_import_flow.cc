// If, Loop and Scan: the nodes that run, in the order in which they run.
#include <algorithm>
#include <optional>

#include "base/cat.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/onnx_import_loop.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/te/bad_model.h"

namespace hone::graph {

Status NodeImporter::replace_if(const OnnxSite& site) {
  HONE_ASSIGN(condition, tensor(site, 0));
  HONE_ASSIGN(is_known, is_known_value(condition));
  if (!is_known) return choose_branch(site, condition);
  HONE_ASSIGN(holds, known_number(site, condition, "its condition"));
  HONE_ASSIGN(branch, site.graph(holds ? "then_branch" : "else_branch"));
  HONE_ASSIGN(results, run_body(site, *branch, {}));
  if (results.size() < site.node.outputs.size())
    return te::bad_model(cat(site.what, " has ", site.node.outputs.size(), " outputs, and its branch ", results.size()));
  for (size_t i = 0; i < site.node.outputs.size(); i++) HONE_TRY(bind_result(site, i, std::move(results[i])));
  return ok_status();
}

// Whether there may be another trip.
Result<bool> NodeImporter::goes_on(const OnnxSite& site, LoopState& state) {
  HONE_ASSIGN(is_known, is_known_value(state.condition.tensor));
  if (is_known) {
    HONE_ASSIGN(holds, known_number(site, state.condition.tensor, "its condition"));
    if (!holds) return false;
    if (state.uncertain.empty()) state.certain++;
    else state.uncertain.push_back(state.uncertain.back());
    return true;
  }
  state.has_no_end = state.trips == INT64_MAX;
  if (state.has_no_end) return false;
  HONE_ASSIGN(holds, condition_of(site, state.condition.tensor));
  state.uncertain.push_back(state.uncertain.empty() ? holds : add_synthetic("And", {state.uncertain.back(), holds}, {}));
  return true;
}

Status NodeImporter::run_trip(const OnnxSite& site, const OnnxGraph& body, int64_t trip, LoopState& state) {
  const size_t carried = state.carried.size();
  const ValueId before = state.condition.tensor;
  std::vector<Meaning> inputs{{constant({DType::kI64, {}, raw_bytes(trip)}), nullptr}, state.condition};
  inputs.insert(inputs.end(), state.carried.begin(), state.carried.end());
  HONE_ASSIGN(results, run_body(site, body, inputs));
  state.condition = results[0];
  if (state.condition.tensor == kNoValue) return te::bad_model(cat(site.what, ": its condition is not a tensor"));
  for (size_t i = 0; i < carried; i++) {
    auto next = state.uncertain.empty() ? Result<Meaning>(results[1 + i]) : chosen(site, state.uncertain.back(), results[1 + i], state.carried[i], false);
    if (!next.ok()) return no_choice(site, before, "what trips give", next.error());
    state.carried[i] = std::move(*next);
  }
  for (size_t i = 0; i < state.collected.size(); i++) {
    const Meaning& part = results[1 + carried + i];
    if (part.tensor == kNoValue) return te::bad_model(cat(site.what, ": its output ", carried + i, " collects what is not a tensor"));
    state.collected[i].push_back(part.tensor);
  }
  return ok_status();
}

Status NodeImporter::run_loop(const OnnxSite& site, const OnnxGraph& body, LoopState& state) {
  for (int64_t trip = 0; trip < state.trips; trip++) {
    HONE_ASSIGN(more, goes_on(site, state));
    if (!more) break;
    HONE_TRY(run_trip(site, body, trip, state));
  }
  return ok_status();
}

// The shape is what the model says of one part.
Result<ValueId> NodeImporter::nothing_stacked(const OnnxSite& site, const OnnxValueInfo& part, int64_t axis) {
  DType dtype;
  Shape shape;
  bool is_known = part.type.kind == OnnxType::kTensor && part.type.shape && dtype_of_onnx(part.type.elem_type, &dtype);
  if (is_known)
    for (const OnnxDimension& dim : *part.type.shape) {
      is_known = is_known && dim.value && *dim.value >= 0;
      shape.push_back(dim.value.value_or(0));
    }
  if (axis < 0) axis += static_cast<int64_t>(shape.size()) + 1;
  if (!is_known || axis < 0 || axis > static_cast<int64_t>(shape.size()))
    return Error{ErrorCode::kUnsupported, cat(site.what, " runs no trip, and the model does not say the shape of '", part.name, "'")};
  shape.insert(shape.begin() + axis, 0);
  HONE_TRY(check_shape(shape, cat("output '", part.name, "' of ", site.what)));
  return constant({dtype, std::move(shape), shared_bytes("")});
}

Result<ValueId> NodeImporter::all_of(const OnnxSite& site, const OnnxValueInfo& part, std::vector<ValueId> parts, int64_t axis) {
  return parts.empty() ? nothing_stacked(site, part, axis) : stacked(site, std::move(parts), axis);
}

Status NodeImporter::set_trips(const OnnxSite& site, ValueId id, LoopState& state) {
  HONE_ASSIGN(count, known_number(site, id, "its number of trips"));
  state.trips = count;
  return ok_status();
}

// What a Loop begins with.
Result<NodeImporter::LoopState> NodeImporter::loop_state(const OnnxSite& site, const OnnxGraph& body) {
  LoopState state;
  HONE_ASSIGN(trips, input(site, 0));
  if (!trips.is_absent()) {
    HONE_ASSIGN(is_known, trips.tensor == kNoValue ? Result<bool>(true) : is_known_value(trips.tensor));
    if (is_known) HONE_TRY(set_trips(site, trips.tensor, state));
    else state.trips_value = trips.tensor;
  }
  HONE_ASSIGN(condition, input(site, 1));
  state.condition = condition.is_absent() ? Meaning{constant({DType::kBool, {}, raw_bytes(uint8_t{1})}), nullptr} : condition;
  for (size_t i = 2; i < site.node.inputs.size(); i++) {
    HONE_ASSIGN(carried, input(site, i));
    state.carried.push_back(std::move(carried));
  }
  const size_t carried = state.carried.size();
  if (body.outputs.size() < 1 + carried || site.node.outputs.size() > body.outputs.size() - 1)
    return te::bad_model(cat(site.what, " has ", carried, " inputs that it carries on and ", site.node.outputs.size(),
                             " outputs, and its graph has ", body.outputs.size(), " outputs"));
  state.collected.resize(body.outputs.size() - 1 - carried);
  return state;
}

bool NodeImporter::is_too_long(const OnnxGraph& body, int64_t trips) const {
  const auto left = static_cast<int64_t>(kExpandedNodesMax - std::min(expanded_, kExpandedNodesMax));
  return trips != INT64_MAX && trips > left / static_cast<int64_t>(body.nodes.size() + 1);
}

// Written out where its end, or a number that its trips do not exceed, is known and not too large; else a run counts the trips.
Status NodeImporter::replace_loop(const OnnxSite& site) {
  HONE_ASSIGN(body, site.graph("body"));
  HONE_ASSIGN(loop, loop_state(site, *body));
  if (loop.trips_value != kNoValue || is_too_long(*body, loop.trips)) return repeat_loop(site, *body, loop);
  LoopState state = loop;
  HONE_TRY(run_loop(site, *body, state));
  return state.has_no_end ? repeat_loop(site, *body, loop) : hand_out_written(site, *body, state);
}

Status NodeImporter::hand_out_written(const OnnxSite& site, const OnnxGraph& body, const LoopState& state) {
  const size_t carried = state.carried.size();
  for (size_t i = 0; i < carried; i++) HONE_TRY(bind_result(site, i, state.carried[i]));
  for (size_t i = 0; i < state.collected.size(); i++) {
    if (!site.has_output(carried + i)) continue;
    HONE_ASSIGN(all, all_of(site, body.outputs[1 + carried + i], state.collected[i], 0));
    if (!state.uncertain.empty()) {
      HONE_ASSIGN(trips, trips_run(site, state.certain, state.uncertain));
      all = add_synthetic("hone.Bounded", {all, trips}, {{"axis", int64_t{0}}});
    }
    HONE_TRY(bind_result(site, carried + i, {all, nullptr}));
  }
  return ok_status();
}

// What a Scan says of its inputs and outputs: the states first, then what it runs along.
struct NodeImporter::ScanPlan {
  const OnnxGraph* body = nullptr;
  size_t states = 0, scanned = 0, collected = 0;
  std::vector<int64_t> axes, directions, output_axes, output_directions;  // one for each that is scanned, or collected
};

Result<NodeImporter::ScanPlan> NodeImporter::plan_scan(const OnnxSite& site) const {
  const size_t first = site.scope.opset < 9 ? 1 : 0;  // behind the lengths of the sequences
  ScanPlan plan;
  HONE_ASSIGN(body, site.graph("body"));
  HONE_ASSIGN(scanned, site.integer("num_scan_inputs", 0));
  const auto inputs = static_cast<int64_t>(site.node.inputs.size() - std::min(first, site.node.inputs.size()));
  if (scanned < 1 || scanned > inputs || body->outputs.size() < static_cast<size_t>(inputs - scanned) ||
      site.node.outputs.size() > body->outputs.size())
    return te::bad_model(cat(site.what, " has ", inputs, " inputs, ", scanned, " of them to be scanned, and ", site.node.outputs.size(),
                             " outputs; its graph has ", body->outputs.size(), " outputs"));
  plan.body = body;
  plan.scanned = static_cast<size_t>(scanned);
  plan.states = static_cast<size_t>(inputs - scanned);
  plan.collected = body->outputs.size() - plan.states;
  const auto settings = [&](const char* name, size_t count, std::vector<int64_t>& out) -> Status {
    HONE_ASSIGN(given, site.integers(name));
    if (!given.empty() && given.size() != count)
      return te::bad_model(cat(site.what, ": its attribute '", name, "' has ", given.size(), " numbers; expected ", count));
    out = given.empty() ? std::vector<int64_t>(count, 0) : given;
    return ok_status();
  };
  HONE_TRY(settings("scan_input_axes", plan.scanned, plan.axes));
  HONE_TRY(settings(first ? "directions" : "scan_input_directions", plan.scanned, plan.directions));
  HONE_TRY(settings("scan_output_axes", plan.collected, plan.output_axes));
  HONE_TRY(settings("scan_output_directions", plan.collected, plan.output_directions));
  return plan;
}

// How many parts there are, and along which axis each input has them.
Result<int64_t> NodeImporter::scan_length(const OnnxSite& site, ScanPlan& plan, const std::vector<ValueId>& inputs) {
  std::optional<int64_t> length;
  for (size_t i = 0; i < plan.scanned; i++) {
    HONE_ASSIGN(shape, known_shape(site, inputs[plan.states + i]));
    const auto rank = static_cast<int64_t>(shape.size());
    int64_t& axis = plan.axes[i];
    if (axis < -rank || axis >= rank) return te::bad_model(cat(site.what, " scans axis ", axis, " of a tensor of rank ", rank));
    if (axis < 0) axis += rank;
    const int64_t extent = shape[static_cast<size_t>(axis)];
    if (length.value_or(extent) != extent)
      return te::bad_model(cat(site.what, " scans ", *length, " and ", extent, " parts; expected as many"));
    length = extent;
  }
  return length.value_or(0);
}

Result<std::vector<ValueId>> NodeImporter::run_scan(const OnnxSite& site, ScanPlan plan, const std::vector<ValueId>& inputs) {
  HONE_ASSIGN(length, scan_length(site, plan, inputs));
  std::vector<Meaning> states;
  for (size_t i = 0; i < plan.states; i++) states.push_back({inputs[i], nullptr});
  std::vector<std::vector<ValueId>> collected(plan.collected);
  for (int64_t trip = 0; trip < length; trip++) {
    std::vector<Meaning> arguments = states;
    for (size_t i = 0; i < plan.scanned; i++) {
      HONE_ASSIGN(part, part_of_axis(site, inputs[plan.states + i], plan.axes[i], plan.directions[i] ? length - 1 - trip : trip));
      arguments.push_back({part, nullptr});
    }
    HONE_ASSIGN(results, run_body(site, *plan.body, arguments));
    for (const Meaning& result : results)
      if (result.tensor == kNoValue) return te::bad_model(cat(site.what, ": a result of its graph is not a tensor"));
    states.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(plan.states));
    for (size_t i = 0; i < plan.collected; i++) collected[i].push_back(results[plan.states + i].tensor);
  }
  return scan_results(site, plan, states, std::move(collected));
}

// The final states, then what was collected.
Result<std::vector<ValueId>> NodeImporter::scan_results(const OnnxSite& site, const ScanPlan& plan, const std::vector<Meaning>& states,
                                                        std::vector<std::vector<ValueId>> collected) {
  std::vector<ValueId> out;
  for (const Meaning& state : states) out.push_back(state.tensor);
  for (size_t i = 0; i < plan.collected; i++) {
    if (plan.output_directions[i]) std::reverse(collected[i].begin(), collected[i].end());
    HONE_ASSIGN(all, all_of(site, plan.body->outputs[plan.states + i], std::move(collected[i]), plan.output_axes[i]));
    out.push_back(all);
  }
  return out;
}

// Opset 8: axis 0 of everything is a batch of sequences, and each is scanned along its next axis.
Result<std::vector<ValueId>> NodeImporter::run_scan_of_batch(const OnnxSite& site, const ScanPlan& plan, const std::vector<ValueId>& inputs) {
  HONE_ASSIGN(lengths, input(site, 0));
  if (!lengths.is_absent())
    return Error{ErrorCode::kUnsupported, cat(site.what, " has sequences of several lengths, which hone does not support")};
  HONE_ASSIGN(shape, known_shape(site, inputs[0]));
  if (shape.empty() || shape[0] == 0) return te::bad_model(cat(site.what, " reads no batch"));
  std::vector<std::vector<ValueId>> results(plan.states + plan.collected);
  for (int64_t b = 0; b < shape[0]; b++) {
    std::vector<ValueId> parts;
    for (ValueId id : inputs) {
      HONE_ASSIGN(part, part_of_axis(site, id, 0, b));
      parts.push_back(part);
    }
    HONE_ASSIGN(made, run_scan(site, plan, parts));
    for (size_t i = 0; i < made.size(); i++) results[i].push_back(made[i]);
  }
  std::vector<ValueId> out;
  for (const std::vector<ValueId>& parts : results) {
    HONE_ASSIGN(all, stacked(site, parts, 0));
    out.push_back(all);
  }
  return out;
}

Status NodeImporter::replace_scan(const OnnxSite& site) {
  HONE_ASSIGN(plan, plan_scan(site));
  const bool has_batch = site.scope.opset < 9;
  std::vector<ValueId> inputs;
  for (size_t i = has_batch ? 1 : 0; i < site.node.inputs.size(); i++) {
    HONE_ASSIGN(id, tensor(site, i));
    inputs.push_back(id);
  }
  auto results = has_batch ? run_scan_of_batch(site, plan, inputs) : run_scan(site, plan, inputs);
  if (!results.ok()) return results.error();
  for (size_t i = 0; i < results->size(); i++) HONE_TRY(bind_result(site, i, {(*results)[i], nullptr}));
  return ok_status();
}

}  // namespace hone::graph
