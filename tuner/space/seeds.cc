#include "tuner/space/seeds.h"

namespace hone::tuner {

namespace {
Seed tile(int64_t row_threads, int64_t lane_threads, int64_t rows, int64_t vectors, int64_t lanes, int64_t k_lanes,
              const char* source, const std::vector<Staging>& operands = {}, int64_t k_tile = 16) {
  Choices c;
  c.row_threads = row_threads;
  c.lane_threads = lane_threads;
  c.rows = rows;
  c.vectors = vectors;
  c.lanes = lanes;
  c.k_lanes = k_lanes;
  c.k_tile = k_tile;
  for (size_t i = 0; i < operands.size(); ++i) c.*kOperands[i] = static_cast<int64_t>(operands[i]);
  return {c, source};
}

Seed parts(Seed seed, int64_t slices, int64_t k_threads) {
  seed.choices.slices = slices;
  seed.choices.k_threads = k_threads;
  return seed;
}

Seed inlines(Seed seed) {
  seed.inlines = true;
  return seed;
}

Seed loads_ahead(Seed seed) {
  seed.choices.buffers = 2;
  return seed;
}

constexpr int64_t kManyVectors = 28;  // 32 registers, as in AVX-512 and NEON

std::vector<Seed> make_core_tile_seeds(bool many_registers) {
  constexpr Staging D = Staging::kDirect, R = Staging::kRegister;
  const auto core = [](int64_t rows, int64_t vectors, int64_t lanes, int64_t k_lanes, const char* source,
                       const std::vector<Staging>& operands) {
    Seed seed = tile(1, 1, rows, vectors, lanes, k_lanes, source, operands);
    seed.choices.lanes_outer = true;
    seed.choices.packed = seed.choices.copied = true;
    return seed;
  };
  Seed sliding =
      core(8, 1, 4, 1, "8x4 along the innermost rows, a window's row at once, its padding where it is read", {D, R});
  sliding.choices.inner_rows = true;
  sliding.choices.k_first = true;
  sliding.choices.unrolled_windows = 1;
  sliding.inlines = true;
  // Of 16 vector registers: the accumulators, one operand's vectors, and the other's element.
  std::vector<Seed> all;
  if (many_registers)
    all = {core(12, 2, 4, 1, "12 rows of 2 vectors: oneDNN's and BLIS's tiles for AVX-512 are near it", {D, R}),
           core(6, 4, 4, 1, "6 rows of 4 vectors", {D, R}), core(8, 3, 4, 1, "8 rows of 3 vectors", {D, R}),
           core(14, 1, 4, 1, "14 rows of one vector", {D, R})};
  const std::vector<Seed> usual{
      core(4, 2, 4, 1, "4x8: XNNPACK's and TVM's tile for 128-bit vectors", {D, R}),
      sliding,
      core(4, 2, 4, 4, "4x8, four steps of k at once", {R, R}),
      core(6, 2, 4, 1, "6x8", {D, R}),
      core(8, 1, 4, 1, "8x4", {D, R}),
      core(7, 1, 4, 1, "7x4, where rows come in sevens", {D, R}),
      core(3, 3, 4, 1, "3x12", {D, R}),
      core(2, 4, 4, 1, "2x16", {D, R}),
      core(1, 4, 4, 1, "1x16, few rows", {D, R}),
      core(4, 2, 1, 1, "4x2 without vectors", {D, R}),
  };
  all.insert(all.end(), usual.begin(), usual.end());
  return all;
}

const std::vector<Seed>& core_tile_seeds(bool many_registers) {
  static const std::vector<Seed> few = make_core_tile_seeds(false), many = make_core_tile_seeds(true);
  return many_registers ? many : few;
}

const std::vector<Seed>& gpu_tile_seeds() {
  constexpr Staging D = Staging::kDirect, R = Staging::kRegister, W = Staging::kWorkgroup, L = Staging::kLane;
  Seed sliding = tile(
      1, 8, 7, 2, 4, 1,
      "7 neighbours of a row, the window's rows unrolled, its padding where it is read: lavapipe, depthwise", {D, R});
  sliding.choices.inner_rows = true;
  sliding.choices.unrolled_windows = 1;
  sliding.inlines = true;
  static const std::vector<Seed> all{
      // What hone's own search found fastest on software WebGPU for matrix products and sliding windows alike: 32 accumulators in few
      // threads, one step of the reduction at a time; 1.5 to 2 times the speed of the next.
      tile(2, 4, 8, 4, 4, 1, "8 rows, 4 vectors, 2x4 threads", {D, R}),
      tile(2, 4, 7, 4, 4, 1, "7 rows, 4 vectors, 2x4 threads", {D, R}),
      inlines(tile(2, 4, 8, 4, 4, 1, "8 rows, 4 vectors, 2x4 threads, all in one launch", {D, R})),
      // Its fastest for the products inside transformed convolutions: a vector along k, kept in registers, serves four steps (1.13 times the speed of
      // one that is read anew for each of its sixteen uses, 1.18 of one step at a time).
      tile(2, 4, 8, 4, 4, 4, "8 rows, 4 vectors, 2x4 threads, four steps of k at once"),
      tile(2, 4, 7, 4, 4, 4, "7 rows, 4 vectors, 2x4 threads, four steps of k at once"),
      // Where twice as many rows would go past the last one.
      tile(1, 4, 8, 4, 4, 4, "8 rows, 4 vectors, 1x4 threads, four steps of k at once"),
      tile(1, 4, 7, 4, 4, 4, "7 rows, 4 vectors, 1x4 threads, four steps of k at once"),
      // The same for registers of 8 lanes, of which a device without subgroups tells nothing (Firefox on lavapipe): in one row of threads all read the
      // same of an operand.
      tile(1, 8, 8, 2, 4, 4, "8 rows, 2 vectors, 1x8 threads, four steps of k at once"),
      tile(1, 8, 7, 2, 4, 4, "7 rows, 2 vectors, 1x8 threads, four steps of k at once"),
      tile(8, 8, 8, 2, 4, 1, "8 rows, 2 vectors, 8x8 threads", {D, R}),
      // The fastest hand-written WGSL register tile on software WebGPU (bench/peers, 8x8 t8x2v4 k4): 7.3–7.8 GFLOP/s at 512³.
      tile(8, 8, 8, 2, 4, 4, "bench/peers 8x8 t8x2v4 k4"),
      // The fastest hand-written one on lavapipe (bench/peers, 8x8 t8x4v4 k4), which reads a row's vector for four steps of k.
      tile(8, 8, 8, 4, 4, 4, "bench/peers 8x8 t8x4v4 k4"),
      sliding,
      // The same where rows come in sevens (7, 14, 28, 56 pixels).
      tile(8, 8, 7, 2, 4, 4, "bench/peers, 7 rows"),
      tile(4, 8, 7, 2, 4, 4, "bench/peers, 7 rows, fewer threads"),
      // Less wide, for few columns.
      tile(8, 8, 8, 1, 4, 4, "bench/peers 8x8 t8x1v4 k4"),
      tile(8, 8, 4, 2, 4, 4, "bench/peers 8x8 t4x2v4 k4"),
      tile(4, 4, 8, 2, 4, 4, "bench/peers 4x4 t8x2v4 k4"),
      // ONNX Runtime Web and TensorFlow.js: 8×8 threads of 4×4 elements, vec4 where the channels allow.
      tile(8, 8, 4, 1, 4, 4, "ORT Web, TF.js: 8x8 threads, 4x4 elements"),
      // Their staged form: both operands through workgroup memory, 32 steps of the reduction per tile.
      tile(8, 8, 4, 1, 4, 1, "ORT Web, TF.js: 8x8 threads, 4x4 elements, staged", {W, W}, 32),
      // For devices whose threads run side by side: both operands staged, the next steps' tiles loaded while these are used, 16 KB in all.
      loads_ahead(tile(16, 16, 8, 2, 4, 1, "16x16 threads, 8x8 elements, loaded ahead: CUTLASS", {W, W}, 8)),
      // Rows of lanes that have one operand from each other: among the fastest of hone's own search on SwiftShader, whose subgroups have 4, and
      // for subgroups of 16 and more.
      tile(1, 4, 8, 1, 4, 4, "8 rows, 1 vector, 4 lanes have an operand from each other", {L, D}, 4),
      tile(4, 16, 8, 1, 4, 4, "8 rows, 1 vector, 16 lanes have an operand from each other", {L, R}, 16),
      // Wide rows for outputs of few rows.
      tile(1, 64, 1, 1, 4, 4, "one row"),
      tile(1, 32, 4, 1, 4, 4, "few rows"),
      // Without vectors, where rows of the output do not begin at multiples of 4.
      tile(8, 8, 4, 4, 1, 4, "bench/peers 8x8 t4x4 k4"),
      tile(8, 8, 4, 4, 1, 1, "bench/peers 8x8 t4x4"),
      // Few outputs: k in slices or over threads.
      parts(tile(2, 4, 8, 4, 4, 1, "8 rows, 4 vectors, 4 slices of k", {D, R}), 4, 1),
      parts(tile(1, 8, 1, 1, 4, 4, "one row, 8 threads along k"), 1, 8),
      parts(tile(1, 16, 1, 4, 4, 1, "one row, 4 slices of k", {D, R}), 4, 1),
  };
  return all;
}
}  // namespace

namespace {
const std::vector<Seed>& fragment_seeds() {
  static const std::vector<Seed> all{
      tile(1, 1, 4, 2, 4, 4, "4 rows, 2 texels: the fastest of eight targets in Chromium and Firefox"),
      tile(1, 1, 8, 1, 4, 4, "8 rows"),
      tile(1, 1, 4, 1, 4, 4, "bench/peers mrt4"),
      tile(1, 1, 2, 2, 4, 4, "2 rows, 2 texels"),
      tile(1, 1, 2, 1, 4, 4, "2 rows"),
      tile(1, 1, 1, 2, 4, 4, "2 texels"),
      tile(1, 1, 1, 1, 4, 4, "bench/peers row4"),
      inlines(tile(1, 1, 4, 2, 4, 4, "4 rows, 2 texels, all in one launch")),
      parts(tile(1, 1, 4, 2, 4, 4, "4 rows, 2 texels, 4 slices of k"), 4, 1),
      parts(tile(1, 1, 1, 1, 4, 4, "few outputs, 8 slices of k"), 8, 1),
  };
  return all;
}
}  // namespace

const std::vector<Seed>& tile_seeds(const target::Target& target) {
  if (target::on_textures(target.kind)) return fragment_seeds();
  if (!target::on_cores(target.kind)) return gpu_tile_seeds();
  return core_tile_seeds(target.limits.live_vectors_max >= kManyVectors);
}

const std::vector<Seed>& line_seeds(target::Kind kind) {
  static const std::vector<Seed> on_cores{
      {{.lane_blocks = 16, .vectors = 4, .lanes = 4}, "four vectors at once, 64 in an iteration"},
      {{.lane_blocks = 8, .vectors = 1, .lanes = 4}, "one vector at once, 8 in an iteration"},
      {{.lane_blocks = 8, .vectors = 4, .lanes = 1}, "without vectors"},
  };
  if (target::on_cores(kind)) return on_cores;
  static const std::vector<Seed> all{
      {{.lane_threads = 64, .vectors = 1, .lanes = 4}, "TF.js: 64 threads, vec4"},
      {{.lane_threads = 64, .vectors = 4, .lanes = 4}, "four vec4 a thread"},
      {{.lane_threads = 64, .vectors = 1, .lanes = 1}, "ORT Web: 64 threads, one element each"},
      {{.lane_threads = 16, .vectors = 1, .lanes = 4, .k_threads = 4}, "four threads along a long reduction"},
  };
  return all;
}

const std::vector<Seed>& row_seeds(target::Kind kind) {
  constexpr auto kFlat = static_cast<int64_t>(Join::kFlat), kSubgroup = static_cast<int64_t>(Join::kSubgroup);
  static const std::vector<Seed> on_cores{
      {{.vectors = 4, .lanes = 4, .keeps = 1}, "a row an iteration, four vectors at once"},
      {{.vectors = 2, .lanes = 4, .keeps = 1}, "a row an iteration, two vectors at once"},
      {{.lanes = 4}, "a row an iteration, vectors along it"},
      {{.row_blocks = 4, .lanes = 4}, "four rows an iteration, vectors along them"},
      {{.lanes = 1}, "without vectors"},
  };
  if (target::on_cores(kind)) return on_cores;
  static const std::vector<Seed> all{
      {{.row_threads = 16, .lanes = 4}, "a row a thread, vec4 along it"},
      {{.lane_threads = 4, .lanes = 4, .join = kFlat}, "four threads a row"},
      {{.row_threads = 4, .lane_threads = 4, .lanes = 4}, "four threads a row, four rows"},
      {{.lane_threads = 16, .lanes = 4, .join = kFlat}, "sixteen threads a row"},
      {{.row_threads = 16, .lane_threads = 4, .lanes = 4, .join = kSubgroup}, "four lanes a row, sixteen rows"},
      {{.row_threads = 4, .lane_threads = 32, .lanes = 4, .join = kSubgroup}, "a subgroup of 32 a row, four rows"},
      {{.lane_threads = 64, .lanes = 4}, "ORT Web: 64 threads a row, vec4, joined in workgroup memory"},
      {{.lane_threads = 256, .lanes = 4}, "256 threads a row"},
      {{.lane_threads = 64, .lanes = 1}, "64 threads a row, one element each"},
  };
  return all;
}

}  // namespace hone::tuner
