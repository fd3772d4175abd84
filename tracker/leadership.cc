#include "tracker/leadership.h"

#include "base/cat.h"
#include "base/log.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "tracker/limits.h"
#include "tracker/token_table.h"

namespace hone::tracker {

namespace {
using SteadyNow = std::chrono::steady_clock;

}  // namespace

Leadership::Leadership(net::EventLoop& loop, Config config, std::unique_ptr<sql::Database> db)
    : loop_(loop), config_(std::move(config)), tracker_id_(random_secret()), db_(std::move(db)), lapse_(loop), thread_([this] { run(); }) {}

Leadership::~Leadership() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Result<std::unique_ptr<Leadership>> Leadership::start(net::EventLoop& loop, Config config) {
  HONE_ASSIGN(db, sql::open_database(config.database));
  return std::unique_ptr<Leadership>(new Leadership(loop, std::move(config), std::move(db)));
}

void Leadership::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const bool passes = std::exchange(passes_, false);
    lock.unlock();
    if (passes) give_back(), stands_back_until_ = SteadyNow::now() + kLeaderLease;
    beat();
    lock.lock();
    wake_.wait_for(lock, kLeaderBeat, [this] { return stopping_ || passes_; });
  }
  lock.unlock();
  give_back();
}

void Leadership::pass() {
  {
    const std::lock_guard lock(mutex_);
    passes_ = true;
  }
  wake_.notify_one();
}

void Leadership::beat() {
  const Until until = SteadyNow::now() + kLeaderLease;  // from before it was asked for: the database's time ends later
  const Status claimed = claim();
  auto seen = claimed.ok() ? look() : Result<FarmView>(claimed.error());
  const std::string why = seen.ok() ? "" : seen.error().message;
  if (std::exchange(why_unknown_, why) != why && !why.empty()) log_warn(cat("who has the farm is not known: ", why));
  if (seen.ok()) tell(std::move(*seen), until);
}

Status Leadership::claim() {
  std::vector<sql::Command> commands{
      {"INSERT INTO fleet_trackers (tracker_id, origin, seen) VALUES ($1, $2, clock_timestamp()) ON CONFLICT (tracker_id) DO UPDATE SET seen = excluded.seen", {tracker_id_, config_.origin}},
      {"DELETE FROM fleet_trackers WHERE seen < clock_timestamp() - make_interval(secs => $1)", {std::chrono::duration<double>(kTrackerKept).count()}}};
  if (SteadyNow::now() >= stands_back_until_)
    commands.push_back({"UPDATE fleet_leader SET epoch = CASE WHEN tracker_id = $1 THEN epoch ELSE epoch + 1 END, tracker_id = $1, "
                        "until = clock_timestamp() + make_interval(secs => $2) WHERE tracker_id = $1 OR until < clock_timestamp()",
                        {tracker_id_, std::chrono::duration<double>(kLeaderLease).count()}});
  return db_->commit(commands);
}

Result<FarmView> Leadership::look() {
  FarmView view;
  std::string leader_id;  // "" = nobody has it
  HONE_TRY(db_->query("SELECT tracker_id, epoch FROM fleet_leader", {}, [&](const sql::Row& row) {
    leader_id = row.text(0);
    if (leader_id == tracker_id_) view.turn = Turn{tracker_id_, static_cast<uint64_t>(row.integer(1))};
    return ok_status();
  }));
  HONE_TRY(db_->query("SELECT DISTINCT origin FROM fleet_trackers ORDER BY origin", {}, [&](const sql::Row& row) {
    if (view.trackers.size() < kTrackersMax) view.trackers.push_back(row.text(0));
    return ok_status();
  }));
  HONE_TRY(db_->query("SELECT origin FROM fleet_trackers WHERE tracker_id = $1", {leader_id}, [&](const sql::Row& row) {
    view.leader = row.text(0);
    return ok_status();
  }));
  return view;
}

void Leadership::give_back() {
  const Status given = db_->commit({{"UPDATE fleet_leader SET until = '-infinity', tracker_id = '' WHERE tracker_id = $1", {tracker_id_}}, {"DELETE FROM fleet_trackers WHERE tracker_id = $1", {tracker_id_}}});
  if (!given.ok()) log_warn(cat("the farm could not be given back, so the next tracker takes it some seconds later: ", given.error().message));
}

void Leadership::tell(FarmView view, Until until) {
  loop_.post([weak = std::weak_ptr(self_), view = std::move(view), until] {
    if (const auto self = weak.lock()) self->receive(view, until);
  });
}

void Leadership::receive(FarmView view, Until until) {
  const auto left = std::chrono::floor<std::chrono::milliseconds>(until - SteadyNow::now());
  if (left.count() <= 0) view.turn.reset();  // this process did not run meanwhile
  if (view.turn) lapse_.start(left, [this] { receive({.trackers = view_.trackers}, Until::max()); });
  else lapse_.cancel();
  if (std::exchange(told_, true) && view == view_) return;
  view_ = std::move(view);
  config_.on_view(view_);
}

Status claim_farm_token(const std::string& database, const std::string& token, const std::string& token_file) {
  HONE_ASSIGN(store, open_store(database));  // brings the schema up to date
  store.reset();
  HONE_ASSIGN(db, sql::open_database(database));
  const StoredToken own{.token_id = kServiceToken, .token_hash = sha256_hex(token), .role = protocol::Role::kAdmin};
  HONE_TRY(db->commit({{"INSERT INTO fleet_tokens (token_id, token_hash, role, name, created_unix_ms, expires_unix_ms, revoked_unix_ms, used_unix_ms, idle_ms_max, devices_max, jobs_max, bytes_max) "
                        "VALUES ($1, $2, 'admin', '', CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT), 0, 0, 0, 0, 0, 0, 0) ON CONFLICT (token_id) DO NOTHING",
                        {own.token_id, own.token_hash}}}));
  std::string kept;
  HONE_TRY(db->query("SELECT token_hash FROM fleet_tokens WHERE token_id = $1", {own.token_id}, [&](const sql::Row& row) { return kept = row.text(0), ok_status(); }));
  if (kept == own.token_hash) return ok_status();
  return Error{ErrorCode::kUnauthorized,
               cat("the farm in ", db->name(), " has another token than ", token_file, "; copy that file from the machine of another tracker of the farm, or remove the row 'service' of the table "
                   "fleet_tokens where the farm is to have this one")};
}

}  // namespace hone::tracker
