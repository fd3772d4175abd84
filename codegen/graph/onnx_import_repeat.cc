// A Loop whose trips a run counts: its body stands in the graph once, between states and an end (loops.h).
#include "base/cat.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/onnx_import_loop.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

// No run makes more, however many a model allows: at 10 µs each they take six hours. What is computed from their number then fits 32 bits.
constexpr int64_t kTripsMax = INT32_MAX - 1;

}  // namespace

struct NodeImporter::Repetition {
  const LoopState& loop;
  ValueId counter = kNoValue;     // state: how many trips ran. [], i64
  ValueId counted = kNoValue;     // one more
  bool is_fixed = false;          // loop.trips run in any case
  std::vector<ValueId> condition = {};  // a state that says whether a trip runs, and what follows it; empty: is_fixed
  std::vector<ValueId> carried = {};  // states
  std::vector<ValueId> pairs = {};    // states, each with what follows it
};

// The state has the type and shape that it begins with, and begins anew with each trip of the loop around.
ValueId NodeImporter::add_state(ValueId initial, int64_t counts_up_to) {
  std::vector<ValueId> inputs{initial};
  if (within_ != kNoValue) inputs.push_back(within_);
  const ValueId state = add_synthetic("hone.LoopState", std::move(inputs), counts_up_to > 0 ? Attributes{{"counts", counts_up_to}} : Attributes{});
  copy_type(initial, state);
  return state;
}

void NodeImporter::copy_type(ValueId from, ValueId to) {
  const DType dtype = graph_.value(from).dtype;
  const Shape shape = graph_.value(from).shape;
  Value& value = graph_.value(to);
  value.dtype = dtype;
  value.shape = shape;
  value.shape_known = true;
}

// Why its trips cannot be written out.
std::string NodeImporter::unknown_trips(const LoopState& loop) const {
  return loop.trips_value == kNoValue ? std::string("whether it goes on is computed from the model's inputs")
                                      : cat("its number of trips '", graph_.value(loop.trips_value).name, "' is computed from the model's inputs");
}

Result<ValueId> NodeImporter::carried_in(const OnnxSite& site, const LoopState& loop, const Meaning& meaning) {
  if (meaning.tensor == kNoValue)
    return Error{ErrorCode::kUnsupported, cat(site.what, " carries a sequence, or an optional, from trip to trip, and ", unknown_trips(loop), "; hone carries tensors then: export it with a fixed number of trips")};
  HONE_TRY(known_shape(site, meaning.tensor));
  return meaning.tensor;
}

Result<bool> NodeImporter::always_holds(ValueId condition) {
  HONE_ASSIGN(is_known, is_known_value(condition));
  if (!is_known) return false;
  const Value& value = graph_.value(condition);
  return to_doubles({value.dtype, value.shape, value.bytes})[0] != 0;
}

Status NodeImporter::follow(const OnnxSite& site, Repetition& repetition, ValueId state, const Meaning& next) {
  HONE_ASSIGN(id, carried_in(site, repetition.loop, next));
  const Value &before = graph_.value(state), &after = graph_.value(id);
  if (before.dtype != after.dtype || before.shape != after.shape)
    return Error{ErrorCode::kUnsupported, cat(site.what, " carries ", ir::dtype_name(before.dtype), " of shape ", te::shape_text(before.shape), ", which is ", ir::dtype_name(after.dtype), " of shape ",
                                              te::shape_text(after.shape), " after a trip, and ", unknown_trips(repetition.loop), "; hone carries tensors of one type and shape then")};
  repetition.pairs.insert(repetition.pairs.end(), {state, id});
  return ok_status();
}

// Whether a trip runs: while the conditions hold, and as far as the number of trips goes.
Status NodeImporter::ask_whether(const OnnxSite& site, Repetition& repetition, ValueId before, ValueId after) {
  HONE_ASSIGN(first_holds, always_holds(before));
  HONE_ASSIGN(next_holds, always_holds(after));
  const LoopState& loop = repetition.loop;
  const bool is_bounded = loop.trips != INT64_MAX || loop.trips_value != kNoValue;
  if (first_holds && next_holds && !is_bounded) return te::bad_model(cat(site.what, " has no end: its condition always holds, and it has no number of trips"));
  repetition.is_fixed = first_holds && next_holds && loop.trips_value == kNoValue;
  if (repetition.is_fixed) return ok_status();
  NodeWriter nodes(graph_);
  HONE_ASSIGN(begins, condition_of(site, before));
  HONE_ASSIGN(goes_on, condition_of(site, after));
  if (is_bounded) {
    HONE_ASSIGN(trips, trips_of(site, loop));
    begins = nodes.add("And", {begins, nodes.add("Less", {nodes.number(DType::kI64, 0), trips})});
    goes_on = nodes.add("And", {goes_on, nodes.add("Less", {repetition.counted, trips})});
  }
  HONE_TRY(known_shape(site, begins));
  repetition.condition = {add_state(begins), goes_on};
  return ok_status();
}

// []
Result<ValueId> NodeImporter::trips_of(const OnnxSite& site, const LoopState& loop) {
  NodeWriter nodes(graph_);
  if (loop.trips_value == kNoValue) return nodes.number(DType::kI64, static_cast<double>(loop.trips));
  HONE_ASSIGN(shape, known_shape(site, loop.trips_value));
  const DType dtype = graph_.value(loop.trips_value).dtype;
  if (ir::element_count(shape) != 1 || dtype != DType::kI64)
    return te::bad_model(cat(site.what, ": its number of trips is ", ir::dtype_name(dtype), " of shape ", te::shape_text(shape), "; expected one int64"));
  return nodes.reshaped(loop.trips_value, {});
}

