// The files of schema/db/fleet in order, of SQLite and of PostgreSQL; the first of each makes version 1. Compiled in.
#pragma once
#include <string>
#include <vector>

namespace hone::tracker {

const std::vector<std::string>& fleet_migrations();
const std::vector<std::string>& fleet_postgres_migrations();

}  // namespace hone::tracker
