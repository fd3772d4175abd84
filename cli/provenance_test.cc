// Whose word a record is, who repeats it, and what becomes of a device that lies, over the real sockets of a whole service.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json_text.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

const std::string kFirst(32, '1'), kSecond(32, '2');  // physical ids

using tuner::Origin;
using tuner::Standing;

struct Farm : World {
  // An agent that says the same of each kernel, under a token of that name.
  ScriptedAgent& add(const std::string& token_name, const std::string& device, double us) {
    return add_with(token(token_name), device, us);
  }
  ScriptedAgent& add_with(const std::string& secret, const std::string& device, double us) {
    ScriptedAgent::Script script{.measure = [us](const protocol::Candidate&) { return std::optional(ScriptedAgent::good_result(us)); }};
    script.devices.front().physical_id = device;
    const size_t before = connected();
    auto& one = *others.emplace_back(std::make_unique<ScriptedAgent>(loop, service->port(), secret, std::move(script)));
    const auto until = std::chrono::steady_clock::now() + seconds(60);
    while (connected() == before) CHECK(std::chrono::steady_clock::now() < until, cat("an agent does not come in: ", one.refused));
    return one;
  }
  std::string token(const std::string& name) {
    if (!client) listen();
    made.reset();
    client->send(protocol::CreateToken{.id = client->next_id(), .role = protocol::Role::kAgent, .name = name});
    CHECK(run_until([&] { return made.has_value(); }), "no token is made");
    return made->token;
  }
  void listen() {
    client = std::make_unique<ServiceClient>(loop, url,
                                             ServiceClient::Events{.on_ready = [this] { ready = true; },
                                                                   .on_message =
                                                                       [this](const protocol::ClientFromService& m, std::string_view) {
                                                                         if (auto* one = std::get_if<protocol::TokenCreated>(&m)) made = *one;
                                                                         receive(m);
                                                                       },
                                                                   .on_failed = [this](Error error) { failed = std::move(error); }});
    CHECK(run_until([&] { return ready; }), "the service does not greet");
  }
  size_t connected() {
    if (!client) listen();
    pages = 0;
    client->send(protocol::ListDevices{.id = client->next_id()});
    CHECK(run_until([&] { return pages == 1; }), "no list of devices comes");
    return devices.size();
  }
  std::string id_of(const std::string& physical_id) {
    connected();
    for (const protocol::DeviceInfo& one : devices)
      if (one.physical_id == physical_id) return one.device_id;
    return "";
  }
  void tune_on(const std::string& physical_id, const std::string& op) {
    protocol::JobRequest request{.kind = protocol::JobKind::kTune, .source = {.op = op}, .target = "webgpu", .trials = 2, .seed = 1};
    request.selector = id_of(physical_id);
    submit(request);
    ASSERT_TRUE(run_until([&] { return ended(); }));
    ASSERT_TRUE(result) << failed->message;
  }
  std::set<std::string> checked_by() {
    std::set<std::string> all;
    for (const tuner::Record& one : records())
      if (one.origin == Origin::kCheck) all.insert(one.device);
    return all;
  }
  std::map<Standing, int> standings(const std::string& device) {
    std::map<Standing, int> all;
    for (const tuner::Record& one : records())
      if (one.device == device && one.origin != Origin::kNaive) ++all[one.standing];
    return all;
  }
  std::vector<nlohmann::json> quarantines() const {
    std::ifstream file(audit_file());
    std::vector<nlohmann::json> told;
    for (std::string line; std::getline(file, line);)
      if (auto event = *parse_json(line); event["event"] == "device_quarantined") told.push_back(event);
    return told;
  }

  std::optional<protocol::TokenCreated> made;
};

