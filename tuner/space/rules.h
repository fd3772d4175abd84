// The rules that turn choices into steps. Each asks the schedule what a stage looks like and knows no operator.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/fragments.h"
#include "tuner/space/sketch.h"
#include "tuner/space/trace_builder.h"

namespace hone::tuner {

inline constexpr int kOperandsMax = 3;  // of a reduction that have a choice of their own
enum class Staging : int64_t { kDirect = 0, kRegister = 1, kWorkgroup = 2, kLane = 3 };

// A register tile: per thread `rows` rows × `vectors` vectors of `lanes` columns, the vectors a workgroup's width apart; the reduction
// takes `k_lanes` steps of its k axis at once. On cores there is one thread; the tiles are its iterations.
struct TileChoice {
  int64_t row_threads = 8, rows = 8;
  int64_t lane_threads = 8, vectors = 2, lanes = 4;
  int64_t k_lanes = 4;
  int64_t k_tile = 16;            // steps of k that a staged tile holds
  int64_t buffers = 1;            // copies of a tile in workgroup memory: of two one is loaded while the other is read
  std::vector<Staging> operands;  // in the order in which the reduction reads them; missing ones: kRegister
  int64_t k_unroll = 1;           // of these, the innermost loop's straight-line copies; each of k_lanes steps
  bool padded = false;            // staged rows are a vector longer where threads would meet the same bank
  bool inner_rows = false;        // rows of the innermost row axis only; the others are blocks
  bool k_first = false;           // the k axis outside of the window axes
  int64_t unrolled_windows = 0;   // window axes that are unrolled, the innermost first
  int64_t slices = 1;             // of k, each in workgroups of its own; a second launch joins them
  int64_t k_threads = 1;          // threads of one workgroup that share an output element's k
  bool subgroups = false;         // which join their parts as lanes of subgroups
  bool narrow = false;            // operands in workgroup memory and parts of slices are kept as f16
  int64_t half_steps =
      0;  // steps of k that a thread adds up in f16, one such sum after the other; 0: none, sums are of f32
  bool packed_products = false;  // four steps of k at once, as one product of packed 8-bit numbers
  // On cores:
  int64_t block_rows = 1, block_lanes = 1;  // tiles that one iteration computes
  int64_t k_block = 0;       // steps of k that all tiles of an iteration take before the next ones; 0: all of them
  bool lanes_outer = false;  // the tiles of a column one after the other, not those of a row
  bool packed = false;       // constants that run along the lanes lie in panels, one tile's columns wide
  bool copied = false;       // so do other operands, in a copy that a launch of its own makes
  // On textures a fragment has `rows` rows × `vectors` texels of 4 lanes.
  bool squares = false;  // of 2×2 elements, those of what it reads as well, where that is free: `rows` are pairs
};

// The tile rule: a reduction with reuse and its epilogue.
void apply_tile(TraceBuilder& t, const Group& group, const TileChoice& choice);

// One thread computes `items` vectors of `lanes` elements, a workgroup's width apart; threads run along the innermost axis first. On cores
// the `threads` are steps of one iteration.
struct LineChoice {
  int64_t threads = 64, items = 1, lanes = 4;
  int64_t unrolled_windows = 0;  // reduce axes that are unrolled, the innermost first
  int64_t k_threads = 1;         // threads of one workgroup that share an output's reduction
  bool subgroups = false;        // which join their parts as lanes of subgroups
  FragmentTile fragment;         // on textures, where nothing else counts but lanes (4) and windows
};

// The pointwise rule: Maps, and reductions without reuse with their epilogue.
void apply_line(TraceBuilder& t, const Group& group, const LineChoice& choice);
// The same for a producer that becomes a launch of its own.
void apply_line_map(TraceBuilder& t, int compute, const std::vector<int>& order, const LineChoice& choice);

// `threads` threads with vectors of `lanes` elements share a row, `rows` rows share a workgroup. Parts are joined in a tree, or (with one row
// a workgroup) each thread reads all of them. On cores a row has one thread, `rows` rows are
// one iteration.
struct RowChoice {
  int64_t threads = 16, rows = 1, lanes = 4;
  bool tree = true;
  bool subgroups = false;  // instead, lanes of subgroups exchange their parts
  int64_t items = 1;       // on cores: vectors of a row at once, and accumulators of each reduction
  bool keeps = false;      // on cores: what a Map between computes for a row is kept for all of its readers
  int64_t k_lanes = 1;     // on textures: elements of a row that are reduced at once. Each fragment, of several rows, reduces them anew
  FragmentTile fragment;
};

// The row rule: the reductions of a row and what reads them, in one launch.
void apply_row(TraceBuilder& t, const Group& group, const RowChoice& choice);

// A patch for each of `row_threads` × `lane_threads` threads, with vectors of `lanes` along the lanes. On cores there is one thread; the patches are its
// iterations.
struct PatchChoice {
  int64_t row_threads = 4, lane_threads = 16, lanes = 4;
};

// The patch rule: neighbours that share what was computed for them (patch.h). Temporaries lie in the group's order.
void apply_patch(TraceBuilder& t, const Group& group, const PatchChoice& choice);

// Refuses what the device's limits or the budgets of registers and code do not bear. After all rules.
void prune(TraceBuilder& t);

}  // namespace hone::tuner
