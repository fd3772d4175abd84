// A launch resolved for the interpreter: variables, constants and intermediate results are slots, buffers are numbers. Internal to ir.
#pragma once
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "codegen/ir/numeric.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {

// A value of every thread: `lanes` cells per thread, from cell slot * threads on.
struct Slot {
  uint32_t at = 0;
  int lanes = 0;  // 0: none
};

struct AccessPlan {
  int buffer = -1;
  std::vector<Slot> indices;
  int index_lanes = 1;
  int lanes = 1;        // scalars moved: index_lanes * the buffer's lanes
  Slot mask, other;     // none: always; zero
  bool any_value = false;
};

struct Instr {
  ExprKind kind = ExprKind::kConst;
  Intrinsic intrinsic = Intrinsic::kNone;
  DType dtype = DType::kF32, from = DType::kF32;  // of the result and of the first operand
  Slot to;
  Slot args[3];
  int64_t lane = 0;                // kExtract; of kLaneXor the difference, of kLaneRead the subgroup's threads
  int access = -1;                 // kLoad: in Program::accesses
  std::vector<Slot> parts;         // kShuffle
  std::vector<int> lanes;
};

struct Op {
  StmtKind kind = StmtKind::kBlock;
  Place place = Place::kSerial;
  Stmt source = nullptr;
  std::vector<Instr> code;         // run first
  Slot var, value;
  int64_t extent = 0;
  int access = -1;                 // kStore
  int buffer = -1;                 // kAlloc
  std::vector<Op> body, otherwise;
};

struct Constant {
  Slot slot;
  Cell cell;
};

struct Program {
  std::vector<Op> body;
  std::vector<AccessPlan> accesses;
  std::vector<Constant> constants;
  std::vector<Buffer> buffers;     // by number
  uint32_t slots = 0;              // cells per thread
  Dims grid{1, 1, 1}, threads{1, 1, 1};
  std::array<Slot, 3> block_slots, thread_slots;
  Slot linear_slot;
};

// Fails: internal when a variable or buffer is used where it is not visible, or thread loops do not fit a workgroup.
Result<Program> make_program(const Kernel& kernel, const Launch& launch);

}  // namespace hone::ir
