#include "server/jobs/placements_json.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

// Given nodes with names that are no text, or longer than a line, when told, then it is JSON, and a terminal is not told anything.
TEST(PlacementsJson, NamesOfAnEnemyAreText) {
  graph::Graph graph;
  graph.model_nodes = {{"\xff\x1b[31m", "Relu"}, {std::string(100000, 'n'), "Conv"}};
  const nlohmann::json told = placements_json(graph, {{graph::Place::kUnread, {}}, {graph::Place::kKernel, {1, 0, 1}}}, {"relu 2", "conv 2"});
  const std::string text = told.dump();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 10000u);
  EXPECT_EQ(told[1]["tasks"], (nlohmann::json{"conv 2", "relu 2"}));
  EXPECT_EQ(node_counts({{graph::Place::kView, {}}, {graph::Place::kView, {}}}), (nlohmann::json{{"view", 2}}));
}

}  // namespace
}  // namespace hone::server
