#include "tuner/records/soundness.h"

#include <cmath>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "tuner/records/limits.h"

namespace hone::tuner {

namespace {

Error unsound(std::string message) { return {ErrorCode::kParseError, std::move(message)}; }

Status check_names(const Record& r) {
  if (r.task_id.empty()) return unsound("its task is not an id of 32 hexadecimal digits");
  if (r.source_hash.empty()) return unsound("its source is not a hash of 32 hexadecimal digits");
  if (r.device_key.empty()) return unsound("it names no device");
  for (const std::string* name : {&r.device_key, &r.job_id, &r.agent, &r.device, &r.lease_id, &r.enrolment, &r.method, &r.compiler_version})
    if (name->size() > kNameBytesMax)
      return unsound(cat("a name of ", name->size(), " bytes is longer than ", kNameBytesMax));
  return ok_status();
}

Status check_counts(const Record& r) {
  struct Range {
    const char* name;
    int64_t value, max;
  };
  for (const Range& range : {Range{"attempt", r.attempt, kAttemptNumberMax},
                             {"repeats", r.repeats, kRepeatsMax},
                             {"feature_version", r.feature_version, INT32_MAX},
                             {"recorded_unix_ms", r.recorded_unix_ms, kUnixMsMax}})
    if (range.value < 0 || range.value > range.max)
      return unsound(cat("its ", range.name, " is ", range.value, ", not from 0 to ", range.max));
  return ok_status();
}

Status check_times(const Record& r) {
  if (r.samples_us.size() > kSamplesStoredMax)
    return unsound(cat("it has ", r.samples_us.size(), " samples, more than ", kSamplesStoredMax));
  for (double us : r.samples_us)
    if (!(us > 0 && us <= kTimeUsMax))
      return unsound(cat("a sample of ", number_text(us), " µs is not a possible time"));
  if (!(r.latency_us_median >= 0 && r.latency_us_median <= kTimeUsMax))
    return unsound(cat("a median of ", number_text(r.latency_us_median), " µs is not a possible time"));
  if (r.outcome == ErrorCode::kOk && r.latency_us_median == 0) return unsound("it is ok and has no time");
  for (double value :
       {r.clock_resolution_ns, r.create_ms, r.device_ms, r.max_error, r.reference_us, r.predicted_us, r.other_us})
    if (!(std::isfinite(value) && value >= 0)) return unsound("a time or an error in it is negative or not a number");
  return ok_status();
}

Status check_features(const Record& r) {
  if (r.features.size() > kFeaturesMax)
    return unsound(cat("it has ", r.features.size(), " features, more than ", kFeaturesMax));
  for (float feature : r.features)
    if (!std::isfinite(feature)) return unsound("a feature in it is not a number");
  return ok_status();
}

Status check_object(const char* name, const std::string& text) {
  const Status checked = check_json_object(text);
  return checked.ok() ? ok_status() : Status(unsound(cat("its ", name, ": ", checked.error().message)));
}

}  // namespace

Status check_all_but_fingerprint(const Record& record) {
  HONE_TRY(check_names(record));
  HONE_TRY(check_counts(record));
  HONE_TRY(check_times(record));
  HONE_TRY(check_features(record));
  return check_object("trace", record.trace_json);
}

Status check_record(const Record& record) {
  HONE_TRY(check_all_but_fingerprint(record));
  return check_object("fingerprint", record.fingerprint_json);
}

Status check_possible(std::string_view target, double flops, double latency_us) {
  const bool on_cpu = target == "native" || target == "wasm";
  const double us_min = on_cpu ? kCpuKernelUsMin : kGpuKernelUsMin;
  const double gflops_max = on_cpu ? kCpuGflopsMax : kGpuGflopsMax;
  if (latency_us < us_min)
    return Error{ErrorCode::kInvalidArgument, cat("a kernel in ", number_text(latency_us), " µs: no ", target,
                                                  " kernel takes less than ", number_text(us_min), " µs")};
  const double gflops = flops / latency_us / 1000;
  if (gflops > gflops_max)
    return Error{ErrorCode::kInvalidArgument, cat("a kernel with ", number_text(gflops), " GFLOP/s: no ", target,
                                                  " device does more than ", number_text(gflops_max))};
  return ok_status();
}

}  // namespace hone::tuner
