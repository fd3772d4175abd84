// The fleet beside a model of it: plain maps, changed by the same random operations and by what the fleet says that it did, each of which must be
// what the model permits. After each operation both must agree, and nothing that had to happen may be missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/rng.h"
#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

using State = protocol::DeviceStateKind;
constexpr Limits kShort{.progress_deadline = 40s, .term_max = 60s, .priority_age = 15s};

struct ModelAgent {
  Link link = 0;
  std::chrono::milliseconds last_beat{0};
  bool stuck = false, silent = false, other_kind = false;
  std::string id;
};
struct ModelDevice {
  ModelAgent* agent = nullptr;
  std::string target, key, lease_id;
  State state = State::kGone;
  uint64_t fence = 0;
  Hold hold = Hold::kNone;
};
struct ModelLease {
  std::string device_id, job, key;
  uint64_t fence = 0;
  Client::RequestId request = 0;
  int64_t priority = 0;
  std::chrono::milliseconds expires{0}, progress_due{0}, term_ends{0};
  std::deque<std::string> tokens;  // "" = one that nobody was told
};
struct ModelRequest {
  LeaseRequest request;
  std::chrono::milliseconds since{0};
  std::vector<std::string> granted;  // keys of the devices
};

class FleetModel : public FleetWorld, public testing::TestWithParam<uint64_t> {
 protected:
  FleetModel() : FleetWorld(kShort), rng_(GetParam()), agents_(6) {}

