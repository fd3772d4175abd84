// Border: records that somebody else exported, or a service's pages of them. Takes the input as such lines into a store, then reads back all that came
// of it as the program does: exported, as known trials, and as schedules. What was imported is forgotten afterwards.
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/schedule/trace.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/scratch_store.h"
#include "tuner/records/json_lines.h"
#include "tuner/records/record_pages.h"

namespace hone {
namespace {

using Pair = std::pair<Hash, std::string>;  // task, device key

void must(const Status& status) { CHECK(status.ok(), status.error().message); }

void run(std::string_view text) {
  tuner::RecordStore& store = fuzz::scratch_store();
  std::istringstream in{std::string(text)};
  if (!tuner::import_json_lines(in, "fuzz", store).ok()) return;
  for (const auto part :
       {tuner::RecordPart::kTasks, tuner::RecordPart::kDevices, tuner::RecordPart::kJobs, tuner::RecordPart::kAttempts})
    (void)tuner::copy_page(std::string(text), part, store);
  must(store.flush());
  std::ostringstream out;
  (void)tuner::export_json_lines(store, {}, out);

  std::map<Pair, std::vector<Hash>> known;
  must(store.list({}, [&](const tuner::Record& record) {
    known[{record.task_id, record.device_key}].push_back(record.source_hash);
    return ok_status();
  }));
  for (const auto& [pair, sources] : known) {
    (void)store.known_trials(pair.first, pair.second);
    (void)store.neighbours("webgpu", 1, pair.first, pair.second, tuner::kNeighboursMax);
    const auto best = store.best_for(pair.first, pair.second);
    if (best.ok() && *best) (void)schedule::trace_from_json((*best)->trace_json);
    must(store.forget(pair.first, pair.second, sources));
  }
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
