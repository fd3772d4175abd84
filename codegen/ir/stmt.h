// Statements: immutable trees owned by an Arena. A kernel is a list of launches over buffers.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/expr.h"

namespace hone::ir {

class Arena;

enum class StmtKind : uint8_t {
#define STMT(kind) k##kind,
#include "codegen/ir/nodes.def"
};

// How a loop runs. Parallel places (block, thread, lane, core, texel, target) have no order. kThread is the linear index in a workgroup.
enum class Place : uint8_t {
  kSerial,
  kUnroll,
  kVectorize,
  kBlockX,
  kBlockY,
  kBlockZ,
  kThreadX,
  kThreadY,
  kThreadZ,
  kThread,
  kLane,
  kCore,
  kTexelX,
  kTexelY,
  kTarget
};
std::string_view place_name(Place place);  // "serial", "block.x", "thread", …
bool parse_place(std::string_view name, Place* out);
bool is_block(Place place);   // block.x/y/z, core, texel.x/y: iterations that become the launch's grid, in no order
bool is_thread(Place place);  // thread.x/y/z and thread
int place_dimension(Place place);  // of a grid or workgroup place: 0 x, 1 y, 2 z; linear ones 0
bool is_straight(Place place);     // unroll, target: straight-line copies

struct StmtNode;
using Stmt = const StmtNode*;

struct StmtNode {
  StmtKind kind = StmtKind::kBlock;
  Place place = Place::kSerial;  // kFor
  std::vector<Stmt> body;        // kBlock: the statements; kFor: {body}; kIf: {then} or {then, else}
  Var var = nullptr;             // kFor, kLet
  int64_t extent = 0;            // kFor: iterations 0 … extent-1
  Expr value = nullptr;          // kLet, kStore: the value; kIf: the condition
  Expr mask = nullptr;           // kStore: null = always
  std::vector<Expr> indices;     // kStore
  Buffer buffer = nullptr;       // kAlloc, kStore
};

using Dims = std::array<int64_t, 3>;  // x, y, z

// One dispatch. Until split_launches the body contains the loops bound to blocks and threads, and grid and threads are their extents;
// afterwards block_vars and thread_vars (null where the extent is 1) and thread_linear stand for them.
struct Launch {
  Dims grid{1, 1, 1};
  Dims threads{1, 1, 1};
  std::array<Var, 3> block_vars{};
  std::array<Var, 3> thread_vars{};
  Var thread_linear = nullptr;
  int64_t subgroup_size = 0;  // threads of the subgroups that it asks its device for; 0: none in particular
  bool sampled = false;       // textures are read by their sampler, at a texel's middle; else by the texel's number
  Stmt body = nullptr;
};

// args: inputs then outputs, in the task's order. temps: global scratch buffers that the caller allocates.
// The launches run one after the other; each sees the writes of those before it.
struct Kernel {
  std::shared_ptr<Arena> arena;  // owns everything below
  std::vector<Buffer> args;
  std::vector<Layout> arg_layouts;  // how each lies in memory, also once it is flat; empty in a kernel read from text
  std::vector<Buffer> temps;
  std::vector<Launch> launches;
  int input_count = 0;  // args[0, input_count) are read only
};

}  // namespace hone::ir
