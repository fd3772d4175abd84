// What tests of the fleet share.
#pragma once
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/cat.h"
#include "tracker/fleet.h"
#include "tracker/sql_store.h"

namespace hone::tracker {

using namespace std::chrono_literals;

inline protocol::DeviceOffer offer(const std::string& local_id, const std::string& target = "webgpu",
                                   std::vector<std::string> features = {}) {
  protocol::DeviceOffer offer{.local_id = local_id, .target = target};
  offer.fingerprint = {.target = target,
                       .vendor = "google",
                       .browser = "chromium",
                       .browser_major = 156,
                       .os = "linux",
                       .features = std::move(features)};
  offer.fingerprint.limits["maxBufferSize"] = 1 << 30;
  return offer;
}

// What a tracker keeps, in maps: for tests of many steps. Outlives the stores that are opened on it.
struct KeptFleet {
  std::map<std::string, StoredAgent> agents;
  std::map<std::string, StoredDevice> devices;
  std::map<std::string, StoredLease> open_leases;
  std::map<std::string, StoredClass> classes;
  std::map<std::string, StoredMember> members;  // by physical_id and said_key
};

class MapStore : public Store {
 public:
  explicit MapStore(KeptFleet& kept) : kept_(kept) {}
  Result<StoredFleet> load() override {
    return StoredFleet{.agents = values(kept_.agents),
                       .devices = values(kept_.devices),
                       .open_leases = values(kept_.open_leases),
                       .classes = values(kept_.classes),
                       .members = values(kept_.members)};
  }
  Status commit(const std::vector<Write>& writes) override {
    for (const Write& write : writes) std::visit([this](const auto& one) { put(one); }, write);
    return ok_status();
  }
  Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>&, size_t) override { return std::vector<protocol::DeviceEvent>(); }

 private:
  template <class Value>
  static std::vector<Value> values(const std::map<std::string, Value>& all) {
    std::vector<Value> list;
    for (const auto& [id, one] : all) list.push_back(one);
    return list;
  }
  void put(const StoredAgent& agent) { kept_.agents[agent.agent_id] = agent; }
  void put(const StoredDevice& device) { kept_.devices[device.device_id] = device; }
  void put(const DeviceUse& use) {
    StoredDevice& device = kept_.devices.at(use.device_id);
    device.fence = std::max(device.fence, use.fence);
    device.seen_unix_ms = use.seen_unix_ms;
  }
  void put(const StoredLease& lease) {
    kept_.open_leases[lease.lease_id] = lease;
    if (lease.ended_unix_ms != 0) kept_.open_leases.erase(lease.lease_id);
  }
  void put(const StoredClass& one) { kept_.classes[one.device_key] = one; }
  void put(const StoredMember& member) { kept_.members[cat(member.physical_id, " ", member.said_key)] = member; }
  void put(const StoredToken&) {}
  void put(const protocol::DeviceEvent&) {}
  void put(const ForgottenDevice& gone) { kept_.devices.erase(gone.device_id); }
  void put(const ForgottenAgent& gone) { kept_.agents.erase(gone.agent_id); }
  void put(const ForgottenToken&) {}
  void put(const ForgottenEvents&) {}

  KeptFleet& kept_;
};

// The fleet with a real database or a map, fake clocks and a list of all that it asked of the world. Outcomes are committed before effects are seen.
struct FleetWorld {
  explicit FleetWorld(std::string path) : path_(std::move(path)) {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    start();
  }
  explicit FleetWorld(const Limits& limits) : limits_(limits) { start(); }  // on a map
  // Also a restart after kill -9: nothing but the database is left.
  void start() {
    fleet_.reset();
    store_.reset();
    store_ = path_.empty() ? std::make_unique<MapStore>(kept_fleet_) : open_store(path_).value();
    const StoredFleet stored = store_->load().value();
    fleet_ = std::make_unique<Fleet>(
        steady_, wall_, FleetConfig{.limits = limits_, .make_secret = [this] { return cat("secret", ++secrets_, "-0123456789abcdef"); }});
    run(fleet_->restore(stored));
  }
  void run(Outcome outcome) {
    (void)store_->commit(outcome.writes).value();
    for (auto& effect : outcome.effects) effects_.push_back(std::move(effect));
  }
  protocol::Hello hello_message(std::vector<protocol::DeviceOffer> devices, std::optional<std::string> resume = {},
                                std::optional<std::string> launch = {}) {
    return {.id = 1,
            .version = 1,
            .agent_name = "lab",
            .launch_id = launch,
            .resume_agent_id = resume,
            .devices = std::move(devices),
            .resume_secret = resume && kept_.count(*resume) ? std::optional(kept_.at(*resume)) : std::nullopt};
  }
  protocol::Welcome join(Link link, std::vector<protocol::DeviceOffer> devices, std::optional<std::string> resume = {},
                         std::optional<std::string> launch = {}) {
    Outcome outcome = fleet_->hello(link, hello_message(std::move(devices), resume, launch)).value();
    protocol::Welcome welcome;
    for (const auto& effect : outcome.effects)
      if (const auto* to = std::get_if<ToAgent>(&effect))
        if (const auto* message = std::get_if<protocol::Welcome>(&to->message)) welcome = *message;
    run(std::move(outcome));
    if (welcome.resume_secret) kept_[welcome.agent_id] = *welcome.resume_secret;
    return welcome;
  }
  std::vector<protocol::DeviceInfo> devices() const { return fleet_->devices("", 100'000); }
  Client::RequestId acquire(LeaseRequest request) {
    run(fleet_->acquire(++requests_, std::move(request)));
    return requests_;
  }
  void beat(Link link, bool worker_alive = true) {
    run(fleet_->heartbeat(link, {.seq = ++beats_, .visible = true, .worker_alive = worker_alive}));
  }
  void advance(std::chrono::milliseconds by) {
    steady_.advance(by);
    wall_.advance(by);
    run(fleet_->tick());
  }
  template <class T>
  std::vector<T> taken() {
    std::vector<T> list;
    for (const auto& effect : effects_)
      if (const auto* one = std::get_if<T>(&effect)) list.push_back(*one);
    return list;
  }
  template <class Message>
  std::vector<Message> sent(Link link) {
    std::vector<Message> list;
    for (const auto& to : taken<ToAgent>())
      if (to.link == link)
        if (const auto* message = std::get_if<Message>(&to.message)) list.push_back(*message);
    return list;
  }

  const std::string path_;  // "" = a map
  KeptFleet kept_fleet_;
  Limits limits_;
  FakeClock steady_{5s}, wall_{1'700'000'000'000ms};
  uint64_t secrets_ = 0, requests_ = 0, beats_ = 0;
  std::map<std::string, std::string> kept_;  // the agents' resume_secrets by their ids
  std::unique_ptr<Store> store_;
  std::unique_ptr<Fleet> fleet_;
  std::vector<Effect> effects_;
};

}  // namespace hone::tracker
