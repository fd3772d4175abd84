#include "codegen/graph/spec.h"

#include <charconv>

#include "base/cat.h"
#include "codegen/graph/check_shape.h"

namespace hone::graph {
namespace {

constexpr int64_t kExtentMax = int64_t{1} << 30;

class SpecReader {
 public:
  explicit SpecReader(std::string_view spec) : spec_(spec) {}
  Result<Graph> read();

 private:
  Error wrong(std::string_view found, std::string_view expected) const {
    return {ErrorCode::kInvalidArgument, cat("op SPEC '", spec_, "': found '", found, "', expected ", expected)};
  }
  Result<std::vector<int64_t>> numbers(std::string_view text) const;
  Result<Graph> matmul(std::string_view shape) const;
  Result<Graph> conv(std::vector<std::string_view> parts) const;
  Result<Graph> checked(Result<Graph> graph) const;
  Status conv_setting(Node& node, std::string_view setting, size_t rank) const;

  std::string_view spec_;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (size_t at = 0;;) {
    const size_t end = text.find(separator, at);
    out.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return out;
    at = end + 1;
  }
}

Result<std::vector<int64_t>> SpecReader::numbers(std::string_view text) const {
  std::vector<int64_t> out;
  for (std::string_view part : split(text, 'x')) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < 0 || value > kExtentMax)
      return wrong(text, cat("whole numbers from 0 to ", kExtentMax, " joined by x"));
    out.push_back(value);
  }
  return out;
}

ValueId add_value(Graph& graph, std::string name, Shape shape, bool constant) {
  Value value;
  value.name = std::move(name);
  value.shape = std::move(shape);
  value.shape_known = true;
  value.constant = constant;
  const ValueId id = graph.add_value(std::move(value));
  if (!constant) graph.inputs.push_back(id);
  return id;
}

void add_result(Graph& graph, Node node, std::string name) {
  Value value;
  value.name = std::move(name);
  const ValueId id = graph.add_value(std::move(value));
  node.outputs = {id};
  graph.outputs = {id};
  graph.nodes.push_back(std::move(node));
}

Result<Graph> SpecReader::matmul(std::string_view shape) const {
  HONE_ASSIGN(extents, numbers(shape));
  if (extents.size() != 3 && extents.size() != 4) return wrong(shape, "matmul:MxNxK or matmul:BxMxNxK");
  Shape batch(extents.begin(), extents.end() - 3);
  const int64_t m = extents[batch.size()], n = extents[batch.size() + 1], k = extents[batch.size() + 2];
  Shape a = batch, b = batch;
  a.insert(a.end(), {m, k});
  b.insert(b.end(), {k, n});
  Graph graph;
  graph.name = std::string(spec_);
  Node node;
  node.op = "MatMul";
  node.inputs = {add_value(graph, "A", a, false), add_value(graph, "B", b, false)};
  add_result(graph, std::move(node), "C");
  return graph;
}

Status SpecReader::conv_setting(Node& node, std::string_view setting, size_t rank) const {
  const size_t equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  const bool known = key == "pad" || key == "stride" || key == "dilation" || key == "groups";
  if (equals == std::string_view::npos || !known) return wrong(setting, "pad=, stride=, dilation= or groups=");
  HONE_ASSIGN(values, numbers(setting.substr(equals + 1)));
  if (key == "groups") {
    if (values.size() != 1) return wrong(setting, "one number of groups");
    node.attributes["group"] = values[0];
    return ok_status();
  }
  if (values.size() == 1) values.assign(rank, values[0]);
  if (key == "pad" && values.size() == rank) values.insert(values.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank));
  if (values.size() != (key == "pad" ? 2 * rank : rank)) return wrong(setting, cat("one number, or one per each of ", rank, " dimensions"));
  node.attributes[key == "pad" ? "pads" : key == "stride" ? "strides" : "dilations"] = values;
  return ok_status();
}

Result<Graph> SpecReader::conv(std::vector<std::string_view> parts) const {
  if (parts.size() < 2) return wrong(parts[0], "conv:NxCxHxW,OxCxRxS");
  HONE_ASSIGN(x, numbers(parts[0]));
  HONE_ASSIGN(w, numbers(parts[1]));
  if (x.size() < 3 || x.size() > 5 || x.size() != w.size()) return wrong(cat(parts[0], ",", parts[1]), "two shapes of the same rank, 3 to 5");
  Node node;
  node.op = "Conv";
  for (size_t i = 2; i < parts.size(); i++) HONE_TRY(conv_setting(node, parts[i], x.size() - 2));
  Graph graph;
  graph.name = std::string(spec_);
  node.inputs = {add_value(graph, "X", x, false), add_value(graph, "W", w, true)};
  add_result(graph, std::move(node), "Y");
  return graph;
}

// Each extent is in range; so must be their product.
Result<Graph> SpecReader::checked(Result<Graph> graph) const {
  if (!graph.ok()) return graph;
  for (const Value& value : graph->values)
    if (const Status fits = check_shape(value.shape, cat("op SPEC '", spec_, "': ", value.name)); !fits.ok())
      return Error{ErrorCode::kInvalidArgument, fits.error().message};
  return graph;
}

Result<Graph> SpecReader::read() {
  const size_t colon = spec_.find(':');
  const std::string_view op = spec_.substr(0, colon);
  if (colon != std::string_view::npos && op == "matmul") return checked(matmul(spec_.substr(colon + 1)));
  if (colon != std::string_view::npos && op == "conv") return checked(conv(split(spec_.substr(colon + 1), ',')));
  return wrong(op, "matmul:MxNxK, conv:NxCxHxW,OxCxRxS or the path of a one-node .onnx file");
}

}  // namespace

Result<Graph> graph_from_spec(std::string_view spec) { return SpecReader(spec).read(); }

}  // namespace hone::graph
