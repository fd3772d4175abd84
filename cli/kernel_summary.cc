#include "cli/kernel_summary.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/cat.h"
#include "base/number_text.h"
#include "codegen/ir/mutator.h"

namespace hone::cli {
namespace {

using Buffers = std::unordered_set<ir::Buffer>;

int64_t scalars(ir::Buffer buffer) { return ir::element_count(buffer->shape) * buffer->lanes; }
int64_t bytes(ir::Buffer buffer) { return scalars(buffer) * ir::size_bytes(buffer->dtype); }

int64_t total_bytes(const std::vector<ir::Buffer>& buffers) {
  int64_t sum = 0;
  for (ir::Buffer buffer : buffers) sum += bytes(buffer);
  return sum;
}

std::string by(const ir::Dims& dims) {
  if (dims[2] > 1) return cat(dims[0], "x", dims[1], "x", dims[2]);
  return dims[1] > 1 ? cat(dims[0], "x", dims[1]) : cat(dims[0]);
}

bool reads(ir::Expr value, ir::Buffer buffer) {
  bool found = false;
  ir::for_each_node(value,
                    [&](ir::Expr e) { found = found || (e->kind == ir::ExprKind::kLoad && e->buffer == buffer); });
  return found;
}

// What the statements of one launch declare and write.
struct Storage {
  Buffers declared;                 // registers, workgroup memory, scratch memory of a core
  Buffers accumulators;             // registers that are added to
  std::vector<ir::Buffer> written;  // in global memory, in order of appearance
};

Storage storage_of(const ir::Launch& launch) {
  Storage storage;
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    if (s->kind == ir::StmtKind::kAlloc) storage.declared.insert(s->buffer);
    if (s->kind != ir::StmtKind::kStore) return;
    const ir::Scope scope = s->buffer->scope;
    if (scope == ir::Scope::kRegister && reads(s->value, s->buffer)) storage.accumulators.insert(s->buffer);
    const bool global = scope == ir::Scope::kArg || scope == ir::Scope::kScratch;
    if (global && std::find(storage.written.begin(), storage.written.end(), s->buffer) == storage.written.end())
      storage.written.push_back(s->buffer);
  });
  return storage;
}

template <class Measure>
int64_t sum_of(const Buffers& buffers, ir::Scope scope, const Measure& measure) {
  int64_t sum = 0;
  for (ir::Buffer buffer : buffers)
    if (buffer->scope == scope) sum += measure(buffer);
  return sum;
}

// Elements of the output for each of `parts`; their mean where edges make some of them smaller.
std::string share_text(int64_t elements, int64_t parts) {
  return elements % parts == 0 ? cat(elements / parts) : cat("about ", (elements + parts - 1) / parts);
}

std::string tile_text(const Storage& storage, int64_t blocks, int64_t threads) {
  if (storage.written.empty()) return "";
  ir::Buffer out = storage.written.front();
  const std::string of_thread = share_text(scalars(out), blocks * threads);
  if (threads == 1) return cat("; tile: ", of_thread, " of ", out->name, " per thread");
  return cat("; tile: ", share_text(scalars(out), blocks), " of ", out->name, " per workgroup, ", of_thread,
             " per thread");
}

std::string registers_text(const Storage& storage) {
  const int64_t all = sum_of(storage.declared, ir::Scope::kRegister, scalars);
  const int64_t added = sum_of(storage.accumulators, ir::Scope::kRegister, scalars);
  return cat("registers: ", counted(all, "number"), " per thread, of which ", added,
             added == 1 ? " accumulates" : " accumulate");
}

std::string launch_text(const ir::Launch& launch) {
  const Storage storage = storage_of(launch);
  const int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
  const std::string product = launch.threads[0] == threads ? "" : cat(by(launch.threads), " = ");
  const int64_t shared = sum_of(storage.declared, ir::Scope::kWorkgroup, bytes);
  return cat("grid ", by(launch.grid), ", ", product, counted(threads, "thread"), " each",
             tile_text(storage, blocks, threads), "; workgroup memory: ", counted(shared, "byte"), "; ",
             registers_text(storage));
}

}  // namespace

std::string kernel_summary(const ir::Kernel& kernel, const schedule::Trace& trace, std::string_view comment) {
  const auto inputs_end = kernel.args.begin() + kernel.input_count;
  const int64_t temps = total_bytes(kernel.temps);
  std::string text = cat(comment, " ", counted(static_cast<int64_t>(kernel.launches.size()), "launch", "launches"),
                         "; inputs: ", counted(total_bytes({kernel.args.begin(), inputs_end}), "byte"),
                         "; outputs: ", counted(total_bytes({inputs_end, kernel.args.end()}), "byte"),
                         temps > 0 ? cat("; temporaries: ", counted(temps, "byte")) : "", "\n");
  if (!trace.sketch.empty()) text += cat(comment, " schedule: ", trace.sketch, "\n");
  for (size_t i = 0; i < kernel.launches.size(); ++i)
    text += cat(comment, " launch ", i, ": ", launch_text(kernel.launches[i]), "\n");
  return text;
}

}  // namespace hone::cli
