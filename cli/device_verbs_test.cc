// hone devices: the program itself against a service in this process.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

#include "base/json_text.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

struct Said {
  int code = -1;
  std::string text;  // stdout and stderr
};

struct DeviceVerbs : testing::Test, World {
  // Runs hone while the service goes on.
  Said hone(const std::string& arguments) {
    Said said;
    std::atomic<bool> done = false;
    const std::string command = cat("cd ", folder, " && HONE_TOKEN=", url.token, " " HONE_BINARY " devices ", arguments, " --tracker http://",
                                    url.host, ":", url.port, "/agent/ 2>&1");
    std::thread runner([&] {
      FILE* pipe = popen(command.c_str(), "r");
      std::array<char, 4096> buffer;
      for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) said.text.append(buffer.data(), n);
      said.code = WEXITSTATUS(pclose(pipe));
      done = true;
    });
    EXPECT_TRUE(run_until([&] { return done.load(); }));
    runner.join();
    return said;
  }
  nlohmann::json json(const std::string& arguments) { return *parse_json(hone(arguments + " --json --quiet").text); }
  nlohmann::json device() { return json("--all")["devices"].at(0); }
  std::string wait_for_device() {
    EXPECT_TRUE(run_until([&] { return !json("--all")["devices"].empty(); }));
    return device()["device_id"];
  }
};

TEST_F(DeviceVerbs, ADeviceIsDrainedQuarantinedResumedAndForgotten) {
  // Given a device with a job that does not end, when it is drained, then it is draining with its job; when it is quarantined, then its lease ends at once and
  // the job waits; each answer and the list say so; resumed it is leased again; it is forgotten when it is gone, and not before.
  add_agent({.measure = [](const protocol::Candidate&) { return std::optional<protocol::CandidateResult>(); }});
  const std::string id = wait_for_device();
  submit(4, 600);
  ASSERT_TRUE(run_until([&] { return device()["service_state"] == "leased"; }));
  const Said drained = hone(cat("drain ", id, " --reason 'new battery'"));
  EXPECT_EQ(drained.code, 0) << drained.text;
  EXPECT_NE(drained.text.find(id + " is draining: its job ends"), std::string::npos) << drained.text;
  EXPECT_EQ(device()["service_state"], "draining");
  EXPECT_EQ(device()["service_reason"], "new battery");
  EXPECT_TRUE(device().contains("lease"));
  EXPECT_EQ(json("quarantine " + id + " --reason 'it lies'")["service_state"], "quarantined");
  EXPECT_FALSE(device().contains("lease"));
  EXPECT_NE(hone("").text.find("quarantined: it lies"), std::string::npos);
  EXPECT_FALSE(ended());
  const Said here = hone("forget " + id);
  EXPECT_EQ(here.code, 1);
  EXPECT_NE(here.text.find(id + " is here: close its page or end its agent"), std::string::npos) << here.text;
  hone("resume " + id);
  ASSERT_TRUE(run_until([&] { return device()["service_state"] == "leased"; })) << "by the job that waited";
  agent->vanish();
  ASSERT_TRUE(run_until([&] { return device()["state"] == "gone" && !device().contains("lease"); }));
  EXPECT_EQ(json("forget " + id)["service_state"], "forgotten");
  EXPECT_TRUE(json("--all")["devices"].empty());
  EXPECT_EQ(hone("show " + id).code, 1);
}

TEST_F(DeviceVerbs, AJobGoesOnWithoutTheQuarantinedDevice) {
  // Given a job on the first of two devices, when that is quarantined in the middle, then the job ends well on the other.
  int silent = 0;
  add_agent({.measure = [&](const protocol::Candidate&) {
    return silent++ < 3 ? std::optional(ScriptedAgent::good_result()) : std::nullopt;
  }});
  const std::string id = wait_for_device();
  submit(6);
  ASSERT_TRUE(run_until([&] { return silent > 3; }));
  add_another_agent({.measure = always_good()});
  EXPECT_EQ(hone("quarantine " + id).code, 0);
  ASSERT_TRUE(run_until([&] { return ended(); }));
  ASSERT_TRUE(result) << failed->message;
  EXPECT_EQ((*result)["tasks"][0]["trials"], 6);
}

TEST_F(DeviceVerbs, ShowSaysWhatHappened) {
  // Given a device that did a job and was named, drained and resumed, when it is shown, then its page and its JSON say each with who did it, also after a restart.
  add_agent({.measure = always_good()});
  const std::string id = wait_for_device();
  submit(2);
  ASSERT_TRUE(run_until([&] { return ended(); }));
  hone("label " + id + " 'kitchen phone'");
  hone("drain " + id + " --reason 'new battery'");
  hone("resume " + id);
  const auto kinds = [&] {
    std::vector<std::string> list;
    const nlohmann::json shown = json("show " + id);
    for (const auto& event : shown["events"]) list.push_back(event["kind"]);
    return list;
  };
  const std::vector<std::string> expected{"connected", "leased", "lease_ended", "labelled", "drained", "resumed"};
  EXPECT_EQ(kinds(), expected);
  const auto shown = json("show " + id);
  EXPECT_EQ(shown["leases"], 1);
  EXPECT_EQ(shown["device"]["label"], "kitchen phone");
  EXPECT_EQ(shown["events"][4]["text"], "new battery");
  EXPECT_NE(shown["events"][4]["user"], "");
  const std::string page = hone("show " + id).text;
  for (const char* part : {"kitchen phone", "drained", "new battery", "lease_ended", "idle"}) EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  agent.reset();
  client.reset();
  ready = false;
  stop();
  start();
  EXPECT_GE(kinds().size(), expected.size());
}

}  // namespace
}  // namespace hone::cli
