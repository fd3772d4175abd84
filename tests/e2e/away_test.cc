// What a person at a terminal hears while their job goes on elsewhere: of a tab that was closed, of a device that is not there, of Ctrl-C, and of the
// records of a service on another machine.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/e2e/devtools.h"
#include "tests/e2e/farm.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

constexpr const char* kAway = "for the device, which is away (open its tab again) or out of service; it is given up after 60 s";

struct TabFarm : Farm {
  TabFarm() { start_agent("", DevTools::browser_program(folder.path())); }
  HoneProcess::Config tune_for_people(int trials) const {
    return command({"tune", "--op", "matmul:64x64x64", "--trials", std::to_string(trials), "--tracker", url});
  }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return query_number(db(), "SELECT count(*) FROM attempts") > more_than; });
  }
  // The tab is closed, and nobody opens it again until come_back.
  void close_tab() const {
    agent->signal(SIGSTOP);
    DevTools(folder.path()).close();
  }
  void come_back() const { agent->signal(SIGCONT); }
};

// That of nobody's interest who tunes a model.
void expect_no_ids(const Farm& farm, const std::string& text) {
  for (const auto& device : farm.devices()) {
    EXPECT_EQ(text.find(device["device_id"].get<std::string>()), std::string::npos) << text;
    EXPECT_EQ(text.find(device["device_key"].get<std::string>()), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("lease"), std::string::npos) << text;
}

TEST(Away, AClosedTabIsWhatASearchSaysThatItWaitsFor) {
  // Given a search in the middle, when its tab is closed, then it says that it waits for the device, since when and until when; when the tab is open
  // again, then it goes on and ends well, and nothing that was printed names a lease or a device's id.
  TabFarm farm;
  HoneProcess tune(farm.tune_for_people(30));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  farm.close_tab();
  EXPECT_TRUE(wait_until(seconds(20), [&] { return tune.err().find(kAway) != std::string::npos; })) << tune.err();
  farm.come_back();
  EXPECT_EQ(tune.wait(seconds(120)), 0) << tune.err();
  EXPECT_NE(tune.out().find("30 trials"), std::string::npos) << tune.out();
  expect_no_ids(farm, tune.err() + farm.up->err() + farm.agent->err());
}

TEST(Away, AClosedTabIsWhatAModelSaysThatItWaitsFor) {
  // Given a model under way on a device that never ends it, when its tab is closed, then the command says that it waits for the device; when the tab is
  // open again, then the model runs there and the command ends well.
  TabFarm farm;
  const std::string model = farm.folder / "encoder.onnx";
  ASSERT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + model).c_str()), 0);
  DevTools(farm.folder.path()).evaluate("device", "GPUBuffer.prototype.mapAsync = () => new Promise(() => {}); 0");
  HoneProcess run(farm.command({"run", model, "--tracker", farm.url}));
  ASSERT_TRUE(wait_until(seconds(60), [&] { return run.err().find("the model runs") != std::string::npos; }))
      << run.err();
  farm.close_tab();
  EXPECT_TRUE(wait_until(seconds(20), [&] { return run.err().find(kAway) != std::string::npos; })) << run.err();
  farm.come_back();
  EXPECT_EQ(run.wait(seconds(120)), 0) << run.err();
  expect_no_ids(farm, run.err() + farm.up->err() + farm.agent->err());
}

TEST(Away, CtrlCPrintsWhatIsKnown) {
  // Given a search in the middle, when it is interrupted, then the table of what is known is printed, the exit code is 130, and its records stay.
  TabFarm farm;
  HoneProcess tune(farm.tune_for_people(10'000));
  ASSERT_TRUE(farm.measured(5)) << tune.err();
  tune.signal(SIGINT);
  EXPECT_EQ(tune.wait(seconds(30)), 130) << tune.err();
  EXPECT_NE(tune.out().find("naive/best"), std::string::npos) << tune.out();
  EXPECT_NE(tune.out().find("matmul 64x64x64"), std::string::npos) << tune.out();
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.is_idle(); })) << farm.devices();
}

TEST(Away, ADeviceThatIsNotThereIsNamedWithThoseThatAre) {
  // Given a device, when a job wants another one, then it says at once which one it waits for and what is there, goes on waiting, and says the same when
  // its time is over, with the exit code 3.
  TabFarm farm;
  const std::string there = farm.devices()[0]["device_id"];
  HoneProcess tune(farm.command(
      {"tune", "--op", "matmul:64x64x64", "--tracker", farm.url, "--device", "vendor=nobody", "--wait", "2"}));
  EXPECT_EQ(tune.wait(seconds(60)), 3) << tune.err();
  const std::string why =
      "1 device connected, but none matches webgpu and 'vendor=nobody': chromium-webgpu (id " + there + ")";
  const std::string text = tune.err();
  EXPECT_LT(text.find("waiting for a device that fits 'vendor=nobody', for 2 s: " + why),
            text.find("no device for webgpu"))
      << text;
  EXPECT_NE(text.find("was free within 2 s: " + why), std::string::npos) << text;
}

TEST(Away, TheRecordsOfAServiceAreReadFromElsewhere) {
  // Given a service with the records of a search, when somebody in another folder reads them by its URL, then each verb prints what it prints beside the
  // database, and no database is left there.
  TabFarm farm;
  HoneProcess tune(farm.tune(12));
  expect_done(farm, tune, 12);
  const std::vector<std::vector<std::string>> verbs{{"records", "list"},
                                                    {"records", "list", "--json", "--task", "matmul"},
                                                    {"records", "best", "--json"},
                                                    {"records", "best", "--trace"},
                                                    {"records", "export"},
                                                    {"records", "report"},
                                                    {"compile", "--op", "matmul:64x64x64", "--schedule", "best"}};
  for (std::vector<std::string> verb : verbs) {
    HoneProcess beside(farm.command(verb));
    ASSERT_EQ(beside.wait(seconds(30)), 0) << beside.err();
    TempFolder elsewhere;
    verb.insert(verb.end(), {"--tracker", farm.url});
    HoneProcess remote(hone_in(elsewhere, verb));
    EXPECT_EQ(remote.wait(seconds(30)), 0) << remote.err();
    EXPECT_EQ(remote.out(), beside.out());
    EXPECT_NE(remote.out(), "");
    EXPECT_FALSE(std::filesystem::exists(elsewhere / "hone.db"));
  }
}

}  // namespace
}  // namespace hone::e2e
