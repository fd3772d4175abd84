// Suites of cases in YAML, as people write them:
//
//   name: kernels
//   defaults: {target: [webgpu, wasm], on: classes}    # of each case that does not say otherwise
//   cases:
//     - model: models/mnist.onnx                       # or op: matmul:512x512x512, or package: FOLDER, or kernel: FILE.wgsl
//       name: mnist                                    # else from the model, operator or package
//       dims: {batch: 1}
//       bindings: [x in f32 1024x1024, y out f32 1024]  # of a kernel (cli/own_kernel.h)
//       grid: 64x16
//       device: browser=chromium                       # a selector
//       on: each                                       # one (any device that fits), each, classes (one of each class)
//       pairs: 60                                      # after so many it is not known which build is faster
//       sample_ms: 20
//       weights: f16
//       tolerance: 1e-3
//       clock: kernels                                 # run (the default): with the inputs' and outputs' way to the device and back
//
// A case with several targets is one for each, with the target behind its name. Paths are relative to the file.
#pragma once
#include <string_view>

#include "cli/bench_case.h"

namespace hone::cli {

// Fails: io_error; invalid_argument, with the line and what was expected.
Result<BenchSuite> read_suite(const std::string& path);
// folder: of relative paths.
Result<BenchSuite> parse_suite(const std::string& text, const std::string& folder);

// Of its model, operator, package or kernel.
std::string own_name(const BenchCase& one);
// A name for files and reports: what else than letters, digits, '.', '_' and '-' is in it becomes '-'.
std::string case_name(const std::string& text);

}  // namespace hone::cli