  std::chrono::milliseconds now() const { return steady_.now(); }
  static bool available(const ModelDevice& device) {
    return device.agent->link != 0 && !device.agent->stuck && device.state == State::kReady && device.hold == Hold::kNone;
  }
  static bool here(const ModelDevice& device) { return device.agent->link != 0 && device.state != State::kGone; }
  static protocol::ServiceState service_state(const ModelDevice& device) {
    using protocol::ServiceState;
    if (device.hold == Hold::kQuarantined) return ServiceState::kQuarantined;
    if (device.hold == Hold::kMaintenance) return device.lease_id.empty() ? ServiceState::kMaintenance : ServiceState::kDraining;
    return device.lease_id.empty() ? ServiceState::kIdle : ServiceState::kLeased;
  }
  static bool idle(const ModelDevice& device) { return device.lease_id.empty() && available(device); }
  static bool fits(const LeaseRequest& request, const ModelDevice& device) {
    return (request.target.empty() || request.target == device.target) &&
           (request.device_key.empty() || request.device_key == device.key);
  }
  int64_t priority_of(const ModelRequest& one) const { return one.request.priority + (now() - one.since) / kShort.priority_age; }
  bool term_is_over(const ModelLease& lease) const {
    const ModelDevice& device = devices_.at(lease.device_id);
    return lease.term_ends <= now() && available(device) &&
           std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& entry) {
             const ModelRequest& one = entry.second;
             return one.request.job != lease.job && priority_of(one) >= lease.priority && fits(one.request, device);
           });
  }
  template <class Map>
  auto any_of(Map& map) {
    return std::next(map.begin(), static_cast<long>(rng_.below(map.size())));
  }

  // Operations.
  void connect(ModelAgent& agent) {
    if (rng_.below(12) == 0) agent.other_kind = !agent.other_kind;
    std::vector<protocol::DeviceOffer> offers{offer("gpu"), offer("cpu", "wasm")};
    if (agent.other_kind) offers[0].fingerprint.vendor = "other";
    for (auto& one : offers) one.physical_id = std::string(32, static_cast<char>('a' + (&agent - agents_.data())));
    if (rng_.below(8) == 0) offers.pop_back();
    for (auto& [id, device] : devices_)
      if (device.agent == &agent) device.state = State::kGone;
    agent = {.link = ++last_link_, .last_beat = now(), .other_kind = agent.other_kind, .id = agent.id};
    const protocol::Welcome welcome = join(agent.link, offers, agent.id.empty() ? std::nullopt : std::optional(agent.id));
    agent.id = welcome.agent_id;
    for (size_t i = 0; i < offers.size(); ++i) {
      const auto [at, is_new] = devices_.try_emplace(welcome.devices[i].device_id);
      const ModelDevice before = at->second;
      at->second = {&agent, offers[i].target, welcome.devices[i].device_key, before.lease_id, State::kReady, before.fence,
                    is_new ? hold_of(agent) : before.hold};
    }
  }
  void beat_of(ModelAgent& agent, bool worker_alive) {
    agent.last_beat = now();
    agent.stuck = !worker_alive;
    for (auto& [id, lease] : leases_) {
      const ModelDevice& device = devices_.at(lease.device_id);
      if (worker_alive && device.agent == &agent && device.state != State::kGone) lease.expires = now() + kShort.lease_ttl;
    }
    run(fleet_->heartbeat(agent.link, {.visible = rng_.below(4) > 0, .worker_alive = worker_alive}));
  }
  void leave(ModelAgent& agent, bool evicted) {
    evicted_ = evicted ? &agent : nullptr;
    for (auto& [id, device] : devices_)
      if (device.agent == &agent) device.state = State::kGone;
    agent.stuck = false;
    const Link link = std::exchange(agent.link, 0);
    run(evicted ? fleet_->evict(link, "its token was taken back") : fleet_->unlinked(link));
  }
  void change_state(const std::string& device_id) {
    ModelDevice& device = devices_.at(device_id);
    if (device.agent->link == 0 || device.state == State::kGone) return;
    device.state = rng_.below(2) ? State::kReady : State::kLost;
    run(fleet_->device_state(device.agent->link, {device_id, device.state, ""}).value());
  }
  // All devices of an agent are the same one, and held together.
  Hold hold_of(const ModelAgent& agent) const {
    const auto held = std::find_if(devices_.begin(), devices_.end(),
                                   [&](const auto& entry) { return entry.second.agent == &agent && entry.second.hold != Hold::kNone; });
    return held == devices_.end() ? Hold::kNone : held->second.hold;
  }
  void manage(const std::string& device_id) {
    using protocol::DeviceAction;
    const uint64_t which = rng_.below(devices_.at(device_id).hold == Hold::kNone ? 8 : 16);  // most work, most of the time
    const Hold hold = which == 0 ? Hold::kMaintenance : which == 1 ? Hold::kQuarantined : Hold::kNone;
    const DeviceAction action = which == 0 ? DeviceAction::kDrain : which == 1 ? DeviceAction::kQuarantine : DeviceAction::kResume;
    const ModelAgent* const agent = devices_.at(device_id).agent;
    for (auto& [id, device] : devices_)
      if (device.agent == agent) device.hold = hold;
    run(fleet_->manage({.device_id = device_id, .action = action}, "anna").value());
    ++managed_[action];
  }
  void forget(const std::string& device_id) {
    const protocol::ManageDevice ask{.device_id = device_id, .action = protocol::DeviceAction::kForget};
    const ModelDevice& device = devices_.at(device_id);
    auto outcome = fleet_->manage(ask, "anna");
    ASSERT_EQ(outcome.ok(), !here(device) && device.lease_id.empty());
    if (!outcome.ok()) return;
    devices_.erase(device_id);
    run(std::move(*outcome));
    ++managed_[ask.action];
  }
  void ask() {
    LeaseRequest request{.target = rng_.below(3) ? "" : "wasm",
                         .job = cat("j", rng_.below(8)),
                         .user = cat("u", rng_.below(3)),
                         .priority = static_cast<int64_t>(rng_.below(3)),
                         .count = rng_.below(4) ? 1 : 2 + rng_.below(3),
                         .wait = std::chrono::seconds(1 + rng_.below(200))};
    if (!devices_.empty() && rng_.below(4) == 0) request.device_key = any_of(devices_)->second.key;
    waiting_[requests_ + 1] = {request, now(), {}};
    acquire(request);
  }
  void forget_lease(const std::string& lease_id) {
    devices_.at(leases_.at(lease_id).device_id).lease_id.clear();
    ended_.emplace_back(lease_id, leases_.at(lease_id).fence);
    leases_.erase(lease_id);
  }
  void give_back(const std::string& lease_id) {
    forget_lease(lease_id);
    run(fleet_->release(lease_id, "done"));
  }
  void reopen(const std::string& lease_id) {
    ModelLease& lease = leases_.at(lease_id);
    if (devices_.at(lease.device_id).agent->link == 0) add_token(lease, "");
    run(fleet_->reopen(lease_id).value());
  }
  static void add_token(ModelLease& lease, const std::string& token) {
    if (lease.tokens.size() == kSessionTokensMax) lease.tokens.pop_front();
    lease.tokens.push_back(token);
  }
  void redeem(const std::string& lease_id) {
    ModelLease& lease = leases_.at(lease_id);
    const bool is_right = rng_.below(3) > 0 && !lease.tokens.empty() && !lease.tokens.back().empty();
    const std::string token = is_right ? lease.tokens.back() : "guessed";
    EXPECT_EQ(fleet_->redeem(token, lease_id, lease.device_id).ok(), is_right);
    if (is_right) lease.tokens.pop_back();
    EXPECT_EQ(fleet_->redeem(token, lease_id, lease.device_id).error().code, ErrorCode::kUnauthorized);
  }
  void crash() {
    for (const auto& [id, lease] : std::map(leases_)) forget_lease(id);
    waiting_.clear();
    for (auto& [id, device] : devices_) device.state = State::kGone;
    for (ModelAgent& agent : agents_) agent.link = 0, agent.stuck = false;
    start();
  }
  void excuse(std::chrono::milliseconds pause) {
    for (ModelAgent& agent : agents_) agent.last_beat += pause;
    for (auto& [id, lease] : leases_) lease.expires += pause, lease.progress_due += pause, lease.term_ends += pause;
    fleet_->excuse(pause);
  }
  void pass(std::chrono::milliseconds time) {
    for (ModelAgent& agent : agents_)
      if (agent.link && now() + time - agent.last_beat > kShort.heartbeat_timeout) agent.stuck = true;
    advance(time);
    ticked_ = true;
  }
  void do_any() {
    ModelAgent& agent = agents_[rng_.below(agents_.size())];
    const uint64_t what = rng_.below(100);
    if (what < 5) connect(agent);
    else if (what < 6) agent.silent = !agent.silent;
    else if (what < 8 && agent.link) leave(agent, rng_.below(3) == 0);
    else if (what < 12 && !devices_.empty()) change_state(any_of(devices_)->first);
    else if (what < 28 && waiting_.size() < 12) ask();
    else if (what < 30 && !waiting_.empty()) {
      const auto id = any_of(waiting_)->first;
      waiting_.erase(id);
      run(fleet_->cancel(id));
    } else if (what < 39 && !leases_.empty()) give_back(std::string(any_of(leases_)->first));
    else if (what < 50 && !leases_.empty()) {
      const auto at = any_of(leases_);
      const std::chrono::seconds work(rng_.below(2) ? 0 : rng_.below(60));
      at->second.progress_due = now() + kShort.progress_deadline + work;
      fleet_->progress(at->first, work);
    } else if (what < 54 && !leases_.empty()) reopen(any_of(leases_)->first);
    else if (what < 60 && !leases_.empty()) redeem(any_of(leases_)->first);
    else if (what == 60 && rng_.below(5) == 0) crash();
    else if (what == 61) excuse(std::chrono::seconds(rng_.below(5)));
    else if (what == 62 && !devices_.empty()) manage(std::string(any_of(devices_)->first));
    else if (what == 63 && !devices_.empty() && rng_.below(4) == 0) forget(std::string(any_of(devices_)->first));
    else if (what < 80) pass(std::chrono::milliseconds(rng_.below(3'000)));
    else
      for (ModelAgent& one : agents_)
        if (one.link && !one.silent) beat_of(one, rng_.below(200) > 0);
  }

  // What the fleet did.
  void absorb() {
    for (const Effect& effect : std::exchange(effects_, {})) {
      if (const auto* granted = std::get_if<Granted>(&effect)) take(*granted);
      else if (const auto* lost = std::get_if<LeaseLost>(&effect)) take(*lost);
      else if (const auto* refused = std::get_if<NotGranted>(&effect)) take(*refused);
      else if (const auto* to = std::get_if<ToAgent>(&effect))
        if (const auto* open = std::get_if<protocol::OpenSession>(&to->message)) {
          ASSERT_TRUE(leases_.count(open->lease_id));
          ASSERT_EQ(open->fence, leases_[open->lease_id].fence);
          add_token(leases_[open->lease_id], open->session_token);
        }
      if (HasFatalFailure()) return;
    }
    for (const auto& [id, one] : waiting_) ASSERT_TRUE(one.granted.empty()) << "request " << id << " was served in part";
  }
  void take(const Granted& granted) {
    const auto found = waiting_.find(granted.request);
    ASSERT_NE(found, waiting_.end());
    ModelRequest& one = found->second;
    ModelDevice& device = devices_.at(granted.lease.device.device_id);
    ASSERT_TRUE(idle(device) && fits(one.request, device));
    ASSERT_EQ(granted.lease.fence, ++device.fence);
    device.lease_id = granted.lease.lease_id;
    leases_[device.lease_id] = {.device_id = granted.lease.device.device_id,
                                .job = one.request.job,
                                .key = device.key,
                                .fence = device.fence,
                                .request = granted.request,
                                .priority = one.request.priority,
                                .expires = now() + kShort.lease_ttl,
                                .progress_due = now() + kShort.progress_deadline,
                                .term_ends = now() + kShort.term_max};
    one.granted.push_back(device.key);
    ASSERT_EQ(one.granted.front(), device.key) << "a reservation over two classes";
    ++grants_;
    if (one.granted.size() == one.request.count) waiting_.erase(found);
  }
  void take(const LeaseLost& lost) {
    const auto found = leases_.find(lost.lease_id);
    ASSERT_NE(found, leases_.end());
    const ModelLease& lease = found->second;
    const ModelDevice& device = devices_.at(lease.device_id);
    ASSERT_EQ(lost.request, lease.request);
    const ErrorCode why = lost.error.code;
    if (why == ErrorCode::kTimeout) ASSERT_LE(lease.progress_due, now());
    else if (why == ErrorCode::kBusy) ASSERT_TRUE(term_is_over(lease));
    else
      ASSERT_TRUE(lease.expires <= now() || device.key != lease.key || device.agent == evicted_ || device.hold == Hold::kQuarantined)
          << lost.error.message;
    ++losses_[why];
    forget_lease(std::string(lost.lease_id));
  }
  void take(const NotGranted& refused) {
    const auto found = waiting_.find(refused.request);
    ASSERT_NE(found, waiting_.end());
    ASSERT_EQ(refused.error.code, ErrorCode::kNoDevice);
    ASSERT_LE(found->second.since + found->second.request.wait, now());
    waiting_.erase(found);
  }

  // Both are the same, and nothing is missing.
  void compare() {
    ASSERT_EQ(fleet_->leases(), leases_.size());
    ASSERT_EQ(fleet_->waiting(), waiting_.size());
    const std::vector<protocol::DeviceInfo> all = devices();
    ASSERT_EQ(all.size(), devices_.size());
    for (const protocol::DeviceInfo& info : all) {
      const ModelDevice& device = devices_.at(info.device_id);
      ASSERT_EQ(info.lease ? info.lease->lease_id : "", device.lease_id);
      ASSERT_EQ(info.lease ? info.lease->fence : device.fence, device.fence);
      ASSERT_EQ(info.service_state, service_state(device));
      ASSERT_FALSE(device.hold == Hold::kQuarantined && info.lease);
    }
    for (const auto& [id, lease] : leases_) {
      ASSERT_EQ(fleet_->holds(id, lease.fence), lease.expires > now());
      ASSERT_FALSE(fleet_->holds(id, lease.fence + 1) || fleet_->holds(id, lease.fence - 1));
    }
    while (ended_.size() > 20) ended_.pop_front();
    for (const auto& [id, fence] : ended_) ASSERT_FALSE(fleet_->holds(id, fence));
    for (const auto& [id, one] : waiting_) ASSERT_FALSE(is_owed(one)) << "request " << id;
    if (std::exchange(ticked_, false)) compare_deadlines();
  }
  void compare_deadlines() {
    for (const auto& [id, lease] : leases_) {
      ASSERT_GT(lease.expires, now()) << id;
      ASSERT_GT(lease.progress_due, now()) << id;
      ASSERT_FALSE(term_is_over(lease)) << id;
    }
    for (const auto& [id, one] : waiting_) ASSERT_GT(one.since + one.request.wait, now());
  }
  // Devices that it could have are idle, and kept for nobody.
  bool is_owed(const ModelRequest& one) const {
    std::map<std::string, size_t> classes;
    for (const auto& [id, device] : devices_)
      if (idle(device) && fits(one.request, device) && !may_be_kept(device, one)) ++classes[device.key];
    return std::any_of(classes.begin(), classes.end(), [&](const auto& entry) { return entry.second >= one.request.count; });
  }
  bool may_be_kept(const ModelDevice& device, const ModelRequest& for_other) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& entry) {
      const ModelRequest& one = entry.second;
      return &one != &for_other && one.request.count > 1 && now() - one.since >= kShort.priority_age && fits(one.request, device);
    });
  }

  Rng rng_;
  std::vector<ModelAgent> agents_;
  std::map<std::string, ModelDevice> devices_;
  std::map<std::string, ModelLease> leases_;
  std::map<Client::RequestId, ModelRequest> waiting_;
  std::deque<std::pair<std::string, uint64_t>> ended_;
  const ModelAgent* evicted_ = nullptr;
  Link last_link_ = 0;
  bool ticked_ = false;
  size_t grants_ = 0;
  std::map<ErrorCode, size_t> losses_;
  std::map<protocol::DeviceAction, size_t> managed_;
};

