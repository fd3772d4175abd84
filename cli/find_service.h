// Which service a verb works with.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/running_service.h"

namespace hone::cli {

// The one that --tracker names, else of those that this user runs here the one with the database, else, where --db was not given, the only
// one. Empty: none. Fails: invalid_argument when several would do, with their URLs.
Result<std::string> find_service(const CommonOptions& options, const std::vector<ServiceNote>& running);
Result<std::string> find_service(const CommonOptions& options);

}  // namespace hone::cli
