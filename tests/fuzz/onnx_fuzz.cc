// Border: the bytes of an ONNX file.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/input.h"
#include "tests/fuzz/plan_of_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::fuzz::plan_of_model(hone::fuzz::text_of(data, size));
  return 0;
}
