// TrackerFarm: `hone tracker` on a database that several trackers share: it stands by until the farm is its (tracker/leadership.h), is the tracker then, and stands by again when another
// one has it. It keeps its port. On the event loop's thread.
#pragma once
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/net/event_loop.h"
#include "base/result.h"
#include "cli/drainable.h"
#include "cli/standby_tracker.h"
#include "cli/tracker_process.h"
#include "tracker/leadership.h"

namespace hone::cli {

class TrackerFarm : public Drainable {
 public:
  // Fails: as TrackerProcess::start, and as claim_farm_token.
  static Result<std::unique_ptr<TrackerFarm>> start(net::EventLoop& loop, TrackerProcess::Config config);
  ~TrackerFarm() override;

  uint16_t port() const { return config_.listening.port; }
  std::string url() const { return url_; }

  void drain() override;
  void stop() override;
  bool idle() const override;

 private:
  TrackerFarm(net::EventLoop& loop, TrackerProcess::Config config) : loop_(loop), config_(std::move(config)), again_(loop) {}
  Status open();
  void take(const tracker::FarmView& view);
  void follow();  // the view
  Status lead();
  Status stand_by();

  net::EventLoop& loop_;
  TrackerProcess::Config config_;
  SteadyClock steady_;
  SystemClock wall_;
  std::string url_;
  tracker::FarmView view_;
  std::optional<uint64_t> leads_;  // in which epoch
  std::unique_ptr<StandbyTracker> standby_;
  std::unique_ptr<TrackerProcess> tracker_;  // one of both, or none while the port is not to be had
  net::Timer again_;
  bool stopping_ = false;
  std::unique_ptr<tracker::Leadership> leadership_;  // last: it calls back
};

}  // namespace hone::cli
