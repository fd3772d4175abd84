// Leadership: of several trackers on one PostgreSQL database one has the farm, with all its state in memory as if it were alone; the others stand by, and the first that finds
// its time over takes it.
//
// The database decides, by its clock: a row has who has the farm, until when, and an epoch that grows with each that takes it. Who has it says so once in kLeaderBeat. Each of its
// commits names the epoch (sql_store.h), so one that was paused, or cut off, writes nothing any more once another one has the farm, whatever it believes. Source of the fencing:
// Burrows, The Chubby lock service, OSDI 2006, section 2.4 (sequencers).
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/net/event_loop.h"
#include "base/sql/database.h"
#include "tracker/sql_store.h"

namespace hone::tracker {

// What the database said at the last beat.
struct FarmView {
  std::optional<Turn> turn;           // this tracker has the farm
  std::string leader;                 // the origin of who has it; "" = nobody, or it is not known
  std::vector<std::string> trackers;  // origins of all that were seen within kTrackerKept, in order
  bool operator==(const FarmView& other) const {
    return turn.has_value() == other.turn.has_value() && (!turn || turn->epoch == other.turn->epoch) && leader == other.leader && trackers == other.trackers;
  }
};

class Leadership {
 public:
  struct Config {
    std::string database;  // its URL
    std::string origin;    // where agents reach this tracker
    std::function<void(const FarmView&)> on_view;  // on the loop's thread, when what it says changed; not after the end
  };
  // The schema of the fleet is there by then. Fails: as opening the database.
  static Result<std::unique_ptr<Leadership>> start(net::EventLoop& loop, Config config);
  // This one cannot use its turn: it gives the farm back, and takes it again no sooner than after kLeaderLease, so that another one may. Any thread.
  void pass();
  ~Leadership();  // gives the farm back, for the next one to take at once

 private:
  Leadership(net::EventLoop& loop, Config config, std::unique_ptr<sql::Database> db);
  using Until = std::chrono::steady_clock::time_point;
  // On the thread.
  void run();
  void beat();
  Status claim();
  Result<FarmView> look();
  void give_back();
  void tell(FarmView view, Until until);
  void receive(FarmView view, Until until);

  net::EventLoop& loop_;
  const Config config_;
  const std::string tracker_id_;
  const std::unique_ptr<sql::Database> db_;
  std::string why_unknown_;  // the thread's; "" = it is known

  // On the loop's thread.
  FarmView view_;
  bool told_ = false;
  net::Timer lapse_;  // of this one's turn, unless a beat comes: the database may answer nothing for longer
  const std::shared_ptr<Leadership> self_{this, [](Leadership*) {}};  // lets what is posted see that it is gone
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;       // guarded by mutex_
  bool passes_ = false;         // likewise
  Until stands_back_until_{};   // the thread's
  std::thread thread_;     // last: it uses all of the above
};

// The token of a farm's URL is the same at each of its trackers: the first that starts gives it, and one that comes with another one is refused (kUnauthorized, with what to do; token_file
// for the message). Fails: as the database.
Status claim_farm_token(const std::string& database, const std::string& token, const std::string& token_file);

}  // namespace hone::tracker