TEST_P(FleetModel, AgreesWithTheFleet) {
  // Given agents that come, go, fall silent and change, jobs that ask for one device or several, cancel, release and answer, people who drain,
  // quarantine, resume and forget devices, and a tracker that crashes, when 15,000 random operations have been done, then after each the fleet holds the leases that the model holds, with its fences, and has
  // done what it had to; each reason for which a lease is lost has been seen.
  for (int step = 0; step < 15'000; ++step) {
    evicted_ = nullptr;
    do_any();
    absorb();
    if (!HasFailure()) compare();
    if (HasFailure()) FAIL() << "seed " << GetParam() << ", step " << step;
  }
  EXPECT_GT(grants_, 300u);
  for (const ErrorCode why : {ErrorCode::kStaleFence, ErrorCode::kTimeout, ErrorCode::kBusy})
    EXPECT_GT(losses_[why], 0u) << "seed " << GetParam() << ", " << static_cast<int>(why);
  EXPECT_EQ(managed_.size(), 4u) << "seed " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Seeds, FleetModel, testing::Range<uint64_t>(1, 13));

TEST(FleetDeaths, AHundredThousandLeaveNoStuckLease) {
  // Given 500 agents with a leased device each, when all of them die at once, 200 times, by a broken socket, silence, a revoked token, a hung worker,
  // a session that answers nothing, or as another device, then soon afterwards no lease is left, and every one was told lost once.
  constexpr int kAgents = 500, kRounds = 200;
  FleetWorld w(kShort);
  Rng rng(11);
  std::vector<std::string> ids(kAgents);
  Link link = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::pair<Link, uint64_t>> alive;  // with how each dies
    for (std::string& id : ids) {
      id = w.join(++link, {offer("gpu")}, id.empty() ? std::nullopt : std::optional(id)).agent_id;
      alive.emplace_back(link, rng.below(6));
    }
    for (int i = 0; i < kAgents; ++i) w.acquire({.job = "j"});
    ASSERT_EQ(w.fleet_->leases(), size_t{kAgents});
    w.effects_.clear();
    for (size_t i = 0; i < alive.size(); ++i) {
      const auto [at, how] = alive[i];
      if (how == 0) w.run(w.fleet_->unlinked(at));
      if (how == 1) w.run(w.fleet_->evict(at, "its token was taken back"));
      auto other = offer("gpu");
      other.fingerprint.vendor = "other";
      if (how == 2) w.join(++link, {other}, ids[i]);
    }
    for (int second = 0; second < 41; ++second) {
      w.advance(1s);
      for (const auto& [at, how] : alive)
        if (how >= 4) w.beat(at, how == 4);
    }
    ASSERT_EQ(w.fleet_->leases(), 0u) << "round " << round;
    ASSERT_EQ(w.taken<LeaseLost>().size(), size_t{kAgents}) << "round " << round;
    w.effects_.clear();
  }
}

}  // namespace
}  // namespace hone::tracker
