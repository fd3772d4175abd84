#include "server/record_reader.h"

#include "base/guarded.h"
#include "server/limits.h"
#include "tuner/measure/hash_text.h"
#include "tuner/records/record_pages.h"

namespace hone::server {

namespace {

tuner::RecordPart part_of(protocol::RecordPart part) {
  switch (part) {
    case protocol::RecordPart::kTasks:
      return tuner::RecordPart::kTasks;
    case protocol::RecordPart::kDevices:
      return tuner::RecordPart::kDevices;
    case protocol::RecordPart::kJobs:
      return tuner::RecordPart::kJobs;
    case protocol::RecordPart::kAttempts:
      break;
  }
  return tuner::RecordPart::kAttempts;
}

// A task's id that is none is that of no task.
tuner::RecordFilter filter_of(const protocol::FetchRecords& ask) {
  tuner::RecordFilter filter{
      .device_key = ask.device_key.value_or(""), .job_id = ask.job.value_or(""), .with_rivals = true};
  if (ask.tasks) {
    filter.tasks.emplace();
    for (const std::string& id : *ask.tasks) filter.tasks->insert(tuner::hash_from_hex(id));
  }
  if (ask.after)
    filter.after = {.row = static_cast<int64_t>(ask.after->row), .attempt = static_cast<int>(ask.after->attempt)};
  return filter;
}

}  // namespace

Result<RecordReader::Page> RecordReader::page_of(const protocol::FetchRecords& ask) const {
  HONE_ASSIGN(page, tuner::read_page(store_, part_of(ask.part), filter_of(ask), kRecordsPageBytes));
  Page out{.lines = std::move(page.lines)};
  if (page.next)
    out.frame.next = {.row = static_cast<uint64_t>(page.next->row),
                      .attempt = static_cast<uint32_t>(page.next->attempt)};
  out.frame.left_out = static_cast<uint64_t>(store_.damage().rows + page.too_long);
  return out;
}

void RecordReader::read(protocol::FetchRecords ask, OnPage on_page) {
  workers_.post([this, ask = std::move(ask), on_page = std::move(on_page)]() mutable {
    auto page = guarded([&] { return page_of(ask); });
    reactor_.post([page = std::move(page), on_page = std::move(on_page)]() mutable { on_page(std::move(page)); });
  });
}

}  // namespace hone::server