TEST(Provenance, AWinnerIsMeasuredOnceMoreByAnotherDeviceOfItsClass) {
  // Given two equal devices, each under a token of its own, when one of them tunes an operator, then both measure the winner once more, it is confirmed, and each
  // record has its agent, device, lease and token; forgetting one lease removes what was measured under it, and no more.
  Farm farm;
  farm.add("laptop", kFirst, 100);
  farm.add("phone", kSecond, 105);
  farm.tune_on(kFirst, "matmul:32x32x32");
  farm.stop();
  EXPECT_EQ(farm.checked_by(), (std::set<std::string>{kFirst, kSecond}));
  std::map<std::string, std::set<std::string>> leases, tokens;
  for (const tuner::Record& one : farm.records()) {
    EXPECT_NE(one.agent, "");
    EXPECT_FALSE(one.trusted);
    leases[one.device].insert(one.lease_id);
    tokens[one.device].insert(one.enrolment);
  }
  for (const auto& all : {leases, tokens}) {
    ASSERT_EQ(all.at(kFirst).size(), 1u);
    ASSERT_EQ(all.at(kSecond).size(), 1u);
    EXPECT_NE(*all.at(kFirst).begin(), *all.at(kSecond).begin());
    EXPECT_NE(*all.at(kFirst).begin(), "");
  }
  auto store = std::move(tuner::open_record_store({.where = farm.folder + "/hone.db"})).value();
  const tuner::Record some = farm.records().front();
  const auto best = *store->best_for(some.task_id, some.device_key);
  EXPECT_EQ(best->standing, Standing::kConfirmed);
  EXPECT_EQ(store->forget({.lease_id = *leases[kSecond].begin()})->attempts, 1);
  EXPECT_EQ((*store->best_for(some.task_id, some.device_key))->standing, Standing::kUnconfirmed);
}

TEST(Provenance, NobodyChecksWhereNobodyIsApart) {
  // Given a device alone, and then a second one under the same token, when the first tunes, then nothing is checked, the job does not wait for that, and the best is
  // unconfirmed and used all the same.
  Farm farm;
  const std::string token = farm.token("laptop");
  farm.add_with(token, kFirst, 100);
  farm.tune_on(kFirst, "matmul:32x32x32");
  farm.add_with(token, kSecond, 100);
  farm.tune_on(kFirst, "matmul:32x32x64");
  farm.stop();
  EXPECT_EQ(farm.checked_by(), std::set<std::string>());
  EXPECT_EQ(farm.standings(kFirst).count(Standing::kConfirmed), 0u);
  EXPECT_EQ(farm.standings(kFirst).count(Standing::kRefuted), 0u);
}

TEST(Provenance, ADeviceThatSaysATenthLessIsQuarantined) {
  // Given a canary, an honest device, and one that says nine tenths of what it measures, when the last has tuned ten operators, then the canary has found it biased: it is
  // quarantined, the audit log says so, and what it measured is refuted but where it was confirmed; the honest one is still there, and the canary's times are confirmed.
  Farm farm;
  farm.add("liar", kFirst, 89);
  farm.add("canary of the lab", kSecond, 100);
  const auto state = [&](const std::string& device) {
    const std::string id = farm.id_of(device);
    for (const protocol::DeviceInfo& one : farm.devices)
      if (one.device_id == id) return protocol::to_name(one.service_state);
    return std::string_view();
  };
  int jobs = 0;
  for (; jobs < 20 && state(kFirst) != "quarantined"; ++jobs) farm.tune_on(kFirst, cat("matmul:32x32x", 32 + 4 * jobs));
  EXPECT_LE(jobs, 10);
  EXPECT_EQ(state(kFirst), "quarantined");
  EXPECT_EQ(state(kSecond), "idle");
  std::vector<nlohmann::json> told;
  ASSERT_TRUE(farm.run_until([&] { return !(told = farm.quarantines()).empty(); })) << "told once it is on disk";
  farm.stop();
  EXPECT_EQ(farm.standings(kFirst).count(Standing::kConfirmed), 0u);
  EXPECT_EQ(farm.standings(kFirst).count(Standing::kUnconfirmed), 0u);
  EXPECT_EQ(farm.standings(kSecond), (std::map<Standing, int>{{Standing::kConfirmed, jobs}}));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["device"], kFirst);
  EXPECT_EQ(told[0]["user"], "hone");
  EXPECT_NE(told[0]["reason"].get<std::string>().find("0.890 × those of other devices"), std::string::npos) << told[0];
}

}  // namespace
}  // namespace hone::cli
