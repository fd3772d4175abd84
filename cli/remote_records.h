// RemoteRecords: a copy of a service's records, asked for page by page (fetch_records in schema/protocol.json).
//
// The service is not trusted: each line is checked as one of an import; each page must lie behind the one before and hold something, so that pages
// end; and there is a limit on their bytes.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/net/event_loop.h"
#include "cli/interrupt.h"
#include "cli/record_source.h"
#include "cli/service_client.h"
#include "cli/temp_folder.h"
#include "tuner/records/record_pages.h"

namespace hone::cli {

class RemoteRecords final : public RecordSource {
 public:
  static Result<std::unique_ptr<RemoteRecords>> open(const ServiceUrl& url);

  tuner::RecordStore& store() override { return *store_; }
  Status fetch(const tuner::RecordFilter& filter) override;
  tuner::Damage damage() const override;
  const std::string& name() const override { return name_; }

 private:
  struct Answer {
    protocol::Records frame;
    std::string lines;
  };
  RemoteRecords(const ServiceUrl& url, std::string name, TempFolder folder, std::unique_ptr<tuner::RecordStore> store);
  // Under an Interrupt. Fails: cancelled, timeout, what the service says.
  Status wait_until(const std::function<bool()>& done);
  Status copy(tuner::RecordPart part, protocol::FetchRecords ask);
  Result<Answer> page(protocol::FetchRecords& ask);
  Status check(const protocol::FetchRecords& ask, const Answer& answer);
  void receive(const protocol::ClientFromService& message, std::string_view payload);

  const std::string name_;
  const TempFolder folder_;
  const std::unique_ptr<tuner::RecordStore> store_;
  uint64_t bytes_ = 0;  // of all pages
  tuner::Damage damage_;
  bool ready_ = false, interrupted_ = false;
  std::optional<Error> failed_;
  uint64_t asked_ = 0;  // the number of the request under way
  std::optional<Answer> answer_;
  net::EventLoop loop_;
  ServiceClient client_;
};

}  // namespace hone::cli
