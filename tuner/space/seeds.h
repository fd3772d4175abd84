// Expert choices, as data with their sources. They speak of roles, so they serve every task whose group has those roles.
#pragma once
#include <cstdint>
#include <vector>

#include "tuner/space/rules.h"

namespace hone::tuner {

struct TileSeed {
  TileChoice choice;
  const char* source;
};
const std::vector<TileSeed>& tile_seeds();

struct LineSeed {
  LineChoice choice;
  const char* source;
};
const std::vector<LineSeed>& line_seeds();

struct RowSeed {
  RowChoice choice;
  const char* source;
};
const std::vector<RowSeed>& row_seeds();

}  // namespace hone::tuner
