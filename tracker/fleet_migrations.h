// The files of schema/db/fleet in order; the first makes version 1. Compiled in.
#pragma once
#include <string>
#include <vector>

namespace hone::tracker {

const std::vector<std::string>& fleet_migrations();

}  // namespace hone::tracker
