// RecordReader: answers fetch_records. A page is read on the workers, because the network thread never waits for SQLite, and handed over there.
#pragma once
#include <functional>
#include <string>

#include "schema/generated/protocol.h"
#include "server/agents/reactor.h"
#include "tuner/records/store.h"
#include "tuner/search/executor.h"

namespace hone::server {

class RecordReader {
 public:
  struct Page {
    protocol::Records frame;  // without reply_to
    std::string lines;
  };
  using OnPage = std::function<void(Result<Page>)>;  // once, on the network thread; never when the service ends before
  // All outlives the workers.
  RecordReader(tuner::RecordStore& store, tuner::Executor& workers, Reactor& reactor)
      : store_(store), workers_(workers), reactor_(reactor) {}

  void read(protocol::FetchRecords ask, OnPage on_page);

 private:
  Result<Page> page_of(const protocol::FetchRecords& ask) const;

  tuner::RecordStore& store_;
  tuner::Executor& workers_;
  Reactor& reactor_;
};

}  // namespace hone::server
