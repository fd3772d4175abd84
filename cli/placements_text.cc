#include "cli/placements_text.h"

#include "base/cat.h"
#include "cli/console.h"
#include "codegen/graph/placements.h"

namespace hone::cli {
namespace {

constexpr graph::Place kPlaces[] = {graph::Place::kKernel, graph::Place::kView, graph::Place::kLoop, graph::Place::kUpload, graph::Place::kConstant, graph::Place::kMerged, graph::Place::kUnread};

// The reason, or the tasks of kernels: the first one, and how many more.
std::string why_text(const nlohmann::json& placement) {
  const nlohmann::json tasks = placement.value("tasks", nlohmann::json::array());
  if (!tasks.empty() && tasks[0].is_string()) return cat(tasks[0].get<std::string>(), tasks.size() > 1 ? cat(" and ", tasks.size() - 1, " more") : "");
  for (graph::Place place : kPlaces)
    if (placement.value("place", "") == graph::place_name(place)) return std::string(graph::place_reason(place));
  return "";
}

}  // namespace

std::string node_counts_text(const nlohmann::json& result) {
  const nlohmann::json counts = result.value("nodes", nlohmann::json::object());
  std::string out;
  for (graph::Place place : kPlaces)
    if (const auto it = counts.find(std::string(graph::place_name(place))); it != counts.end() && it->is_number()) out += cat(out.empty() ? "nodes: " : ", ", it->get<int64_t>(), " ", graph::place_name(place));
  return out.empty() ? out : out + "\n";
}

std::string placements_text(const nlohmann::json& result) {
  const auto placements = result.find("placements");
  if (placements == result.end()) return "";
  Table table{.rows = {{"node", "operator", "place", "kernel, or why none"}}, .numeric = {false, false, false, false}};
  for (const nlohmann::json& p : *placements) table.rows.push_back({p.value("node", ""), p.value("op", ""), p.value("place", ""), why_text(p)});
  return table_text(table) + "\n";
}

}  // namespace hone::cli
