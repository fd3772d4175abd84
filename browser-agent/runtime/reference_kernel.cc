// What packages have of the runtime, too, beside the kernels' mathematics. Its TypeScript side is browser-runtime/src/device/runtime.ts.
#include <cstdint>

extern "C" {

// The agent's own small kernel, in the form of all kernels: iterations begin…end-1, always the same work each. A chain of multiply-adds
// in registers, so that its time follows the processor's clock and nothing else.
void hone_reference(int32_t, int32_t begin, int32_t end) {
  static volatile float sink;
  for (int32_t i = begin; i < end; i++) {
    float a = static_cast<float>(i) * 1e-6f, b = a + 0.25f;
    for (int round = 0; round < 512; round++) {
      a = a * 0.999f + b;
      b = b * 0.998f + 0.001f;
      a = a * 0.997f - b;
      b = b * 0.996f + 0.002f;
    }
    sink = a + b;
  }
}
}
