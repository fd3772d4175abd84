// A package in one piece, as it travels to a service (schema/manifest.json, package_archive).
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone::package {

using Files = std::map<std::string, std::string>;  // by name

std::string archive_of(const Files& files);
// Fails: parse_error for what is no archive, or one that is cut off or too long.
Result<Files> files_of(std::string_view archive);

}  // namespace hone::package
