// Levels: into what the axes of a launch are cut on a target, as data. A loop of a stage that writes is at one level.
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/target/target.h"

namespace hone::target {

// Outermost first. Tiles are computed by a thread, or in an iteration of a core, one after the other; items are copies of its code.
enum class Level : uint8_t { kGrid, kCore, kThread, kTile, kItem, kVector };

// A direction's levels in the order in which its elements are cut: the first takes what the others leave. lanes: the direction whose neighbours
// are neighbours in memory. Where threads run side by side a thread's items lie a workgroup's width apart along it, so that neighbouring threads read
// neighbouring vectors.
struct LevelSets {
  std::vector<Level> rows, lanes;
};

// Textures have fragments in place of these (schedule/fragment_nest.h).
const LevelSets& level_sets(Kind kind);

// The lanes' levels where elements share nothing: of a core, too, items lie apart, by a run of tiles, so that its tiles read on where the one before ended.
const std::vector<Level>& levels_of_elements(Kind kind);

// The lanes' levels where a workgroup, or an iteration of a core, takes whole lines, one part after the other.
std::vector<Level> levels_of_lines(Kind kind);

}  // namespace hone::target
