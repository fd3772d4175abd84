// What a record takes over from a measurement.
#pragma once
#include "tuner/measure/runner.h"
#include "tuner/records/store.h"

namespace hone::tuner {

// All but what the search knows of it: task, device key, source, trace, job, origin, fingerprint and versions, features.
void take_measurement(Record& record, const MeasureResult& result);
// Outcomes belong to a candidate and are recorded; any other code means that the device cannot be used further.
bool is_outcome(ErrorCode code);
// The number by which a device is asked for a candidate: 53 bits, exact in a JSON number.
uint64_t trial_id_of(const Hash& task, const Hash& source);

}  // namespace hone::tuner
