// ClientDesk: the people's side, /ws/client. Each socket says hello with a token, then asks for what the token's role may; its jobs
// end with it, but detached ones.
// Network thread only.
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/audit_log.h"
#include "base/net/channel.h"
#include "server/jobs/job_queue.h"
#include "server/record_reader.h"
#include "tracker/access.h"
#include "tracker/client.h"

namespace hone::server {

class ClientDesk {
 public:
  // Tells `on_state` the state of the agent that was started under launch_id, now and on each change, until the returned stop is called.
  using Watch = std::function<std::function<void()>(const std::string& launch_id,
                                                    std::function<void(protocol::AgentState)> on_state)>;
  // Tells what happens to devices from now on, until the returned stop is called.
  using WatchEvents = std::function<std::function<void()>(std::function<void(const protocol::DeviceEvent&)> on_event)>;
  struct Config {
    size_t job_bytes_max = 0;  // of one frame of a client that may submit jobs
    Watch watch;               // none: who watches an agent is sent to the tracker
    WatchEvents watch_events;  // none: nothing is told of devices
    AuditLog* audit = nullptr;  // hears of what people do with devices and tokens; outlives the desk
  };
  // A tracker that is a process of its own has no jobs and no records: null.
  ClientDesk(Config config, tracker::Client& tracker, tracker::Access& access, JobQueue* jobs, RecordReader* records,
             tuner::RecordStore* store)
      : config_(std::move(config)), tracker_(tracker), access_(access), jobs_(jobs), records_(records), store_(store) {}

  // For the endpoint /ws/client.
  std::unique_ptr<net::Handler> accept(std::shared_ptr<net::Channel> channel);
  // The service ends: each socket is closed once its jobs have ended and their results are sent.
  void close();
  bool closed() const { return closing_ && sessions_.empty(); }
  bool closing() const { return closing_; }

 private:
  class Session;
  void cancel_alone(const std::string& job, const JobQueue::Asker& asker);  // whose client went away
  const Config config_;
  tracker::Client& tracker_;
  tracker::Access& access_;
  JobQueue* const jobs_;
  RecordReader* const records_;
  tuner::RecordStore* const store_;
  std::set<Session*> sessions_;
  bool closing_ = false;
};

}  // namespace hone::server
