#include "cli/remote_records.h"

#include <tuple>

#include "base/cat.h"
#include "tuner/records/sql_store.h"

namespace hone::cli {

namespace {

constexpr std::chrono::milliseconds kPageWait{
    60'000};                                       // a service that measures on its own machine answers between samples
constexpr uint64_t kBytesMax = uint64_t{8} << 30;  // of a copy; a record takes 5 to 30 KiB
constexpr uint64_t kPageBytesMin = 4096;  // as much counts a page that is smaller, so that many of them end, too
constexpr size_t kTasksMax = 1024;        // ids in one request; where there are more, all records come

protocol::RecordPart part_of(tuner::RecordPart part) {
  switch (part) {
    case tuner::RecordPart::kTasks:
      return protocol::RecordPart::kTasks;
    case tuner::RecordPart::kDevices:
      return protocol::RecordPart::kDevices;
    case tuner::RecordPart::kJobs:
      return protocol::RecordPart::kJobs;
    case tuner::RecordPart::kAttempts:
      break;
  }
  return protocol::RecordPart::kAttempts;
}

protocol::FetchRecords request_of(const tuner::RecordFilter& filter) {
  protocol::FetchRecords ask;
  if (!filter.device_key.empty()) ask.device_key = filter.device_key;
  if (!filter.job_id.empty()) ask.job = filter.job_id;
  if (!filter.tasks || filter.tasks->size() > kTasksMax) return ask;
  ask.tasks.emplace();
  for (const Hash& task : *filter.tasks) ask.tasks->push_back(task.hex());
  return ask;
}

bool is_behind(const protocol::RecordPlace& place, const std::optional<protocol::RecordPlace>& before) {
  return !before || std::tie(place.row, place.attempt) > std::tie(before->row, before->attempt);
}

}  // namespace

RemoteRecords::RemoteRecords(const ServiceUrl& url, std::string name, TempFolder folder,
                             std::unique_ptr<tuner::RecordStore> store)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      store_(std::move(store)),
      client_(loop_, url,
              {.on_ready = [this] { ready_ = true; },
               .on_message = [this](const protocol::ClientFromService& message,
                                    std::string_view payload) { receive(message, payload); },
               .on_failed = [this](Error error) { failed_ = std::move(error); }}) {}

Result<std::unique_ptr<RemoteRecords>> RemoteRecords::open(const ServiceUrl& url) {
  HONE_ASSIGN(folder, TempFolder::make());
  HONE_ASSIGN(store, tuner::open_record_store({.where = folder.path() + "/records.db", .durable = false}));
  auto records = std::unique_ptr<RemoteRecords>(
      new RemoteRecords(url, cat("the service at ", url.host, ":", url.port), std::move(folder), std::move(store)));
  const Interrupt interrupt(records->loop_, [&] { records->interrupted_ = true; });
  HONE_TRY(records->wait_until([&] { return records->ready_; }));
  for (tuner::RecordPart part : {tuner::RecordPart::kTasks, tuner::RecordPart::kDevices, tuner::RecordPart::kJobs})
    HONE_TRY(records->copy(part, {}));
  return records;
}

Status RemoteRecords::fetch(const tuner::RecordFilter& filter) {
  const Interrupt interrupt(loop_, [this] { interrupted_ = true; });
  return copy(tuner::RecordPart::kAttempts, request_of(filter));
}

tuner::Damage RemoteRecords::damage() const {
  tuner::Damage all = damage_;
  all.rows += store_->damage().rows;
  return all;
}

Status RemoteRecords::copy(tuner::RecordPart part, protocol::FetchRecords ask) {
  const int left_out_before = damage_.rows;
  int bad_lines = 0;
  ask.part = part_of(part);
  do {
    HONE_ASSIGN(answer, page(ask));
    HONE_TRY(check(ask, answer));
    HONE_ASSIGN(report, tuner::copy_page(answer.lines, part, *store_));
    bad_lines += report.bad_lines;
    if (damage_.first.empty()) damage_.first = report.first_error;
    damage_.rows =
        std::max(left_out_before, static_cast<int>(std::min<uint64_t>(answer.frame.left_out, INT32_MAX / 2)));
    ask.after = answer.frame.next;
  } while (ask.after);
  damage_.rows += bad_lines;
  return ok_status();
}

Result<RemoteRecords::Answer> RemoteRecords::page(protocol::FetchRecords& ask) {
  ask.id = asked_ = client_.next_id();
  answer_.reset();
  client_.send(ask);
  HONE_TRY(wait_until([this] { return answer_.has_value(); }));
  return *std::exchange(answer_, std::nullopt);
}

Status RemoteRecords::check(const protocol::FetchRecords& ask, const Answer& answer) {
  const bool ends = !answer.frame.next || (is_behind(*answer.frame.next, ask.after) && !answer.lines.empty());
  if (!ends)
    return Error{ErrorCode::kProtocolError, cat(name_, " sends pages of records that do not end; is it hone up?")};
  bytes_ += std::max<uint64_t>(answer.lines.size(), kPageBytesMin);
  if (bytes_ <= kBytesMax) return ok_status();
  return Error{ErrorCode::kLimitExceeded,
               cat(name_, " sends more than ", kBytesMax >> 30,
                   " GiB of records; narrow down with --task and --device, or work with its database on its machine")};
}

void RemoteRecords::receive(const protocol::ClientFromService& message, std::string_view payload) {
  if (const auto* page = std::get_if<protocol::Records>(&message); page && page->reply_to == asked_)
    answer_ = Answer{*page, std::string(payload)};
  if (const auto* error = std::get_if<protocol::ErrorReply>(&message)) failed_ = Error{error->code, error->message};
}

Status RemoteRecords::wait_until(const std::function<bool()>& done) {
  if (!loop_.run_until([&] { return done() || failed_ || interrupted_; }, kPageWait))
    return Error{ErrorCode::kTimeout, cat(name_, " does not answer; is it hone up?")};
  if (interrupted_) return Error{ErrorCode::kCancelled, "interrupted"};
  return failed_ ? Status(*failed_) : ok_status();
}

}  // namespace hone::cli
