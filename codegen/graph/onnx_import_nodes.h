// Nodes of an ONNX model as nodes of a Graph, one after the other. What is no computation is gone behind it: functions, branches and loops are
// replaced by the nodes that run, sequences and optionals by their elements.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/graph/import.h"
#include "codegen/graph/onnx_import_tensor.h"
#include "codegen/graph/onnx_model.h"
#include "codegen/graph/onnx_scope.h"
#include "codegen/graph/resolve_values.h"

namespace hone::graph {

// A node that is replaced by others.
struct OnnxSite {
  const OnnxNode& node;
  OnnxScope& scope;
  std::string what;  // the node in messages
  GivenAttributes attributes;
  ValueId first_inside = 0;  // values from here on are made in its place

  // Fails: bad_model when the attribute is of another kind. Absent: `otherwise`, or none.
  Result<int64_t> integer(std::string_view name, int64_t otherwise) const;
  Result<std::vector<int64_t>> integers(std::string_view name) const;
  Result<const OnnxGraph*> graph(std::string_view name) const;
  bool has_output(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
};

class NodeImporter {
 public:
  // `graph` grows; its opset is known. `model` holds views of `file`. All outlive the importer.
  NodeImporter(const OnnxModel& model, SharedBytes file, const ImportOptions& options, Graph& graph);

  // All fail: bad_model, unsupported, limit_exceeded with the node or value; cancelled.
  Status add_initialisers(const OnnxGraph& graph, OnnxScope& scope);
  // Those nodes on whose results `results` depend.
  Status add_nodes(const std::vector<OnnxNode>& nodes, const std::vector<std::string_view>& results, OnnxScope& scope);

  // Null: no name of the scope, nor of those around it.
  static const Meaning* find(const OnnxScope& scope, std::string_view name);
  Status bind(OnnxScope& scope, std::string_view name, Meaning meaning);
  // Of a name that has no meaning: `who` reads it.
  Error undefined(std::string_view name, const std::string& who) const;
  // A value that is handed out under this name: itself, renamed, if it was made from `first_inside` on and has no name yet that someone outside
  // knows; else a copy, which folding drops where it can.
  ValueId named(ValueId id, ValueId first_inside, std::string name);
  void keep_name(ValueId id);

 private:
  Result<const std::vector<bool>*> nodes_read(const std::vector<OnnxNode>& nodes, const std::vector<std::string_view>& results,
                                              const OnnxScope& scope);
  Status add_node(const OnnxNode& node, const std::vector<OnnxNode>& beside, OnnxScope& scope);
  Result<bool> hands_on_other(const OnnxNode& node, OnnxScope& scope);
  // Without outputs.
  Result<Node> read_node(const OnnxNode& proto, const OnnxScope& scope);
  Status add_known(const OnnxNode& proto, OnnxScope& scope);
  Status add_constant(const OnnxNode& proto, OnnxScope& scope);
  Status add_outputs(const OnnxNode& proto, Node& node, OnnxScope& scope);

  Result<ConstantTensor> content_of(const OnnxTensor& tensor, const std::string& what);
  Result<ConstantTensor> constant_of(const GivenAttribute& attribute, const std::string& what);
  // Where a subgraph or function stands several times, its constant `source` of the file is read once and is one value.
  Status define_constant(std::string_view name, const void* source, const std::function<Result<ConstantTensor>()>& read, OnnxScope& scope);
  Result<ValueId> define(std::string_view name, OnnxScope& scope);

  // Of what stands in the place of an input. An empty name, and what is left out: absent.
  Result<Meaning> input_of(std::string_view name, const std::string& what, const OnnxScope& scope) const;
  Result<ValueId> tensor_of(std::string_view name, const std::string& what, const OnnxScope& scope) const;
  // References to those of a function's call are followed.
  Result<GivenAttributes> attributes_of(const OnnxNode& node, const OnnxScope& scope) const;
  Result<Attribute> read_attribute(const GivenAttribute& attribute, const std::string& what);

  bool is_known(const OnnxNode& node) const;
  std::string others_unknown(const OnnxNode& first, const std::vector<OnnxNode>& beside) const;

