// What a benchmark measures: a model, an operator, a package or a kernel, on one kind of kernels, on some devices.
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/own_kernel.h"

namespace hone::cli {

// Which of the devices that fit.
enum class Spread : uint8_t {
  kOne,      // any of them
  kEach,     // each, as they are there when the case begins
  kClasses,  // one of each class of equal ones
};

struct BenchCase {
  std::string name;          // unique in a suite; begins with a letter or digit
  SourceOptions source;      // a model's file or an operator's SPEC; neither: a package or a kernel
  std::string package;       // a folder
  OwnKernel kernel;
  std::string target = "webgpu";
  std::vector<std::string> dims;  // "NAME=N"
  std::string weights = "f32";    // or "f16"
  double tolerance = 0;           // 0: the tasks' own
  std::string device;             // a selector; empty: any of the target
  Spread spread = Spread::kOne;
  int pairs_max = 120;
  double sample_ms = 20;
  bool kernels_alone = false;  // by the device's clock, without the transfers of inputs and outputs

  std::string source_text() const {
    if (!package.empty() || !kernel.file.empty()) return package.empty() ? kernel.file : package;
    return source.model.empty() ? source.op : source.model;
  }
};

struct BenchSuite {
  std::string name;
  std::vector<BenchCase> cases;
};

}  // namespace hone::cli
