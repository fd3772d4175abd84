#include "server/jobs/placements_json.h"

#include <algorithm>

#include "base/printable_text.h"

namespace hone::server {

nlohmann::json node_counts(const std::vector<graph::Placement>& placements) {
  nlohmann::json counts = nlohmann::json::object();
  for (const graph::Placement& p : placements) {
    nlohmann::json& count = counts[std::string(graph::place_name(p.place))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return counts;
}

nlohmann::json placements_json(const graph::Graph& graph, const std::vector<graph::Placement>& placements, const std::vector<std::string>& step_names) {
  nlohmann::json out = nlohmann::json::array();
  for (size_t i = 0; i < placements.size(); i++) {
    nlohmann::json tasks = nlohmann::json::array();
    for (size_t step : placements[i].steps)
      if (std::find(tasks.begin(), tasks.end(), step_names[step]) == tasks.end()) tasks.push_back(step_names[step]);
    const graph::ModelNode& node = graph.model_nodes[i];
    out.push_back({{"node", printable(shortened(node.name))}, {"op", printable(shortened(node.op))}, {"place", graph::place_name(placements[i].place)}, {"steps", placements[i].steps}, {"tasks", std::move(tasks)}});
  }
  return out;
}

}  // namespace hone::server
