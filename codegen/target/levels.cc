#include "codegen/target/levels.h"

#include <algorithm>

namespace hone::target {

const LevelSets& level_sets(Kind kind) {
  using enum Level;
  static const LevelSets of_threads{{kGrid, kThread, kItem}, {kGrid, kItem, kThread, kVector}};
  static const LevelSets of_cores{{kCore, kTile, kItem}, {kCore, kTile, kItem, kVector}};
  return on_cores(kind) ? of_cores : of_threads;
}

const std::vector<Level>& levels_of_elements(Kind kind) {
  using enum Level;
  static const std::vector<Level> of_cores{kCore, kItem, kTile, kVector};
  return on_cores(kind) ? of_cores : level_sets(kind).lanes;
}

std::vector<Level> levels_of_lines(Kind kind) {
  std::vector<Level> levels = level_sets(kind).lanes;
  std::erase(levels, Level::kTile);
  levels.front() = Level::kTile;
  return levels;
}

}  // namespace hone::target
