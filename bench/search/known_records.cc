#include "bench/search/known_records.h"

#include "codegen/te/task.h"
#include "tuner/records/sql_store.h"

namespace hone::bench {

namespace {

tuner::Record record_of(const RecordedTask& t, size_t row) {
  const tuner::RecordedKernel& kernel = *t.recording.find(t.traces[row].sketch);
  const tuner::Features& features = t.rows[row].features;
  tuner::Record record{.task_id = t.task->id,
                       .device_key = t.device,
                       .source_hash = kernel.source,
                       .trace_json = schedule::trace_to_json(t.traces[row]),
                       .job_id = t.name,
                       .outcome = kernel.outcome,
                       .latency_us_median = kernel.latency_us,
                       .features = {features.begin(), features.end()},
                       .feature_version = tuner::kFeatureVersion};
  if (kernel.latency_us > 0) record.samples_us = {kernel.latency_us};
  return record;
}

void write(const RecordedTask& t, tuner::RecordStore& store) {
  const std::string target = target::kind_name(t.recording.target);
  Status known = store.put_device({t.device, target, t.recording.device_json});
  if (known.ok()) known = store.put_task({t.task->id, t.task->name, te::canonical_text(*t.task), t.task->flops});
  if (known.ok()) known = store.put_job({.id = t.name, .kind = "tune", .state = "done", .device_key = t.device});
  CHECK(known.ok(), known.error().message);
  for (size_t row = 0; row < t.rows.size(); ++row) store.insert(record_of(t, row));
}

}  // namespace

void write_known_records(const std::vector<const RecordedTask*>& recordings, const std::string& path) {
  auto store = tuner::open_record_store({.where = path});
  CHECK(store.ok(), store.error().message);
  for (const RecordedTask* recording : recordings) write(*recording, **store);
  const Status written = (*store)->flush();
  CHECK(written.ok(), written.error().message);
}

}  // namespace hone::bench
