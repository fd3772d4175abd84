// A build: where the kernels of cases come from. The new one and the old one are held against each other.
#pragma once
#include <memory>
#include <string>

#include "cli/bench_case.h"
#include "schema/generated/bench_report.h"

namespace hone::cli {

class BenchBuild {
 public:
  virtual ~BenchBuild() = default;
  // The case as a package, in one piece (codegen/package/archive.h). Fails: as the importer and package_files; unsupported for a target whose kernels no package holds.
  virtual Result<std::string> archive_of(const BenchCase& one) = 0;
  const protocol::BenchBuild& about() const { return about_; }

 protected:
  explicit BenchBuild(protocol::BenchBuild about) : about_(std::move(about)) {}
  protocol::BenchBuild about_;
};

// This hone, with the records of `common`: a case is made as hone export makes it, and a package is what it is.
std::unique_ptr<BenchBuild> own_build(const CommonOptions& common);

// What --baseline names:
//   a folder with a manifest.json    that package
//   another folder                   the packages in it that have the cases' names, as --keep leaves them
//   a program                        another build of hone: it is run as `PROGRAM export`, with the same records
//   a file that ends in .onnx        that model, made by this hone
//   a file that ends in .wgsl        that kernel, with the case's bindings and grid
// Fails: not_found; invalid_argument for anything else.
Result<std::unique_ptr<BenchBuild>> named_build(const std::string& reference, const CommonOptions& common);

// A build that leaves each package that it makes in a folder as well: FOLDER/CASE.
std::unique_ptr<BenchBuild> keeping_build(std::unique_ptr<BenchBuild> build, std::string folder);

}  // namespace hone::cli
