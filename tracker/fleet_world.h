// What tests of the fleet share.
#pragma once
#include <filesystem>
#include <map>

#include "base/cat.h"
#include "tracker/fleet.h"
#include "tracker/sqlite_store.h"

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

// The fleet with a real database, fake clocks and a list of all that it asked of the world. Outcomes are committed before effects are seen.
struct FleetWorld {
  explicit FleetWorld(std::string path) : path_(std::move(path)) {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    start();
  }
  // Also a restart after kill -9: nothing but the database is left.
  void start() {
    fleet_.reset();
    store_.reset();
    store_ = open_sqlite_store(path_).value();
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

  const std::string path_;
  Limits limits_;
  FakeClock steady_{5s}, wall_{1'700'000'000'000ms};
  uint64_t secrets_ = 0, requests_ = 0, beats_ = 0;
  std::map<std::string, std::string> kept_;  // the agents' resume_secrets by their ids
  std::unique_ptr<Store> store_;
  std::unique_ptr<Fleet> fleet_;
  std::vector<Effect> effects_;
};

}  // namespace hone::tracker
