// A kernel that brings the elements of a tensor, words of four bytes, from one order into another, in the form of all kernels. It is a module of its own:
// kernels' memory is not the runtime's. Its TypeScript side is browser-runtime/src/plan/copy_rows.ts.
#include <stdint.h>

namespace {

// Four words, from any address of a word.
typedef uint32_t Words __attribute__((vector_size(16), aligned(4), may_alias));

// An element (row, i) goes from from[row * row_step + i * step] to to[row * row_places + i * place_step]; all but the addresses count words.
struct Rows {
  const uint32_t* from;
  uint32_t* to;
  int32_t rows, row_places, row_step;
  int32_t count, place_step, step;
};

// Rows of one iteration: as many as words lie on a cache line, so that lines along the rows are used whole.
constexpr int32_t kTile = 16;
constexpr int32_t kLanes = 4;

void copy_one(const Rows& all, int32_t row, int32_t begin) {
  const uint32_t* from = all.from + row * all.row_step + begin * all.step;
  uint32_t* to = all.to + row * all.row_places + begin * all.place_step;
  for (int32_t i = begin; i < all.count; i++, from += all.step, to += all.place_step) *to = *from;
}

// Four times four elements: vectors that lie `from_stride` apart, whose lanes go to vectors `to_stride` apart.
void transpose_four(const uint32_t* from, int32_t from_stride, uint32_t* to, int32_t to_stride) {
  const auto at = [](auto* words, int32_t stride, int32_t i) -> auto& { return *reinterpret_cast<Words*>(const_cast<uint32_t*>(words + i * stride)); };
  const Words a = at(from, from_stride, 0), b = at(from, from_stride, 1), c = at(from, from_stride, 2), d = at(from, from_stride, 3);
  const Words ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Words ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  at(to, to_stride, 0) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  at(to, to_stride, 1) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  at(to, to_stride, 2) = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  at(to, to_stride, 3) = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// `kTile` rows. One side is contiguous along the row, the other one across the rows.
void transpose_tile(const Rows& all, int32_t row) {
  const bool from_across = all.row_step == 1;
  const int32_t from_stride = from_across ? all.step : all.row_step, to_stride = from_across ? all.row_places : all.place_step;
  const int32_t whole = all.count / kLanes * kLanes;
  for (int32_t i = 0; i < whole; i += kLanes) {
    const uint32_t* from = all.from + row * all.row_step + i * all.step;
    uint32_t* to = all.to + row * all.row_places + i * all.place_step;
    for (int32_t r = 0; r < kTile; r += kLanes, from += kLanes * all.row_step, to += kLanes * all.row_places) transpose_four(from, from_stride, to, to_stride);
  }
  for (int32_t r = row; r < row + kTile; r++) copy_one(all, r, whole);
}

bool is_transposition(const Rows& all) {
  return (all.row_step == 1 && all.place_step == 1) || (all.step == 1 && all.row_places == 1);
}

}  // namespace

#ifdef __wasm__
#define HONE_KERNEL __attribute__((export_name("main")))
#else
#define HONE_KERNEL
#endif

extern "C" {

// Tiles begin…end-1.
HONE_KERNEL void hone_copy_rows(const Rows* all, int32_t begin, int32_t end) {
  for (int32_t tile = begin; tile < end; tile++) {
    const int32_t row = tile * kTile;
    if (is_transposition(*all) && row + kTile <= all->rows) {
      transpose_tile(*all, row);
      continue;
    }
    for (int32_t r = row; r < row + kTile && r < all->rows; r++) copy_one(*all, r, 0);
  }
}
}
