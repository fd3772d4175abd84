// The importer's table: which definition of te/ops stands for an ONNX operator. Shapes follow from the definition itself, so an operator
// is one definition there and one line here (docs/adding_an_op.md).
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/graph/graph.h"
#include "codegen/te/builder.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::graph {

// One node on its way into a te::Builder. Inputs become program inputs when the definition asks for them as tensors; constants read
// as numbers (shapes, bounds, scalar factors) never do.
class OpCall {
 public:
  using Resolve = std::function<te::Tensor(ValueId, std::string_view wanted_name)>;
  OpCall(te::Builder& builder, const Graph& graph, const Node& node, Resolve resolve)
      : b(builder), graph(graph), node(node), resolve_(std::move(resolve)) {}

  te::Builder& b;
  const Graph& graph;
  const Node& node;

  // The first Arity::inputs_min inputs, and all of a variadic operator, are there: emit_op has checked it.
  bool has_input(size_t i) const { return i < node.inputs.size() && node.inputs[i] != kNoValue; }
  ValueId id(size_t i) const { return has_input(i) ? node.inputs[i] : kNoValue; }
  bool wants_output(size_t i) const { return i < node.outputs.size() && node.outputs[i] != kNoValue; }
  const Value& value(size_t i) const { return graph.value(node.inputs[i]); }
  te::Tensor tensor(size_t i, std::string_view name) const { return resolve_(node.inputs[i], name); }
  // The contents of a constant input; empty when it is absent. Fails: unsupported when it is computed at run time, limit_exceeded beyond
  // kSettingsMax elements; bad_model where an integer is no number.
  Result<std::vector<double>> numbers(size_t i) const;
  Result<std::vector<int64_t>> integers(size_t i) const;
  // The value of a constant of one element, when its contents are known.
  std::optional<double> scalar(size_t i) const;
  // Input i of an elementwise operator: a number where scalar(i) knows it, else the tensor.
  te::Operand operand(size_t i, std::string_view name) const;

  // Attributes. One of another kind than asked for reads as absent, and emit_op refuses the node.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::vector<int64_t> integers(std::string_view name) const;  // empty when absent
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  bool has_attribute(std::string_view name) const { return node.attributes.count(name) > 0; }
  // Fails: bad_model when one was of another kind than asked for.
  Status attributes_read() const { return misread_ ? Status(*misread_) : ok_status(); }

 private:
  template <class T>
  const T* find_attribute(std::string_view name, std::string_view kind) const;

  mutable std::optional<Error> misread_;
  Resolve resolve_;
};

// How fusion sees an operator.
enum class OpKind : uint8_t {
  kReduction,    // begins a group; reads each input several times
  kElementwise,  // element i of the output needs element i (broadcast) of each input: joins its producer's group
  kView,         // the same elements in the same row-major order under another shape
  kMovement,     // other index maps
  kState,        // what a loop carries from trip to trip (loops.h): its results are no functions of its inputs
};

// Element types of the first input that the definition is right for.
// kAny: also those that are models' alone (ir::is_model_only), which an operator moves or converts; kComputed: any other.
enum class OpTypes : uint8_t { kAny, kComputed, kNumber, kWhole, kFloat, kLogic };

// The opsets whose operators are known: kOpsetMax is the newest that ONNX has published.
inline constexpr int kOpsetMin = 6, kOpsetMax = 28;

// The opsets in which ONNX published a definition of an operator, ascending, zeros behind them. What each changed, the operator's emitter knows. A
// negative one is published and not implemented; nodes that need it are refused.
using Definitions = std::array<int8_t, 12>;
constexpr int8_t not_implemented(int8_t opset) { return static_cast<int8_t>(-opset); }

// How many inputs and outputs ONNX gives the operator in all these opsets, taken together: the fewest that must be there, and the most. A
// maximum of kArityMax stands for any number.
struct Arity {
  size_t inputs_min = 1, inputs_max = 1, outputs_max = 1;
};

struct OpEntry {
  std::string_view op;      // ONNX's name
  std::string_view text;    // for people
  OpKind kind = OpKind::kElementwise;
  Arity arity;
  OpTypes types = OpTypes::kAny;
  Definitions definitions = {};
  // Appends the definition; a tensor for each of the node's outputs, in their places: null, or none at the end, for what is left out or
  // not supported. Fails: bad_model, unsupported.
  Result<std::vector<te::Tensor>> (*emit)(const OpCall& call) = nullptr;
  // The shapes and settings for a task's name, without the operator: "1x64x56x56,64x64x3x3 s1 p1". Null: the inputs' shapes.
  std::string (*describe)(const OpCall& call) = nullptr;
};

const OpEntry* find_op(std::string_view op);
// An operator that is none of ONNX's, and that no model may name.
constexpr bool is_own(std::string_view op) { return op.substr(0, 5) == "hone."; }
std::vector<std::string_view> supported_ops();  // ONNX's names, in the table's order
// An opset selects the newest definition up to then; one from before the operator's first selects the first, as exporters write that ahead of
// time. Fails: unsupported where hone does not implement the selected one.
Status check_definition(const OpEntry& entry, int opset);
// The opset that published the selected definition.
int definition_of(const OpEntry& entry, int opset);
// Fails: bad_model for too few or too many inputs or outputs; limit_exceeded beyond kArityMax.
Status check_arity(const Arity& arity, const Node& node);
// The entry's definition, with the node named in the error. Fails: unsupported for an operator that is not in the table, or a type that it
// does not take; bad_model for a node with too few or too many inputs or outputs, or an attribute of another kind; limit_exceeded beyond
// kArityMax.
Result<std::vector<te::Tensor>> emit_op(const OpCall& call);

}  // namespace hone::graph
