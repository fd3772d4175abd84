// A tracker on its real store and sockets, with a store of records in the same database, that works until it is killed: it leases each device that comes, writes results
// under the lease, and gives it back. What its clients would be told goes to stdout, a line at once each:
//   listening PORT | granted DEVICE FENCE LEASE | acked SOURCE | released DEVICE FENCE | late SOURCE: a result under a lease that had ended was stored
// Sources are counted from FIRST on, so that each start has its own.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <CLI/CLI.hpp>

#include "base/cat.h"
#include "base/net/server.h"
#include "tests/faults/store_history.h"
#include "tracker/service.h"
#include "tracker/sql_store.h"

using namespace hone;
using namespace std::chrono_literals;

namespace {

constexpr int kResultsOfALease = 5, kJobs = 3;

// One write: whoever reads sees whole lines, whenever this process ends.
template <class... Words>
void tell(const Words&... words) {
  const std::string line = cat(words..., "\n");
  (void)!write(STDOUT_FILENO, line.data(), line.size());
}

class Jobs {
 public:
  Jobs(net::EventLoop& loop, tracker::Service& service, tuner::RecordStore& records, uint64_t first)
      : loop_(loop), service_(service), records_(records), next_(first) {
    if (!faults::StoreHistory::prepare(records_).ok()) std::abort();
    for (int i = 0; i < kJobs; ++i) acquire();
  }

 private:
  void acquire() {
    service_.acquire({.job = "doomed", .wait = 24h}, [this](Result<tracker::Lease> lease) { lease.ok() ? work(*lease) : acquire(); },
                     [](const Error&) {});
  }
  void work(const tracker::Lease& lease) {
    tell("granted ", lease.device.device_id, " ", lease.fence, " ", lease.lease_id);
    records_.hold_lease({lease.device.device_id, lease.lease_id, static_cast<int64_t>(lease.fence)});
    auto left = std::make_shared<int>(kResultsOfALease);
    for (int i = 0; i < kResultsOfALease; ++i) {
      const uint64_t source = next_++;
      records_.insert(record(source, lease), [this, source, lease, left](const Status& status) {
        if (status.ok()) tell("acked ", source);
        loop_.post([this, lease, left] { --*left == 0 ? give_back(lease) : void(); });
      });
    }
  }
  void give_back(const tracker::Lease& lease) {
    tell("released ", lease.device.device_id, " ", lease.fence);
    records_.end_lease(lease.lease_id);
    const uint64_t late = next_++;
    records_.insert(record(late, lease), [late](const Status& status) { status.ok() ? tell("late ", late) : void(); });
    service_.release(lease.lease_id);
    acquire();
  }
  static tuner::Record record(uint64_t source, const tracker::Lease& lease) {
    tuner::Record record = faults::StoreHistory::record(source, "agent");
    record.lease_id = lease.lease_id;
    record.fence = static_cast<int64_t>(lease.fence);
    record.fenced = true;
    record.device = lease.device.device_id;
    return record;
  }

  net::EventLoop& loop_;
  tracker::Service& service_;
  tuner::RecordStore& records_;
  uint64_t next_;
};

int serve(const std::string& db, int port, const std::string& token, uint64_t first) {
  net::EventLoop loop;
  SteadyClock steady;
  SystemClock wall;
  auto fleet = tracker::open_store(db);
  auto records = tuner::open_record_store({.where = db});
  if (!fleet.ok() || !records.ok()) return std::fprintf(stderr, "%s\n", (fleet.ok() ? records.error() : fleet.error()).message.c_str()), 1;
  auto service = tracker::Service::start(loop, std::move(*fleet), steady, wall, {.token = token});
  if (!service.ok()) return std::fprintf(stderr, "%s\n", service.error().message.c_str()), 1;
  net::ServerConfig config{.port = static_cast<uint16_t>(port)};
  config.endpoints = {{.path = "/ws/agent", .accept = [s = service->get()](auto channel) { return s->accept(channel); }}};
  auto server = net::Server::start(loop, std::move(config));
  if (!server.ok()) return std::fprintf(stderr, "%s\n", server.error().message.c_str()), 1;
  Jobs jobs(loop, **service, **records, first);
  tell("listening ", (*server)->port());
  loop.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string db, token;
  int port = 0;
  uint64_t first = 0;
  CLI::App app("a service that is killed");
  app.add_option("--db", db)->required();
  app.add_option("--token", token)->required();
  app.add_option("--port", port);
  app.add_option("--first", first);
  CLI11_PARSE(app, argc, argv);
  return serve(db, port, token, first);
}
