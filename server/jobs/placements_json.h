// Where the nodes of a model run, as results of jobs and the command line tell it.
#pragma once
#include <string>
#include <vector>

#include "base/json_text.h"
#include "codegen/graph/placements.h"

namespace hone::server {

// {"kernel": 12, "view": 3}: how many nodes have each place.
nlohmann::json node_counts(const std::vector<graph::Placement>& placements);
// [{"node", "op", "place", "steps", "tasks"}], by node of the model. step_names: of the steps that placements name.
nlohmann::json placements_json(const graph::Graph& graph, const std::vector<graph::Placement>& placements, const std::vector<std::string>& step_names);

}  // namespace hone::server
