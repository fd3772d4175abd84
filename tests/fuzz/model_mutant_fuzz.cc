// Border: models that are well formed and mean nothing. Inputs are ONNX files, as in onnx_fuzz.cc; what the fuzzer changes in them is their
// structure: inputs dropped, renamed and rewired, attributes retyped (tests/mutants/mutate_model.h).
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/input.h"
#include "tests/fuzz/plan_of_model.h"
#include "tests/mutants/mutate_model.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t size_max, unsigned int seed) {
  const std::string mutant = hone::mutants::mutate_model(hone::fuzz::text_of(data, size), seed).bytes;
  if (mutant.size() > size_max) return size;
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::fuzz::plan_of_model(hone::fuzz::text_of(data, size));
  return 0;
}
