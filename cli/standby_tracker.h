// StandbyTracker: `hone tracker` while another tracker has the farm. It shows the agents' page, and tells whoever opens a socket or asks over HTTP where the farm is. On the event loop's thread.
#pragma once
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "base/net/static_files.h"
#include "base/result.h"
#include "cli/drainable.h"
#include "cli/listen_options.h"
#include "cli/web_front.h"
#include "tracker/leadership.h"

namespace hone::cli {

class StandbyTracker {
 public:
  struct Config {
    Listening listening;
    std::string agent_files;  // server::find_agent_files()
  };
  // The clocks outlive it. Fails: as WebFront::start.
  static Result<std::unique_ptr<StandbyTracker>> start(net::EventLoop& loop, const Clock& steady, const Clock& wall, Config config);

  void tell(tracker::FarmView view);
  const WebFront& front() const { return *front_; }

 private:
  class Refusal;
  explicit StandbyTracker(const std::string& agent_files) : page_(agent_files) {}
  Error why() const;

  net::StaticFiles page_;
  tracker::FarmView view_;
  std::unique_ptr<WebFront> front_;
};

}  // namespace hone::cli
