// TrackerProcess: all of `hone tracker`: the fleet, who is let in, and the agents' page, without a compile server in its process. Compile servers
// connect to it (hone server). On the event loop's thread.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/event_loop.h"
#include "base/result.h"
#include "cli/drainable.h"
#include "cli/listen_options.h"
#include "cli/web_front.h"
#include "tracker/limits.h"
#include "tracker/sql_store.h"

namespace hone::cli {

inline constexpr std::string_view kPagePrefix = "/agent/";

class TrackerProcess : public Drainable {
 public:
  struct Config {
    Listening listening;
    std::string db;           // of the fleet: a file, created when it is not there, or a PostgreSQL database
    std::string files;        // the beginning of the names of its other files: the token's
    std::optional<tracker::Turn> turn;  // with PostgreSQL: this one has the farm (tracker_farm.h)
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
  static std::string url_of(const Listening& listening, const WebFront& front, const std::string& token);
  // Origins of all trackers of the farm: agents and servers are told of them, and their pages may open sockets here.
  void know(std::vector<std::string> trackers);

  void drain() override;
  void stop() override;
  bool idle() const override;

 private:
  struct Impl;
  explicit TrackerProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::cli