  // What is replaced: control flow, sequences, optionals.
  using Replace = Status (NodeImporter::*)(const OnnxSite& site);
  static Replace replacement_of(std::string_view op);
  Status replace(const OnnxNode& node, Replace how, OnnxScope& scope);
  Status replace_if(const OnnxSite& site);
  Status replace_loop(const OnnxSite& site);
  Status replace_scan(const OnnxSite& site);
  Status replace_composed(const OnnxSite& site);
  Status replace_sequence_map(const OnnxSite& site);
  Status replace_sequence_construct(const OnnxSite& site);
  Status replace_sequence_at(const OnnxSite& site);
  Status replace_sequence_insert(const OnnxSite& site);
  Status replace_sequence_erase(const OnnxSite& site);
  Status replace_sequence_length(const OnnxSite& site);
  Status replace_split_to_sequence(const OnnxSite& site);
  Status replace_concat_from_sequence(const OnnxSite& site);
  Status replace_optional(const OnnxSite& site);
  Status replace_optional_get_element(const OnnxSite& site);
  Status replace_optional_has_element(const OnnxSite& site);

  // Input i of the node: absent where it has none; a tensor; a list.
  Result<Meaning> input(const OnnxSite& site, size_t i) const;
  Result<ValueId> tensor(const OnnxSite& site, size_t i) const;
  Result<const std::vector<ValueId>*> list(const OnnxSite& site, size_t i) const;
  Status bind_list(const OnnxSite& site, size_t output, std::vector<ValueId> elements);
  Status bind_result(const OnnxSite& site, size_t output, Meaning meaning);
  // What must be known: the one element of a constant, or the shape. `role` names it: "its condition".
  Result<int64_t> known_number(const OnnxSite& site, ValueId id, std::string_view role);
  Result<Shape> known_shape(const OnnxSite& site, ValueId id);
  // What a run alone decides: both of two values are computed, and one is chosen where they are alike.
  Result<bool> is_known_value(ValueId id);
  Result<ValueId> condition_of(const OnnxSite& site, ValueId id);
  struct Choice {
    ValueId yes, no;
    bool may_differ;  // in their extents
  };
  ValueId padded_to(ValueId id, const Shape& shape);
  Result<ValueId> chosen_sizes(ValueId condition, ValueId yes, ValueId no);
  Result<ValueId> chosen_tensor(const OnnxSite& site, ValueId condition, const Choice& among);
  Result<Meaning> chosen(const OnnxSite& site, ValueId condition, const Meaning& yes, const Meaning& no, bool may_differ);
  Error no_choice(const OnnxSite& site, ValueId condition, std::string_view among, const Error& why);
  Status choose_branch(const OnnxSite& site, ValueId condition);
  // Long branches, of which only the one that holds runs (onnx_import_branch.cc).
  struct Gate;
  struct Branch {
    ValueId state;  // whether it runs
    std::vector<Meaning> results;
  };
  Result<ValueId> gated(ValueId id);
  static bool is_long_branch(const OnnxGraph& branch);
  Result<std::vector<Meaning>> run_gated(const OnnxSite& site, const OnnxGraph& branch, ValueId state);
  std::vector<ValueId> end_branch(ValueId state, const std::vector<ValueId>& otherwise, const std::vector<ValueId>& made);
  Result<bool> are_alike(const OnnxSite& site, const Meaning& yes, const Meaning& no);
  Status bind_branches(const OnnxSite& site, ValueId condition, const std::vector<Branch>& branches);
  Result<bool> branch(const OnnxSite& site, ValueId condition, const std::vector<Branch>& branches);
  Result<ValueId> trips_run(const OnnxSite& site, int64_t known, const std::vector<ValueId>& conditions);
  // One run of a subgraph.
  Result<std::vector<Meaning>> run_body(const OnnxSite& site, const OnnxGraph& body, const std::vector<Meaning>& inputs);
  struct LoopState;
  Result<LoopState> loop_state(const OnnxSite& site, const OnnxGraph& body);
  Result<bool> goes_on(const OnnxSite& site, LoopState& state);
  Status run_trip(const OnnxSite& site, const OnnxGraph& body, int64_t trip, LoopState& state);
  Status run_loop(const OnnxSite& site, const OnnxGraph& body, LoopState& state);
  bool is_too_long(const OnnxGraph& body, int64_t trips) const;
  Status set_trips(const OnnxSite& site, ValueId id, LoopState& state);
  Status hand_out_written(const OnnxSite& site, const OnnxGraph& body, const LoopState& state);
  // A loop whose trips a run counts (loops.h; onnx_import_repeat.cc).
  struct Repetition;
  std::string unknown_trips(const LoopState& loop) const;
  Result<ValueId> carried_in(const OnnxSite& site, const LoopState& loop, const Meaning& meaning);
  ValueId add_state(ValueId initial, int64_t counts_up_to = 0);
  void copy_type(ValueId from, ValueId to);
  Result<ValueId> trips_of(const OnnxSite& site, const LoopState& loop);
  Result<std::vector<Meaning>> run_repeated_body(const OnnxSite& site, const OnnxGraph& body, Repetition& repetition);
  Result<bool> always_holds(ValueId condition);
  Status follow(const OnnxSite& site, Repetition& repetition, ValueId state, const Meaning& next);
  Status ask_whether(const OnnxSite& site, Repetition& repetition, ValueId before, ValueId after);
  Status collect(const OnnxSite& site, Repetition& repetition, const Meaning& part);
  std::vector<ValueId> end_repetition(const Repetition& repetition);
  Status hand_out_repeated(const OnnxSite& site, const Repetition& repetition);
  Status repeat_loop(const OnnxSite& site, const OnnxGraph& body, const LoopState& loop);
  struct ScanPlan;
  Result<ScanPlan> plan_scan(const OnnxSite& site) const;
  Result<int64_t> scan_length(const OnnxSite& site, ScanPlan& plan, const std::vector<ValueId>& inputs);
  Result<std::vector<ValueId>> run_scan(const OnnxSite& site, ScanPlan plan, const std::vector<ValueId>& inputs);
  Result<std::vector<ValueId>> scan_results(const OnnxSite& site, const ScanPlan& plan, const std::vector<Meaning>& states,
                                            std::vector<std::vector<ValueId>> collected);
  Result<std::vector<ValueId>> run_scan_of_batch(const OnnxSite& site, const ScanPlan& plan, const std::vector<ValueId>& inputs);
  struct SplitPlan;
  Result<SplitPlan> plan_split(const OnnxSite& site, ValueId whole);
  // Synthetic nodes: one part of an axis, which goes; values side by side along a new axis; a constant.
  Result<ValueId> part_of_axis(const OnnxSite& site, ValueId id, int64_t axis, int64_t index);
  Result<ValueId> stacked(const OnnxSite& site, std::vector<ValueId> parts, int64_t axis);
  Result<ValueId> all_of(const OnnxSite& site, const OnnxValueInfo& part, std::vector<ValueId> parts, int64_t axis);
  Result<ValueId> nothing_stacked(const OnnxSite& site, const OnnxValueInfo& part, int64_t axis);
  ValueId constant(ConstantTensor content);

