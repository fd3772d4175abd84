#include "codegen/graph/placements.h"

namespace hone::graph {
namespace {

struct PlaceText {
  std::string_view name, reason;
};
constexpr PlaceText kTexts[] = {
    {"kernel", "computed on the device"},
    {"view", "no work: its elements lie as its input's do"},
    {"loop", "on the host: its kernels run again while its condition holds, or as often as it says"},
    {"upload", "on the host: an input gets zeros for hone's own use when it is sent"},
    {"constant", "no work: known when compiling"},
    {"merged", "no work of its own: a part of other nodes, or its input handed on"},
    {"unread", "no work: nobody reads its results"},
};

// Nodes that have no place are known, gone into others, or not asked for.
Place place_of_gone(const Graph& graph, const ModelNode& node) {
  if (node.result == kNoValue) return Place::kUnread;
  return graph.value(node.result).constant ? Place::kConstant : Place::kMerged;
}

}  // namespace

std::string_view place_name(Place place) { return kTexts[static_cast<size_t>(place)].name; }
std::string_view place_reason(Place place) { return kTexts[static_cast<size_t>(place)].reason; }

std::vector<Placement> place_nodes(const Graph& graph, const ModelSteps& steps) {
  std::vector<Placement> out;
  for (const ModelNode& node : graph.model_nodes) out.push_back({place_of_gone(graph, node), {}});
  const auto placement = [&](int node) -> Placement* {
    const int of = graph.nodes[static_cast<size_t>(node)].model_node;
    return of >= 0 && static_cast<size_t>(of) < out.size() ? &out[static_cast<size_t>(of)] : nullptr;
  };
  for (int node : steps.views)
    if (Placement* p = placement(node)) p->place = Place::kView;
  for (size_t i = 0; i < steps.steps.size(); i++) {
    for (int node : steps.steps[i].nodes) {
      Placement* p = placement(node);
      if (!p) continue;
      if (p->place != Place::kLoop) p->place = steps.steps[i].on_upload ? Place::kUpload : is_loop_end(graph.nodes[static_cast<size_t>(node)]) ? Place::kLoop : Place::kKernel;
      if (p->steps.empty() || p->steps.back() != i) p->steps.push_back(i);
    }
  }
  return out;
}

}  // namespace hone::graph
