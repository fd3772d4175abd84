// What must hold of the leases in any database that a service leaves behind.
#pragma once
#include "tests/e2e/record_check.h"

namespace hone::e2e {

// No device had two leases at the same time.
inline void expect_one_lease_at_a_time(const std::string& db) {
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM fleet_leases a JOIN fleet_leases b ON a.device_id = b.device_id AND a.fence < b.fence AND "
                             "(a.ended_unix_ms = 0 OR a.ended_unix_ms > b.granted_unix_ms)"),
            0);
}

}  // namespace hone::e2e