  // Functions of the model.
  const OnnxFunction* function_of(const OnnxNode& node) const;
  Status check_call(const OnnxNode& node, const OnnxFunction& function, const OnnxScope& scope) const;
  Status add_call(const OnnxNode& node, const OnnxFunction& function, OnnxScope& scope);

  // Nodes in the place of one: how many there may be, what they are called, and what of them the node hands out.
  Status count_expanded(size_t nodes, const std::string& what);
  Status count_written(size_t first_value, const std::string& what);
  Status count_contents(const OnnxNode& node, const std::string& what);
  Result<OnnxScope> scope_within(const OnnxNode& node, const OnnxScope& around);
  Status hand_out(std::string_view name, Meaning meaning, ValueId first_inside, OnnxScope& scope);
  ValueId add_synthetic(std::string_view op, std::vector<ValueId> inputs, std::map<std::string, Attribute, std::less<>> attributes,
                        std::string name = "");

  const OnnxModel& model_;
  const ImportOptions& options_;
  Graph& graph_;
  TensorReader tensors_;
  std::unordered_map<std::string, const OnnxFunction*> functions_;
  std::unordered_map<const OnnxTensor*, ConstantTensor> contents_;  // of attributes
  std::unordered_map<const void*, ValueId> constants_;
  std::map<std::pair<const void*, std::vector<std::string_view>>, std::vector<bool>> nodes_read_;  // by nodes and results
  std::vector<bool> name_kept_;                                // by value: someone outside of where it was made knows it by its name
  ValueResolver resolver_;
  std::unordered_map<std::string_view, std::string> not_computed_;  // names of outputs that hone leaves out, with their nodes
  size_t expanded_ = 0, list_elements_ = 0, repetitions_ = 0;
  Gate* gate_ = nullptr;       // of the branch that is read now and that a run may leave out
  ValueId within_ = kNoValue;  // a state of the loop whose trip is read now and that a run counts; kNoValue: of none
  int64_t written_elements_ = 0;  // of constants that stand for operators
};

}  // namespace hone::graph
