// A user's own WGSL kernel as a package of one launch, so that it is run and compared as what hone makes.
#pragma once
#include <string>
#include <vector>

#include "codegen/package/package_files.h"

namespace hone::cli {

struct OwnKernel {
  std::string file;                   // WGSL, whose entry point is `main`; empty: none
  std::vector<std::string> bindings;  // of group 0, in order: "NAME ACCESS TYPE SHAPE", such as "x in f32 1024x1024"; ACCESS is in, out or inout; TYPE f32, f16, i32 or u32, row-major
  std::string grid = "1";             // workgroups: "64", "64x16" or "64x16x1"
};

// The kernel as such a model: what is in is an input, what is out an output, inout both. Each binding is a whole buffer, rounded up to 16 bytes. Fails: as read_file; invalid_argument with what was expected.
Result<package::PackageFiles> own_kernel_package(const OwnKernel& kernel, const std::string& name);

}  // namespace hone::cli
