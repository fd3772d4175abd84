// Expert choices, as data with their sources. They speak of roles, so they serve every task whose group has those roles. Widths of vectors
// stand for 1 or for the widest that is legal.
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/target/target.h"
#include "tuner/space/choices.h"

namespace hone::tuner {

struct Seed {
  Choices choices;
  const char* source;
  bool inlines = false;  // producers, where the usual seed gives them launches of their own
};
const std::vector<Seed>& tile_seeds(const target::Target& target);
const std::vector<Seed>& line_seeds(target::Kind kind);
const std::vector<Seed>& row_seeds(target::Kind kind);

}  // namespace hone::tuner
