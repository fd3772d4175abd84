#include "tuner/space/shared_copy.h"

#include <algorithm>
#include <vector>

#include "base/cat.h"
#include "codegen/lower/place_storage.h"

namespace hone::tuner {

namespace {

using schedule::Loop;

// All loops but the vector as one. No line where there is one piece.
struct Pieces {
  std::string line;
  int64_t total = 1;
};

Pieces fuse_pieces(TraceBuilder& t, const SharedCopy& copy) {
  const schedule::Stage* stage = t.stage(copy.stage);
  if (!stage) return {};
  std::vector<std::string> fused, inner, trivial;  // the last are in front, so that those to be fused are neighbours
  if (copy.last >= 0)
    for (const Loop& loop : t.loops_of_axis(copy.stage, static_cast<size_t>(copy.last)))
      if (loop.name != copy.vector && loop.extent > 1) inner.push_back(loop.name);
  Pieces pieces;
  for (const Loop& loop : stage->order) {
    if (loop.name == copy.vector) continue;
    pieces.total *= loop.extent;
    const bool later = std::find(inner.begin(), inner.end(), loop.name) != inner.end();
    if (!later) (loop.extent == 1 ? trivial : fused).push_back(loop.name);
  }
  fused.insert(fused.end(), inner.begin(), inner.end());
  if (fused.empty()) return pieces;
  std::vector<std::string> order = trivial;
  order.insert(order.end(), fused.begin(), fused.end());
  if (!copy.vector.empty()) order.push_back(copy.vector);
  t.add(schedule::reorder(copy.stage, order));
  pieces.line = fused.size() > 1 ? "t" : fused[0];
  if (fused.size() > 1) t.add(schedule::fuse(copy.stage, fused, pieces.line));
  return pieces;
}

// Threads that share `total` pieces evenly: the fused loop may not overshoot. Too few of them are no use.
int64_t threads_for(TraceBuilder& t, int64_t total, int64_t threads) {
  int64_t sharing = std::min(total, threads);
  while (total % sharing != 0) --sharing;
  const int64_t turns = total / sharing, turns_wanted = (total + threads - 1) / threads;
  if (turns > 4 * turns_wanted)
    t.refuse(ErrorCode::kLimitExceeded,
             cat("a tile of ", total, " pieces is not shared evenly by ", threads, " threads"));
  return sharing;
}

}  // namespace

void share_among_threads(TraceBuilder& t, const SharedCopy& copy, int64_t threads) {
  const Pieces pieces = fuse_pieces(t, copy);
  if (!pieces.line.empty()) {
    t.add(schedule::split(copy.stage, pieces.line, {threads_for(t, pieces.total, threads)}));
    t.add(schedule::bind(copy.stage, pieces.line + ".1", "thread"));
  }
  if (!copy.vector.empty()) t.add(schedule::vectorize(copy.stage, copy.vector));
}

void share_among_lanes(TraceBuilder& t, const SharedCopy& copy, int64_t lanes) {
  const Pieces pieces = fuse_pieces(t, copy);
  if (pieces.total % lanes != 0)
    return t.refuse(ErrorCode::kLimitExceeded,
                    cat("a tile of ", pieces.total, " pieces is not shared evenly by ", lanes, " lanes"));
  t.add(schedule::split(copy.stage, pieces.line, {lanes}));
  t.add(schedule::bind(copy.stage, pieces.line + ".1", "lane"));
  if (pieces.total > lanes) t.add(schedule::unroll(copy.stage, pieces.line + ".0"));
  if (!copy.vector.empty()) t.add(schedule::vectorize(copy.stage, copy.vector));
}

void spread_over_banks(TraceBuilder& t, const std::string& name, const BankUse& use) {
  constexpr int64_t kBankBytes = 4, kBanks = 32;
  const schedule::Stage* stage = t.stage(name);
  if (!stage) return;
  const lower::Storage storage = lower::storage_of(t.schedule(), *stage);
  if (storage.row < 0) return;
  const auto row = static_cast<size_t>(storage.row);
  const bool along_k = storage.dims[row].first == static_cast<size_t>(use.k);
  const int64_t bytes = ir::size_bytes(stage->stored_as.value_or(stage->compute.outputs[0]->dtype));
  const auto meet = [&](int64_t elements) {
    return (along_k ? use.rows : 1) * elements * bytes % (kBankBytes * kBanks) == 0;
  };
  const int64_t width = along_k ? use.width : 1;
  if (meet(storage.extents[row]) && !meet(storage.extents[row] + width)) t.add(schedule::pad(name, width));
}

}  // namespace hone::tuner
