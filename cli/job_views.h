// Jobs of a service, for people and as JSON (schema/cli/jobs.json).
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/generated/protocol.h"

namespace hone::cli {

std::string jobs_table(const std::vector<protocol::JobInfo>& jobs);
nlohmann::ordered_json jobs_json(const std::vector<protocol::JobInfo>& jobs);

}  // namespace hone::cli
