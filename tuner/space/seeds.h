// Expert choices, as data with their sources. They speak of roles, so they serve every task whose group has those roles. Widths of vectors
// stand for 1 or for the widest that is legal.
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/target/target.h"
#include "tuner/space/rules.h"

namespace hone::tuner {

struct TileSeed {
  TileChoice choice;
  const char* source;
  bool inlines = false;  // producers, where the usual seed gives them launches of their own
};
const std::vector<TileSeed>& tile_seeds(const target::Target& target);

struct LineSeed {
  LineChoice choice;
  const char* source;
};
const std::vector<LineSeed>& line_seeds(target::Kind kind);

struct RowSeed {
  RowChoice choice;
  const char* source;
};
const std::vector<RowSeed>& row_seeds(target::Kind kind);

}  // namespace hone::tuner
