// What a record takes over from a measurement.
#pragma once
#include "tuner/measure/runner.h"
#include "tuner/records/store.h"

namespace hone::tuner {

// All but what the search knows of it: task, device key, source, trace, job, origin, fingerprint and versions, features.
void take_measurement(Record& record, const MeasureResult& result);

}  // namespace hone::tuner
