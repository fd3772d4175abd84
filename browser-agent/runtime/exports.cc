// The WASM boundary, numbers and pointers only. Its TypeScript side is src/device/tensor_runtime.ts.
#include "browser-agent/runtime/tensor_check.h"

using namespace hone::runtime;

extern "C" {

// 1 when the view is one that fill and compare accept.
int hone_view_valid(const int32_t* view) { return read_view(view).valid(); }

// Physical elements of the view; a double, so that sizes above 2^31 arrive whole.
double hone_view_elements(const int32_t* view) { return static_cast<double>(read_view(view).physical_elements()); }

// The seed in two halves: WASM's i64 is a BigInt in JavaScript, and these are hot enough to mind.
void hone_fill(const int32_t* view, int32_t element, double low, double high, double step, uint32_t seed_high,
               uint32_t seed_low, uint32_t pad_bits, uint32_t* out) {
  fill(read_view(view), Element{element}, {low, high, step}, (uint64_t{seed_high} << 32) | seed_low, pad_bits, out);
}

// out: max_error, unwritten, worst_index, nonzero_pads.
void hone_compare(const int32_t* view, int32_t element, const uint32_t* physical, const uint32_t* expected,
                  double largest, double median, int pads_are_zero, double* out) {
  const Comparison c =
      compare(read_view(view), Element{element}, physical, expected, {largest, median}, pads_are_zero != 0);
  out[0] = c.max_error;
  out[1] = static_cast<double>(c.unwritten);
  out[2] = static_cast<double>(c.worst_index);
  out[3] = static_cast<double>(c.nonzero_pads);
}

uint32_t hone_poison_bits() { return kPoisonBits; }
}
