#include "tuner/search/measured_record.h"

namespace hone::tuner {

bool is_outcome(ErrorCode code) { return static_cast<int>(code) <= static_cast<int>(ErrorCode::kUnstable); }

uint64_t trial_id_of(const Hash& task, const Hash& source) { return hash_mix(task.lo, source.lo) >> 11; }

void take_measurement(Record& r, const MeasureResult& result) {
  r.attempt = result.attempt;
  r.outcome = result.outcome;
  r.message = result.message;
  r.samples_us = result.samples_us;
  r.latency_us_median = result.latency_us_median;
  r.method = result.method;
  r.clock_resolution_ns = result.clock_resolution_ns;
  r.repeats = result.repeats;
  r.create_ms = result.create_ms;
  r.device_ms = result.device_ms;
  r.max_error = result.max_error;
  r.reference_us = result.reference_us;
  r.cache = result.cache;
  r.other_us = result.other_us;
  r.fence = result.fence;
  r.lease_id = result.lease_id;
  r.agent = result.agent;
  r.enrolment = result.enrolment;
  r.trusted = result.trusted;
  r.device = result.device;
  if (!result.fingerprint_json.empty()) r.fingerprint_json = result.fingerprint_json;
}

}  // namespace hone::tuner
