// kill -9 of a service at seeded points: after a line of what it told its clients, or some milliseconds after its start. Its agents are another process and come back each time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "base/rng.h"
#include "tests/faults/process.h"
#include "tests/faults/store_history.h"
#include "tests/faults/test_folder.h"
#include "base/sql/sqlite_db.h"

namespace hone::faults {
namespace {

constexpr int kKills = 50, kLinesMax = 60;
constexpr uint64_t kSourcesOfAStart = 1'000'000;
constexpr const char* kToken = "a-token-of-the-test";

// What clients were told, over all starts, and what contradicts itself in it.
class Told {
 public:
  void restart() { held_.clear(); }
  void hear(const std::string& line) {
    std::istringstream words(line);
    std::string what, device;
    uint64_t number = 0;
    words >> what;
    if (what == "granted" && words >> device >> number) grant(device, number);
    if (what == "released" && words >> device >> number) held_.erase(device);
    if (what == "acked" && words >> number) acknowledged_.insert(number);
    if (what == "late") faults_.push_back(line);
  }
  const std::set<uint64_t>& acknowledged() const { return acknowledged_; }
  const std::vector<std::string>& faults() const { return faults_; }
  size_t granted() const { return granted_; }

 private:
  void grant(const std::string& device, uint64_t fence) {
    ++granted_;
    if (!held_.insert(device).second) faults_.push_back(cat(device, " was leased twice at once, the second time under fence ", fence));
    uint64_t& last = fences_[device];
    if (fence <= last) faults_.push_back(cat(device, " was leased under fence ", fence, " after ", last));
    last = std::max(last, fence);
  }

  std::set<std::string> held_;              // by the service that runs
  std::map<std::string, uint64_t> fences_;  // of each device's last lease
  std::set<uint64_t> acknowledged_;
  std::vector<std::string> faults_;
  size_t granted_ = 0;
};

class Kill9 : public testing::Test, protected TestFolder {
 protected:
  // A start, until the moment by chance. An early one comes while the database is opened; the others after some of its lines, and up to 2 ms, which is more than a commit takes.
  void live_and_die(int number) {
    Process service({HONE_DOOMED_SERVICE, "--db", path(), "--token", kToken, "--port", std::to_string(port_), "--first", std::to_string(static_cast<uint64_t>(number) * kSourcesOfAStart)});
    told_.restart();
    if (port_ != 0 && rng_.below(5) == 0) spin(std::chrono::microseconds(rng_.below(40'000)));
    else hear(service, 1 + rng_.below(kLinesMax)), spin(std::chrono::microseconds(rng_.below(2'000)));
    service.kill();
    while (const auto line = service.line()) told_.hear(*line);
  }
  void hear(Process& service, uint64_t lines) {
    for (uint64_t i = 0; i < lines; ++i) {
      const auto line = service.line();
      ASSERT_TRUE(line) << "the service ended by itself";
      if (line->starts_with("listening ") && port_ == 0) begin_agents(std::stoi(line->substr(10)));
      told_.hear(*line);
    }
  }
  void begin_agents(int port) {
    port_ = port;
    agents_.emplace(std::vector<std::string>{HONE_FLEET_AGENTS, "--port", std::to_string(port), "--agents", "6", "--token", kToken});
    agents_output_ = std::thread([this] { while (agents_->line()) {} });
  }
  static void spin(std::chrono::microseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  ~Kill9() override {
    if (agents_) agents_->kill();
    if (agents_output_.joinable()) agents_output_.join();
  }

  int port_ = 0;
  std::optional<Process> agents_;
  std::thread agents_output_;
  Told told_;
  Rng rng_{9};
};

TEST_F(Kill9, NothingAcknowledgedIsLostAndNoDeviceIsLeasedTwice) {
  // Given a service with agents that leases their devices and stores results, when it is killed again and again and started on what it left, then each acknowledged result is stored once and
  // belongs to something, no device was ever leased to two at once or under a fence that it had had, and no result of an ended lease was stored.
  const char* wanted = std::getenv("HONE_KILLS");
  const int kills = wanted ? std::atoi(wanted) : kKills;
  for (int number = 0; number < kills && !HasFailure(); ++number) live_and_die(number);
  EXPECT_EQ(told_.faults(), std::vector<std::string>());
  EXPECT_GT(told_.granted(), static_cast<size_t>(kills));

  const RecordingVfs unused;
  EXPECT_EQ(StoreHistory(unused).fault_of(path()), "");
  std::map<uint64_t, int> found;
  auto store = tuner::open_record_store({.where = path()}).value();
  ASSERT_TRUE(store->list({}, [&](const tuner::Record& record) { return ++found[record.source_hash.lo], ok_status(); }).ok());
  for (const uint64_t source : told_.acknowledged()) ASSERT_EQ(found[source], 1) << "result " << source;
  std::printf("%d kills: %zu leases, %zu results acknowledged, %zu stored\n", kills, told_.granted(), told_.acknowledged().size(), found.size());
}

}  // namespace
}  // namespace hone::faults
