// What a service writes into its audit log, over real sockets.
#include <gtest/gtest.h>

#include "base/json_text.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

TEST(Audit, WhatChangesAFarmIsALineEach) {
  // Given a service, when an agent comes for the first time and again, its device is labelled, a job ends and another is cancelled, and the service
  // stops, then the audit log says each once, in order, with who did it; and only its owner reads the file.
  World w;
  w.add_agent({.measure = always_good()});
  w.connect(w.url.token);
  ASSERT_TRUE(w.run_until([&] { return w.ready; }));
  int asked = 0;
  ASSERT_TRUE(w.run_until([&] {
    if (w.devices.empty() && w.pages == asked) {
      w.client->send(protocol::ListDevices{.id = w.client->next_id()});
      ++asked;
    }
    return !w.devices.empty();
  }));
  w.submit(2);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  const std::string first = w.job;
  w.client->send(protocol::LabelDevice{.id = w.client->next_id(), .device_id = w.devices[0].device_id, .label = "bench"});
  protocol::JobRequest nowhere{.kind = protocol::JobKind::kTune, .source = {.op = "matmul:32x32x32"}, .target = "wasm"};
  w.job.clear();
  w.submit(nowhere);
  ASSERT_TRUE(w.run_until([&] { return !w.job.empty(); }));
  w.client->send(protocol::CancelJob{.id = w.client->next_id(), .job = w.job});
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  w.stop();
  std::vector<nlohmann::json> events;
  std::ifstream file(w.audit_file());
  for (std::string line; std::getline(file, line);) events.push_back(*parse_json(line));
  std::vector<std::string> names;
  for (const auto& event : events) names.push_back(event["event"]);
  ASSERT_EQ(names, (std::vector<std::string>{"service_started", "agent_enrolled", "job_submitted", "job_ended", "device_labelled",
                                             "job_submitted", "job_cancelled", "job_ended", "service_stopped"}));
  EXPECT_EQ(events[1]["name"], "scripted");
  EXPECT_EQ(events[2]["job"], first);
  EXPECT_EQ(events[2]["source"], "matmul:32x32x32");
  EXPECT_EQ(events[2]["target"], "webgpu");
  EXPECT_NE(events[2]["user"], "");
  EXPECT_EQ(events[3]["outcome"], "ok");
  EXPECT_EQ(events[4]["label"], "bench");
  EXPECT_EQ(events[6]["job"], w.job);
  EXPECT_EQ(events[7]["outcome"], "cancelled");
  EXPECT_EQ(std::filesystem::status(w.audit_file()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace
}  // namespace hone::cli