// A row for each trip that may run; each trip writes its own.
Status NodeImporter::collect(const OnnxSite& site, Repetition& repetition, const Meaning& part) {
  const int64_t rows = repetition.loop.trips;
  if (part.tensor == kNoValue) return te::bad_model(cat(site.what, " collects what is not a tensor"));
  if (rows == INT64_MAX)
    return Error{ErrorCode::kUnsupported, cat(site.what, " collects '", graph_.value(part.tensor).name, "' of each trip, and ", unknown_trips(repetition.loop), "; hone needs a number that they do not exceed: export the loop with one")};
  HONE_ASSIGN(shape, known_shape(site, part.tensor));
  const DType dtype = graph_.value(part.tensor).dtype;
  Shape all = shape, column(shape.size() + 1, 1);
  all.insert(all.begin(), rows);
  column[0] = rows;
  HONE_TRY(check_shape(all, cat("what ", site.what, " collects")));
  NodeWriter nodes(graph_);
  const ValueId empty = nodes.zeros(dtype, all);
  HONE_TRY(known_shape(site, empty));
  const ValueId state = add_state(empty), own = nodes.add("Equal", {nodes.reshaped(nodes.range(rows), column), repetition.counter});
  const ValueId next = nodes.add("Where", {own, nodes.add("Unsqueeze", {part.tensor, nodes.list({0})}), state});
  repetition.pairs.insert(repetition.pairs.end(), {state, next});
  return ok_status();
}

// What each state is after the last trip, without the condition.
std::vector<ValueId> NodeImporter::end_repetition(const Repetition& repetition) {
  std::vector<ValueId> inputs = repetition.condition;
  inputs.insert(inputs.end(), repetition.pairs.begin(), repetition.pairs.end());
  Attributes attributes{{"trips", repetition.is_fixed ? repetition.loop.trips : int64_t{0}}, {"asks", repetition.is_fixed ? int64_t{0} : int64_t{1}}};
  std::vector<ValueId> finals = NodeWriter(graph_).add_all("hone.LoopEnd", inputs, std::move(attributes), inputs.size() / 2);
  for (size_t i = 0; i < finals.size(); i++) copy_type(inputs[2 * i], finals[i]);
  finals.erase(finals.begin(), finals.begin() + static_cast<std::ptrdiff_t>(repetition.condition.size() / 2));
  return finals;
}

// The body's results; within it, its own states are those of the loop around whatever it repeats.
Result<std::vector<Meaning>> NodeImporter::run_repeated_body(const OnnxSite& site, const OnnxGraph& body, Repetition& repetition) {
  std::vector<Meaning> inputs{{repetition.counter, nullptr}, {constant({DType::kBool, {}, raw_bytes(uint8_t{1})}), nullptr}};
  for (const Meaning& meaning : repetition.loop.carried) {
    HONE_ASSIGN(initial, carried_in(site, repetition.loop, meaning));
    inputs.push_back({add_state(initial), nullptr});
    repetition.carried.push_back(inputs.back().tensor);
  }
  const ValueId around = within_;
  within_ = repetition.counter;
  auto results = run_body(site, body, inputs);
  within_ = around;
  return results;
}

Status NodeImporter::repeat_loop(const OnnxSite& site, const OnnxGraph& body, const LoopState& loop) {
  if (++repetitions_ > kLoopsMax) return Error{ErrorCode::kLimitExceeded, cat("the model has more than ", kLoopsMax, " loops whose trips a run counts, as far as ", site.what, "; cut the model in parts")};
  NodeWriter nodes(graph_);
  Repetition repetition{.loop = loop};
  repetition.counter = add_state(nodes.number(DType::kI64, 0), std::clamp<int64_t>(loop.trips, 1, kTripsMax));
  HONE_ASSIGN(results, run_repeated_body(site, body, repetition));
  repetition.counted = nodes.add("Add", {repetition.counter, nodes.number(DType::kI64, 1)});
  if (results[0].tensor == kNoValue) return te::bad_model(cat(site.what, ": its condition is not a tensor"));
  HONE_TRY(ask_whether(site, repetition, loop.condition.tensor, results[0].tensor));
  HONE_TRY(follow(site, repetition, repetition.counter, {repetition.counted, nullptr}));
  const size_t carried = repetition.carried.size();
  for (size_t i = 0; i < carried; i++) HONE_TRY(follow(site, repetition, repetition.carried[i], results[1 + i]));
  for (size_t i = 0; i < loop.collected.size(); i++)
    if (site.has_output(carried + i)) HONE_TRY(collect(site, repetition, results[1 + carried + i]));
  return hand_out_repeated(site, repetition);
}

Status NodeImporter::hand_out_repeated(const OnnxSite& site, const Repetition& repetition) {
  const std::vector<ValueId> finals = end_repetition(repetition);
  const size_t carried = repetition.carried.size();
  for (size_t i = 0; i < carried; i++) HONE_TRY(bind_result(site, i, {finals[1 + i], nullptr}));
  NodeWriter nodes(graph_);
  const ValueId trips = nodes.reshaped(finals[0], {1});
  size_t next = 1 + carried;
  for (size_t i = 0; i < repetition.loop.collected.size(); i++) {
    if (!site.has_output(carried + i)) continue;
    ValueId all = finals[next++];
    if (!repetition.is_fixed) all = add_synthetic("hone.Bounded", {all, trips}, {{"axis", int64_t{0}}});
    HONE_TRY(bind_result(site, carried + i, {all, nullptr}));
  }
  return ok_status();
}

}  // namespace hone::graph
