// The expressions of the interpreter that touch no memory, over all threads at once. Internal to ir.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/ir/interpreter_program.h"

namespace hone::ir {

// The cells of one launch: [slot][thread][lane].
struct Cells {
  std::vector<Cell> cells;
  int64_t threads = 1;
  Cell* at(Slot slot) { return cells.data() + static_cast<size_t>(slot.at) * static_cast<size_t>(threads); }
};

// Evaluates every kind but kLoad. False: an index left 32 bits in an active thread.
bool evaluate(const Instr& instr, Cells& cells, const std::vector<uint8_t>& active);

Cell combine_cells(ExprKind kind, DType dtype, Cell a, Cell b);  // Add … Shr, Min, Max, And, Or on one value, rounded or wrapped

}  // namespace hone::ir
