// A package on the disk: what was made of the model, and the runtime beside it.
#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace hone::cli {

// HONE_RUNTIME_DIR if set, else the first of <dir of the binary>/{runtime, ../share/hone/runtime, ../../browser-runtime/dist} that holds an
// index.js; "" if none does.
std::string find_runtime_files();
Result<std::string> runtime_folder();  // fails with not_found where there is none

enum class Runtime { kBeside, kInside };  // among the files: then nothing is put beside them

// Makes the folder with these files, by path, and with the runtime's where a manifest.json is among them, all or nothing: a neighbour is filled and then
// takes its name. Files of the first win.
// Returns the bytes in it. Fails: invalid_argument where the folder is there and not empty; io_error, disk_full; not_found without a runtime.
Result<uint64_t> write_package_folder(const std::string& folder, const std::map<std::string, std::string>& files,
                                      Runtime runtime);

// The files of a package that a service needs to run it, as an archive. Fails: io_error; bad_model for a folder that is no package.
Result<std::string> read_package_folder(const std::string& folder);

// Fails as write_package_folder would at once.
Status check_package_folder(const std::string& folder);

}  // namespace hone::cli
