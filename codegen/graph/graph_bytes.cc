#include "codegen/graph/graph_bytes.h"

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/cat.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

enum class KeptIn : uint8_t { kNowhere, kFile, kContents };

class GraphWriter : private ByteWriter {
 public:
  explicit GraphWriter(std::string_view file) : file_(file) {}

  GraphBytes write(const Graph& graph) && {
    text(graph.name);
    number(int32_t{graph.opset});
    list(graph.values, [this](const Value& v) { value(v); });
    list(graph.nodes, [this](const Node& n) { node(n); });
    numbers(graph.inputs);
    numbers(graph.outputs);
    list(graph.model_nodes, [this](const ModelNode& n) { text(n.name), text(n.op), number(n.result); });
    number(uint64_t{graph.hidden_outputs});
    list(graph.watched, [this](const std::string& name) { text(name); });
    kind(graph.medium);
    number(graph.layers_max);
    return {std::move(*this).take(), std::move(contents_)};
  }

 private:
  void value(const Value& v) {
    text(v.name);
    kind(v.dtype);
    numbers(v.shape);
    flag(v.shape_known);
    flag(v.constant);
    bytes(v.bytes);
    numbers(v.lengths);
  }
  void node(const Node& n) {
    text(n.name);
    text(n.op);
    numbers(n.inputs);
    numbers(n.outputs);
    list(n.attributes, [this](const auto& entry) { text(entry.first), attribute(entry.second); });
    flag(n.at_boundary);
    number(int32_t{n.model_node});
    number(n.padding_flops);
  }
  void attribute(const Attribute& attribute) {
    number(static_cast<uint8_t>(attribute.index()));
    std::visit([this](const auto& one) { attribute_value(one); }, attribute);
  }
  void attribute_value(int64_t v) { number(v); }
  void attribute_value(double v) { number(v); }
  void attribute_value(const std::string& v) { text(v); }
  void attribute_value(const std::vector<int64_t>& v) { numbers(v); }
  void attribute_value(const std::vector<double>& v) { numbers(v); }
  void attribute_value(const std::vector<std::string>& v) {
    list(v, [this](const std::string& one) { text(one); });
  }
  void attribute_value(const ConstantTensor& v) {
    kind(v.dtype);
    numbers(v.shape);
    bytes(v.bytes);
  }

  void bytes(const SharedBytes& bytes) {
    if (!bytes) return kind(KeptIn::kNowhere);
    const bool in_file = lies_in_file(*bytes);
    kind(in_file ? KeptIn::kFile : KeptIn::kContents);
    number(in_file ? static_cast<uint64_t>(bytes->data() - file_.data()) : offset_of(bytes));
    number(uint64_t{bytes->size()});
  }
  // Pointers into different arrays have no order but std::less's.
  bool lies_in_file(std::string_view part) const {
    const std::less<const char*> before;
    return !part.empty() && !file_.empty() && !before(part.data(), file_.data()) && !before(file_.data() + file_.size(), part.data() + part.size());
  }
  uint64_t offset_of(const SharedBytes& bytes) {
    const auto [known, is_new] = offsets_.try_emplace({bytes->data(), bytes->size()}, end_);
    if (!is_new) return known->second;
    contents_.push_back(bytes);
    end_ += bytes->size();
    return known->second;
  }

  const std::string_view file_;
  std::vector<SharedBytes> contents_;
  std::map<std::pair<const char*, size_t>, uint64_t> offsets_;
  uint64_t end_ = 0;  // of what is listed
};

class GraphReader : private ByteReader {
 public:
  GraphReader(std::string_view structure, const SharedBytes& file, const SharedBytes& contents)
      : ByteReader(structure), file_(file), contents_(contents) {}

  Result<Graph> read() {
    Graph graph;
    graph.name = text();
    graph.opset = number<int32_t>();
    list([&] { graph.values.push_back(value()); });
    list([&] { graph.nodes.push_back(node()); });
    graph.inputs = numbers<ValueId>();
    graph.outputs = numbers<ValueId>();
    list([&] { graph.model_nodes.push_back(model_node()); });
    graph.hidden_outputs = number<uint64_t>();
    list([&] { graph.watched.push_back(text()); });
    graph.medium = kind(ir::Medium::kTexture2D);
    graph.layers_max = number<int64_t>();
    expect(at_end(), "more than a graph");
    check(graph);
    if (wrong()) return malformed(wrong());
    HONE_TRY(check_shapes(graph));
    const Status verified = verify_graph(graph, GraphStage::kShaped);
    if (!verified.ok()) return malformed(verified.error().message);
    for (const Node& node : graph.nodes) HONE_TRY(check_node(graph, node));
    return std::move(graph);
  }

 private:
  static Error malformed(std::string_view what) { return {ErrorCode::kParseError, cat("the bytes of a graph are malformed: ", what)}; }
  DType dtype() {
    const DType dtype = kind(DType::kU2);
    expect(dtype != DType::kIndex, "elements are indices");
    return dtype;
  }

