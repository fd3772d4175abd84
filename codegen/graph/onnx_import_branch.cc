// An If that a run decides and whose branches are long: each branch is a loop of one trip or none (loops.h), so that what does not hold is not computed.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/onnx_import_nodes.h"

namespace hone::graph {
namespace {

// Nodes from which a branch is long. The conditions of both branches are read back from the device before anything more is started, each in the time of some 30 launches in browsers' GPUs
// (docs/notes/conditions.md; not measured on hardware), and about half of a branch's nodes are launches.
constexpr size_t kLongBranchNodes = 120;

size_t nodes_within(const OnnxGraph& graph) {
  size_t count = graph.nodes.size();
  for (const OnnxNode& node : graph.nodes)
    for (const OnnxAttribute& a : node.attributes)
      if (a.graph) count += nodes_within(*a.graph);
  return count;
}

}  // namespace

// What a branch reads of what stands around it belongs to its trip, and so does what it computes of that.
struct NodeImporter::Gate {
  ValueId state = kNoValue;
  ValueId first_own = 0;  // the values from there on are the branch's
  std::unordered_map<ValueId, ValueId> gated = {};
};

// What is known does not depend on a run: shapes and settings follow from it.
Result<ValueId> NodeImporter::gated(ValueId id) {
  if (!gate_ || id == kNoValue || id >= gate_->first_own) return id;
  HONE_ASSIGN(is_known, is_known_value(id));
  if (is_known) return id;
  const auto [it, is_new] = gate_->gated.try_emplace(id, kNoValue);
  if (is_new) it->second = add_synthetic("hone.Gate", {id, gate_->state}, {});
  return it->second;
}

bool NodeImporter::is_long_branch(const OnnxGraph& branch) { return nodes_within(branch) >= kLongBranchNodes; }

Result<std::vector<Meaning>> NodeImporter::run_gated(const OnnxSite& site, const OnnxGraph& branch, ValueId state) {
  Gate gate{.state = state, .first_own = static_cast<ValueId>(graph_.values.size())};
  Gate* const gate_around = gate_;
  const ValueId loop_around = within_;
  gate_ = &gate;
  within_ = state;
  auto results = run_body(site, branch, {});
  gate_ = gate_around;
  within_ = loop_around;
  return results;
}

// One trip that ends itself: each result is what the branch makes, or stays `otherwise`.
std::vector<ValueId> NodeImporter::end_branch(ValueId state, const std::vector<ValueId>& otherwise, const std::vector<ValueId>& made) {
  std::vector<ValueId> pairs{state, constant({DType::kBool, {}, raw_bytes(uint8_t{0})})};
  for (size_t i = 0; i < made.size(); i++) pairs.insert(pairs.end(), {add_state(otherwise[i]), made[i]});
  std::vector<ValueId> finals = NodeWriter(graph_).add_all("hone.LoopEnd", pairs, {{"trips", int64_t{0}}, {"asks", int64_t{1}}}, pairs.size() / 2);
  for (size_t i = 0; i < finals.size(); i++) copy_type(pairs[2 * i], finals[i]);
  finals.erase(finals.begin());
  return finals;
}

// Tensors of one type and rank, whose sizes the branches alone tell.
Result<bool> NodeImporter::are_alike(const OnnxSite& site, const Meaning& yes, const Meaning& no) {
  if (yes.tensor == kNoValue || no.tensor == kNoValue) return false;
  HONE_ASSIGN(a, known_shape(site, yes.tensor));
  HONE_ASSIGN(b, known_shape(site, no.tensor));
  const Value &x = graph_.value(yes.tensor), &y = graph_.value(no.tensor);
  return x.dtype == y.dtype && a.size() == b.size() && x.lengths.empty() && y.lengths.empty();
}

Status NodeImporter::bind_branches(const OnnxSite& site, ValueId condition, const std::vector<Branch>& branches) {
  NodeWriter nodes(graph_);
  std::vector<ValueId> results, made[2];
  std::vector<std::pair<Shape, Shape>> shapes;
  for (size_t i = 0; i < site.node.outputs.size(); i++) {
    if (!site.has_output(i)) continue;
    const ValueId yes = branches[0].results[i].tensor, no = branches[1].results[i].tensor;
    const Shape a = graph_.value(yes).shape, b = graph_.value(no).shape;  // copies: values are added
    Shape both = a;
    for (size_t d = 0; d < a.size(); d++) both[d] = std::max(a[d], b[d]);
    shapes.push_back({a, b});
    results.push_back(nodes.zeros(graph_.value(yes).dtype, both));
    HONE_TRY(known_shape(site, results.back()));
    for (size_t k : {0, 1}) {
      made[k].push_back(padded_to(branches[k].results[i].tensor, both));
      HONE_TRY(known_shape(site, made[k].back()));
    }
  }
  for (size_t k : {0, 1}) results = end_branch(branches[k].state, results, made[k]);
  for (size_t i = 0, next = 0; i < site.node.outputs.size(); i++) {
    if (!site.has_output(i)) continue;
    ValueId out = results[next];
    const auto& [a, b] = shapes[next++];
    for (size_t d = 0; d < a.size(); d++)
      if (a[d] != b[d]) out = nodes.add("hone.Bounded", {out, nodes.add("Where", {condition, nodes.list({a[d]}), nodes.list({b[d]})})}, {{"axis", static_cast<int64_t>(d)}});
    HONE_TRY(bind_result(site, i, {out, nullptr}));
  }
  return ok_status();
}

// False: the results are not such as a loop carries, and the branches are chosen among.
Result<bool> NodeImporter::branch(const OnnxSite& site, ValueId condition, const std::vector<Branch>& branches) {
  for (size_t i = 0; i < site.node.outputs.size(); i++) {
    if (!site.has_output(i)) continue;
    HONE_ASSIGN(alike, are_alike(site, branches[0].results[i], branches[1].results[i]));
    if (!alike) return false;
  }
  if ((repetitions_ += 2) > kLoopsMax) return false;
  HONE_TRY(bind_branches(site, condition, branches));
  return true;
}

}  // namespace hone::graph
