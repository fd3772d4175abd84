// A model, or one operator, with its kernels as the files of a package (codegen/package/package_files.h). No device is needed.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/dims.h"
#include "cli/options.h"
#include "cli/package_plans.h"
#include "cli/record_source.h"
#include "codegen/package/package_files.h"

namespace hone::cli {

struct PackageSource {
  CommonOptions common;   // where records come from, and what the passes leave out; its dims do not count
  SourceOptions source;   // of an operator the weights are made up
  std::string name;       // the package's: letters, digits and -
  std::vector<std::string> targets, devices;  // kinds of kernels; beginnings of the ids of devices in the records, none: all
  std::string weights = "f32";  // or "f16"
  double tolerance = 0;         // 0: the tasks' own
};

// The records that it is made with, fetched. Null where there are none and nobody spoke of any: then all has its seeds. Fails: as RecordSource.
Result<std::unique_ptr<RecordSource>> package_records(const PackageSource& source);

struct MadePackage {
  PackagePlans plans;
  package::PackageFiles package;
};
// For sizes[part]: files of one part that lie in another, too, such as weights, have the same names and contents. records: may be null. Fails: as the importer, package_plans and
// package_files.
Result<MadePackage> make_package(const PackageSource& source, RecordSource* records, const std::vector<Dims>& sizes, size_t part);

}  // namespace hone::cli
