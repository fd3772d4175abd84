// Where the nodes of a model ran, for people.
#pragma once
#include <string>

#include "base/json_text.h"

namespace hone::cli {

// "nodes: 12 kernel, 3 view": of a run's result; empty where it does not say.
std::string node_counts_text(const nlohmann::json& result);
// A table: each node with its place and the reason; empty where the result has none.
std::string placements_text(const nlohmann::json& result);

}  // namespace hone::cli
