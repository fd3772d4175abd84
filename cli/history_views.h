// What a history shows: for people and for programs.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_history/confirm.h"

namespace hone::cli {

struct History {
  size_t reports = 0;
  std::vector<std::string> skipped;  // "FILE: why"
  std::vector<bench_history::CaseSeries> series;
  std::vector<bench_history::Change> changes;
  std::vector<std::optional<bench_history::Confirmation>> confirmations;  // as many as changes; empty: none was asked for, or the change is no suspicion
};

// A table of the changes and a line that counts; moments are in UTC. Cases of a device to which an update did nothing share a row. What was not confirmed is called a suspicion.
std::string history_text(const History& history);

// schema/cli/bench_history.json
nlohmann::ordered_json history_json(const History& history);

// Of the confirmations.
size_t regressions_in(const History& history);

}  // namespace hone::cli
