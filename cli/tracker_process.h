// TrackerProcess: all of `hone tracker`: the fleet, who is let in, and the agents' page, without a compile server in its process. Compile servers
// connect to it (hone server). On the event loop's thread.
#pragma once
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "base/result.h"
#include "cli/drainable.h"
#include "cli/listen_options.h"
#include "tracker/limits.h"

namespace hone::cli {

class TrackerProcess : public Drainable {
 public:
  struct Config {
    Listening listening;
    std::string db;           // of the fleet; created when it is not there
    std::string agent_files;  // the agent page's folder: server::find_agent_files
    std::string audit_file;   // who did what (base/audit_log.h); "" = nowhere
    tracker::Limits limits;   // tests shorten them
  };
  // Fails: as Service::start.
  static Result<std::unique_ptr<TrackerProcess>> start(net::EventLoop& loop, Config config);
  ~TrackerProcess() override;

  uint16_t port() const;
  // With its token, of the role admin, which it has again at the next start.
  std::string url() const;

  void drain() override;
  void stop() override;
  bool idle() const override;

 private:
  struct Impl;
  explicit TrackerProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::cli
