// What a service writes into its audit log, over real sockets.
#include <gtest/gtest.h>

#include "base/json_text.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

std::vector<nlohmann::json> events(const World& w) {
  std::vector<nlohmann::json> all;
  std::ifstream file(w.audit_file());
  for (std::string line; std::getline(file, line);) all.push_back(*parse_json(line));
  return all;
}

TEST(Audit, WhatChangesAFarmIsALineEach) {
  // Given a service, when an agent comes for the first time, its device is labelled, a job ends and another is cancelled, and the service
  // stops, then the audit log says each once, in order, with who did it; and only its owner reads the file.
  World w;
  w.add_agent({.measure = always_good()});
  ASSERT_TRUE(w.run_until([&] { return events(w).size() == 2; })) << "told once it is on disk";
  w.submit(2);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  const std::string first = w.job;
  w.client->send(protocol::ListDevices{.id = w.client->next_id()});
  ASSERT_TRUE(w.run_until([&] { return w.pages == 1; }));
  w.client->send(
      protocol::LabelDevice{.id = w.client->next_id(), .device_id = w.devices[0].device_id, .label = "bench"});
  protocol::JobRequest nowhere{.kind = protocol::JobKind::kTune, .source = {.op = "matmul:32x32x32"}, .target = "wasm"};
  w.job.clear();
  w.submit(nowhere);
  ASSERT_TRUE(w.run_until([&] { return !w.job.empty(); }));
  w.client->send(protocol::CancelJob{.id = w.client->next_id(), .job = w.job});
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  w.stop();
  const std::vector<nlohmann::json> told = events(w);
  std::vector<std::string> names;
  for (const auto& event : told) names.push_back(event["event"]);
  ASSERT_EQ(names, (std::vector<std::string>{"service_started", "agent_enrolled", "job_submitted", "job_ended",
                                             "device_labelled", "job_submitted", "job_cancelled", "job_ended",
                                             "service_stopped"}));
  EXPECT_EQ(told[1]["name"], "scripted");
  EXPECT_EQ(told[2]["job"], first);
  EXPECT_EQ(told[2]["source"], "matmul:32x32x32");
  EXPECT_EQ(told[2]["target"], "webgpu");
  EXPECT_NE(told[2]["user"], "");
  EXPECT_EQ(told[3]["outcome"], "ok");
  EXPECT_EQ(told[4]["label"], "bench");
  EXPECT_EQ(told[6]["job"], w.job);
  EXPECT_EQ(told[7]["outcome"], "cancelled");
  EXPECT_EQ(std::filesystem::status(w.audit_file()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Audit, WhatPeopleDoWithADeviceIsALineEach) {
  // Given a device, when it is drained, quarantined, resumed, forgotten while it is here, which is refused, and forgotten once it is gone, then the audit log says
  // what was done, with the reason and who did it.
  World w;
  w.add_agent({.measure = always_good()});
  w.connect(w.url.token);
  ASSERT_TRUE(w.run_until([&] { return w.ready && events(w).size() == 2; }));
  w.client->send(protocol::ListDevices{.id = w.client->next_id()});
  ASSERT_TRUE(w.run_until([&] { return w.pages == 1; }));
  using protocol::DeviceAction;
  const auto manage = [&](DeviceAction action, const std::string& reason) {
    w.client->send(protocol::ManageDevice{.id = w.client->next_id(), .device_id = w.devices.at(0).device_id, .action = action, .reason = reason});
  };
  manage(DeviceAction::kDrain, "new battery");
  manage(DeviceAction::kQuarantine, "it lies");
  manage(DeviceAction::kResume, "");
  manage(DeviceAction::kForget, "");
  ASSERT_TRUE(w.run_until([&] { return w.failed.has_value(); }));
  EXPECT_EQ(w.failed->code, ErrorCode::kBusy);
  ASSERT_TRUE(w.run_until([&] { return events(w).size() == 5; }));
  w.agent->vanish();
  ASSERT_TRUE(w.run_until([&] {
    manage(DeviceAction::kForget, "");
    return events(w).size() == 6;
  }));
  const std::vector<nlohmann::json> told = events(w);
  std::vector<std::string> names;
  for (const auto& event : told) names.push_back(event["event"]);
  ASSERT_EQ(names, (std::vector<std::string>{"service_started", "agent_enrolled", "device_drained", "device_quarantined", "device_resumed", "device_forgotten"}));
  EXPECT_EQ(told[2]["reason"], "new battery");
  for (size_t i = 2; i < 6; ++i) EXPECT_EQ(told[i]["device"], w.devices[0].device_id);
  for (size_t i = 2; i < 6; ++i) EXPECT_NE(told[i]["user"], "");
}

TEST(Audit, WhoMayComeInIsALineEach) {
  // Given a service, when an enrolment and a token are made, and the token is rotated and taken back, then the audit log says each once, with who did it, and no secret stands in it.
  World w;
  w.connect(w.url.token);
  ASSERT_TRUE(w.run_until([&] { return w.ready; }));
  w.client->send(protocol::CreateEnrolment{.id = w.client->next_id(), .name = "shelf 3"});
  w.client->send(protocol::CreateToken{.id = w.client->next_id(), .role = protocol::Role::kSubmitter, .name = "ci"});
  ASSERT_TRUE(w.run_until([&] { return events(w).size() == 3; }));
  const std::string id = events(w)[2]["token"];
  w.client->send(protocol::RotateToken{.id = w.client->next_id(), .token_id = id});
  ASSERT_TRUE(w.run_until([&] { return events(w).size() == 4; }));
  w.client->send(protocol::RevokeToken{.id = w.client->next_id(), .token_id = events(w)[3]["token"]});
  ASSERT_TRUE(w.run_until([&] { return events(w).size() == 5; }));
  w.stop();
  const std::vector<nlohmann::json> told = events(w);
  std::vector<std::string> names;
  for (const auto& event : told) names.push_back(event["event"]);
  ASSERT_EQ(names, (std::vector<std::string>{"service_started", "enrolment_created", "token_created", "token_rotated", "token_revoked", "service_stopped"}));
  EXPECT_EQ(told[1]["name"], "shelf 3");
  EXPECT_EQ(told[2]["role"], "submitter");
  EXPECT_EQ(told[2]["name"], "ci");
  for (size_t i = 1; i < 5; ++i) EXPECT_NE(told[i]["user"], "");
  for (const auto& event : told) EXPECT_EQ(event.dump().find(w.url.token), std::string::npos);
}

}  // namespace
}  // namespace hone::cli