  Value value() {
    Value v;
    v.name = text();
    v.dtype = dtype();
    v.shape = numbers<int64_t>();
    v.shape_known = flag();
    v.constant = flag();
    v.bytes = bytes();
    v.lengths = numbers<ValueId>();
    return v;
  }
  Node node() {
    Node n;
    n.name = text();
    n.op = text();
    n.inputs = numbers<ValueId>();
    n.outputs = numbers<ValueId>();
    list([&] {
      std::string name = text();
      n.attributes.insert_or_assign(std::move(name), attribute());
    });
    n.at_boundary = flag();
    n.model_node = number<int32_t>();
    n.padding_flops = number<double>();
    return n;
  }
  ModelNode model_node() {
    ModelNode n;
    n.name = text();
    n.op = text();
    n.result = number<ValueId>();
    return n;
  }
  // In the order of Attribute's alternatives.
  Attribute attribute() {
    switch (number<uint8_t>()) {
      case 0: return number<int64_t>();
      case 1: return number<double>();
      case 2: return text();
      case 3: return numbers<int64_t>();
      case 4: return numbers<double>();
      case 5: return texts();
      case 6: return tensor();
      default: expect(false, "an attribute has no kind"); return int64_t{0};
    }
  }
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    list([&] { out.push_back(text()); });
    return out;
  }
  ConstantTensor tensor() {
    ConstantTensor t;
    t.dtype = dtype();
    t.shape = numbers<int64_t>();
    t.bytes = bytes();
    expect(t.bytes != nullptr, "an attribute's tensor has no elements");
    return t;
  }

  SharedBytes bytes() {
    const KeptIn place = kind(KeptIn::kContents);
    if (place == KeptIn::kNowhere) return nullptr;
    const SharedBytes& whole = place == KeptIn::kFile ? file_ : contents_;
    const auto offset = number<uint64_t>(), size = number<uint64_t>();
    expect(whole && offset <= whole->size() && size <= whole->size() - offset, "a constant lies beyond what holds it");
    return wrong() ? nullptr : shared_part(whole, whole->substr(offset, size));
  }

  // Ids, before anything looks at the values that they mean.
  void check(const Graph& graph) {
    const auto is_value = [&](ValueId id) { return id >= 0 && static_cast<size_t>(id) < graph.values.size(); };
    const auto are_values = [&](const std::vector<ValueId>& ids, bool optional) {
      for (ValueId id : ids) expect(is_value(id) || (optional && id == kNoValue), "an id is that of no value");
    };
    are_values(graph.inputs, false);
    are_values(graph.outputs, false);
    for (const Value& v : graph.values) {
      are_values(v.lengths, true);
      expect(v.lengths.empty() || v.lengths.size() == v.shape.size(), "a value has lengths of other dimensions");
    }
    for (const Node& n : graph.nodes) {
      are_values(n.inputs, true);
      are_values(n.outputs, true);
      expect(n.model_node >= -1 && n.model_node < static_cast<int64_t>(graph.model_nodes.size()), "a node stands for none of the model's");
    }
    for (const ModelNode& n : graph.model_nodes) expect(is_value(n.result) || n.result == kNoValue, "a node of the model has no result");
    expect(graph.hidden_outputs <= graph.outputs.size(), "there are more hidden outputs than outputs");
    expect(graph.layers_max >= 0 && graph.layers_max <= std::numeric_limits<int32_t>::max(), "a fragment writes no such number of layers");
    if (wrong()) return;  // the last output may be none
    expect(graph.watched.empty() || (graph.hidden_outputs > 0 && graph.value(graph.outputs.back()).dtype == DType::kI32), "no output tells what has left 32 bits");
  }

  static Status check_tensor(DType dtype, const Shape& shape, const SharedBytes& bytes, std::string_view name) {
    if (const Status shaped = check_shape(shape, name); !shaped.ok()) return malformed(shaped.error().message);
    if (!bytes || static_cast<int64_t>(bytes->size()) == ir::element_count(shape) * ir::size_bytes(dtype)) return ok_status();
    return malformed(cat("'", name, "' has ", bytes->size(), " bytes, which its shape does not take"));
  }
  // What a node computes is what its operator's definition says of its inputs.
  static Status check_node(Graph& graph, const Node& node) {
    std::vector<Value> said;
    for (ValueId id : node.outputs) said.push_back(id == kNoValue ? Value() : graph.value(id));
    const Status inferred = infer_node(graph, node);
    if (!inferred.ok()) return malformed(inferred.error().message);
    for (size_t i = 0; i < said.size(); i++)
      if (node.outputs[i] != kNoValue && !is_alike(said[i], graph.value(node.outputs[i]))) return malformed(cat(node_text(graph, node), " has other results than it should"));
    return ok_status();
  }
  static bool is_alike(const Value& a, const Value& b) { return a.dtype == b.dtype && a.shape == b.shape && a.lengths == b.lengths; }

  static Status check_shapes(const Graph& graph) {
    for (const Value& v : graph.values)
      if (v.shape_known || !v.shape.empty()) HONE_TRY(check_tensor(v.dtype, v.shape, v.shape_known ? v.bytes : nullptr, v.name));
    for (const Node& n : graph.nodes)
      for (const auto& [name, attribute] : n.attributes)
        if (const auto* t = std::get_if<ConstantTensor>(&attribute)) HONE_TRY(check_tensor(t->dtype, t->shape, t->bytes, name));
    return ok_status();
  }

  const SharedBytes file_, contents_;
};

}  // namespace

GraphBytes graph_to_bytes(const Graph& graph, std::string_view file) { return GraphWriter(file).write(graph); }

Result<Graph> graph_from_bytes(std::string_view structure, const SharedBytes& file, const SharedBytes& contents) {
  return GraphReader(structure, file, contents).read();
}

}  // namespace hone::graph
