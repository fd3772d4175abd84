// The statements that bring a Write into the tables of schema/db/fleet.
#pragma once
#include <string>
#include <vector>

#include "base/sql/database.h"
#include "tracker/store.h"

namespace hone::tracker {

// In the order in which they are to be run. `database`: its name, for messages.
void add_statements(const Write& write, const std::string& database, std::vector<sql::Command>& commands);

std::string hold_name(Hold hold);
Hold hold_named(const std::string& name);  // of what is no name: kNone

}  // namespace hone::tracker
