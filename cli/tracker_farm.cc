#include "cli/tracker_farm.h"

#include "base/cat.h"
#include "base/log.h"
#include "cli/kept_token.h"

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kAgain{1'000};  // after a change that failed: the port, or the database, may be had again
}  // namespace

Result<std::unique_ptr<TrackerFarm>> TrackerFarm::start(net::EventLoop& loop, TrackerProcess::Config config) {
  std::unique_ptr<TrackerFarm> farm(new TrackerFarm(loop, std::move(config)));
  HONE_TRY(farm->open());
  return farm;
}

Status TrackerFarm::open() {
  const std::string token_file = config_.files + ".token";
  HONE_ASSIGN(token, kept_token(token_file));
  HONE_TRY(tracker::claim_farm_token(config_.db, token, token_file));
  HONE_TRY(stand_by());
  config_.listening.port = standby_->front().port();
  url_ = TrackerProcess::url_of(config_.listening, standby_->front(), token);
  HONE_ASSIGN(leadership, tracker::Leadership::start(loop_, {.database = config_.db, .origin = standby_->front().agents_origin(), .on_view = [this](const auto& view) { take(view); }}));
  leadership_ = std::move(leadership);
  return ok_status();
}

TrackerFarm::~TrackerFarm() {
  tracker_.reset();  // what it has to write is written before the farm is given back
  leadership_.reset();
}

void TrackerFarm::take(const tracker::FarmView& view) {
  view_ = view;
  follow();
}

void TrackerFarm::follow() {
  if (stopping_) return;
  const std::optional<uint64_t> turn = view_.turn ? std::optional(view_.turn->epoch) : std::nullopt;
  Status done = ok_status();
  if (turn != leads_ || (!tracker_ && !standby_)) done = turn ? lead() : stand_by();
  if (!done.ok()) {
    log_warn(cat(done.error().message, "; it is tried again"));
    again_.start(kAgain, [this] { follow(); });
  }
  if (tracker_) tracker_->know(view_.trackers);
  if (standby_) standby_->tell(view_);
}

Status TrackerFarm::lead() {
  standby_.reset();
  tracker_.reset();
  leads_.reset();
  TrackerProcess::Config config = config_;
  config.turn = view_.turn;
  auto started = TrackerProcess::start(loop_, std::move(config));
  if (!started.ok()) {
    leadership_->pass();
    return started.error();
  }
  tracker_ = std::move(*started);
  leads_ = view_.turn->epoch;
  log_info("this tracker has the farm");
  return ok_status();
}

Status TrackerFarm::stand_by() {
  if (std::exchange(tracker_, nullptr)) log_warn("another tracker has the farm; this one stands by");
  leads_.reset();
  HONE_ASSIGN(started, StandbyTracker::start(loop_, steady_, wall_, {.listening = config_.listening, .agent_files = config_.agent_files}));
  standby_ = std::move(started);
  return ok_status();
}

void TrackerFarm::drain() {
  if (tracker_) tracker_->drain();
}

void TrackerFarm::stop() {
  stopping_ = true;
  again_.cancel();
  if (tracker_) tracker_->stop();
}

bool TrackerFarm::idle() const { return !tracker_ || tracker_->idle(); }

}  // namespace hone::cli
