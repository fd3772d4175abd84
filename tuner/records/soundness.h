// Whether a record can be one: checked where it enters, from a file or from a database that others may have written to.
#pragma once
#include <string_view>

#include "tuner/records/store.h"

namespace hone::tuner {

// Ids, numbers and texts in their ranges, JSON where JSON must be. Fails: parse_error, with what was found.
Status check_record(const Record& record);
// The same where the fingerprint is known to be sound: many records have the same long one.
Status check_all_but_fingerprint(const Record& record);

// Whether anything can run a kernel of a task with so many flops in this time on this target. Fails: invalid_argument, with the limit.
Status check_possible(std::string_view target, double flops, double latency_us);

}  // namespace hone::tuner
