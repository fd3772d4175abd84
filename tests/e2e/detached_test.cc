// Jobs that outlive whoever submitted them, and their service: `hone tune --detach`, `hone jobs`, and SIGKILL.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/e2e/farm.h"
#include "tests/e2e/json_schema.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

struct DetachedFarm : Farm {
  // With --json: what it prints, which fits the schema of that name.
  nlohmann::json ask(const std::string& schema, std::vector<std::string> arguments, int code = 0) const {
    arguments.insert(arguments.end(), {"--tracker", url});
    return nlohmann::json::parse(expect_schema(folder, schema, arguments, code), nullptr, false);
  }
  std::string detach(std::vector<std::string> more, int trials) const {
    std::vector<std::string> arguments{"tune", "--detach", "--target", "native", "--trials", std::to_string(trials)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ask("tune_detached", arguments).value("job", "");
  }
  std::string detach(int trials) const { return detach({"--op", "matmul:64x64x64"}, trials); }
  nlohmann::json job(const std::string& id) const {
    const nlohmann::json page = ask("jobs", {"jobs"});
    for (const auto& one : page["jobs"])
      if (one["job"] == id) return one;
    return nullptr;
  }
  HoneProcess::Config attach(const std::string& id) const { return command({"jobs", "attach", id, "--tracker", url, "--json"}); }
  void kill_service() const {
    up->signal(SIGKILL);
    EXPECT_EQ(up->wait(seconds(5)), 128 + SIGKILL);
  }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return query_number(db(), "SELECT count(*) FROM attempts") > more_than; });
  }
};

TEST(Detached, AJobOutlivesItsClientAndItsKilledService) {
  // Given two detached searches, one of a model, when the service is killed in the middle of the first one and started anew, then both are done, the first one from what it had measured,
  // nothing is measured twice, whoever follows it goes on following, and the second one still has its model.
  DetachedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::string model = farm.folder / "encoder.onnx";
  ASSERT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + model).c_str()), 0);
  const std::string first = farm.detach(60), second = farm.detach({model}, 1);
  ASSERT_NE(first, "");
  HoneProcess following(farm.attach(first));
  ASSERT_TRUE(wait_until(seconds(20), [&] { return !following.err().empty(); })) << "it hears of the job";
  ASSERT_TRUE(farm.measured(5)) << farm.up->err();
  farm.kill_service();
  const int64_t before = query_number(farm.db(), "SELECT count(*) FROM attempts");
  farm.start_service(farm.port());
  EXPECT_EQ(following.wait(seconds(180)), 0) << following.err();
  const auto result = nlohmann::json::parse(following.out(), nullptr, false);
  EXPECT_EQ(result["tasks"][0]["trials"], 60) << following.out();
  EXPECT_LT(result["tasks"][0]["trials_new"], 60);
  EXPECT_GT(before, 5);
  EXPECT_EQ(farm.job(first)["starts"], 2);
  HoneProcess follow_second(farm.attach(second));
  // With one trial a task, a busy machine may leave a task without a time: the search has ended all the same.
  if (follow_second.wait(seconds(180)) != 0) EXPECT_NE(follow_second.err().find("no time was found for"), std::string::npos) << follow_second.err();
  const auto of_model = nlohmann::json::parse(follow_second.out(), nullptr, false);
  EXPECT_GT(of_model["tasks"].size(), 5u) << follow_second.out();
  for (const auto& task : of_model["tasks"]) EXPECT_EQ(task["trials"], 1) << task;
  for (const std::string& id : {first, second}) {
    EXPECT_EQ(farm.job(id)["state"], "done");
    EXPECT_EQ(farm.job(id)["outcome"], "ok");
  }
  expect_sound(farm.db());
  expect_each_once(farm.db());
  EXPECT_TRUE(wait_until(seconds(10), [&] { return std::filesystem::is_empty(farm.db() + ".models"); }));
}

TEST(Detached, AJobThatIsKilledWithItsServiceAgainAndAgainEnds) {
  // Given a detached search that cannot end, when its service is killed three times while it runs, then the next service does not begin it again: it has failed, with a sentence, and who follows it exits
  // with 1; a job that was queued behind it is done.
  DetachedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::string poison = farm.detach(50'000);
  for (int start = 1; start <= 3; ++start) {
    ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.job(poison)["starts"] == start && farm.job(poison)["state"] == "running"; })) << farm.job(poison);
    farm.kill_service();
    farm.start_service(farm.port());
  }
  const auto ended = farm.job(poison);
  EXPECT_EQ(ended["state"], "failed") << ended;
  EXPECT_EQ(ended["outcome"], "internal");
  HoneProcess follow(farm.attach(poison));
  EXPECT_EQ(follow.wait(seconds(20)), 1);
  EXPECT_NE(follow.err().find("3 times"), std::string::npos) << follow.err();
  const std::string good = farm.detach(3);
  HoneProcess follow_good(farm.attach(good));
  EXPECT_EQ(follow_good.wait(seconds(120)), 0) << follow_good.err();
}

TEST(Detached, CtrlCLetsItGoOnAndCancelEndsIt) {
  // Given a detached search under way that two follow, when one presses Ctrl-C, then it exits with 130 and the search goes on; when it is cancelled, then the other prints what is known and exits with 130, and the device is
  // free; cancelling it again, and following what is not there, say so with the exit code 1.
  DetachedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::string id = farm.detach(50'000);
  ASSERT_TRUE(farm.measured(3));
  HoneProcess one(farm.attach(id)), two(farm.attach(id));
  ASSERT_TRUE(wait_until(seconds(20), [&] { return !one.err().empty() && !two.err().empty(); }));
  one.signal(SIGINT);
  EXPECT_EQ(one.wait(seconds(10)), 130);
  EXPECT_NE(one.err().find("hone jobs attach " + id), std::string::npos) << one.err();
  EXPECT_EQ(farm.job(id)["state"], "running");
  EXPECT_EQ(farm.ask("jobs_cancel", {"jobs", "cancel", id})["state"], "cancelled");
  EXPECT_EQ(two.wait(seconds(20)), 130) << two.err();
  EXPECT_TRUE(nlohmann::json::parse(two.out(), nullptr, false).value("cancelled", false)) << two.out();
  EXPECT_EQ(farm.job(id)["outcome"], "cancelled");
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.is_idle(); }));
  EXPECT_EQ(farm.ask("jobs_cancel", {"jobs", "cancel", id})["state"], "cancelled") << "it is so already";
  for (const std::string verb : {"attach", "cancel"}) {
    HoneProcess none(farm.command({"jobs", verb, "tune-000000000000", "--tracker", farm.url}));
    EXPECT_EQ(none.wait(seconds(20)), 1);
    EXPECT_NE(none.err().find("there is no job tune-000000000000"), std::string::npos) << none.err();
  }
}

TEST(Detached, ASignalPutsItBackAndTheNextServiceGoesOn) {
  // Given a detached search under way, when its service is ended in order, then it has not ended, and no start counts; the next service does it to its end.
  DetachedFarm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::string id = farm.detach(60);
  ASSERT_TRUE(farm.measured(5));
  farm.up->signal(SIGINT);
  EXPECT_EQ(farm.up->wait(seconds(20)), 130);
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM submissions WHERE state = 'queued' AND starts = 0"), 1);
  farm.start_service(farm.port());
  HoneProcess follow(farm.attach(id));
  EXPECT_EQ(follow.wait(seconds(180)), 0) << follow.err();
  EXPECT_EQ(nlohmann::json::parse(follow.out(), nullptr, false)["tasks"][0]["trials"], 60);
  expect_each_once(farm.db());
}

TEST(Detached, NeedsAServiceThatGoesOn) {
  // Given no service, when a search is to be detached, then it is wrong usage that says what to start; so it is with a browser of this process.
  TempFolder folder;
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, std::vector<std::string>{"--own-browser"}}) {
    std::vector<std::string> arguments{"tune", "--op", "matmul:64x64x64", "--detach"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    HoneProcess tune(hone_in(folder, arguments));
    EXPECT_EQ(tune.wait(seconds(20)), 2) << tune.err();
    EXPECT_NE(tune.err().find("--detach"), std::string::npos) << tune.err();
  }
}

}  // namespace
}  // namespace hone::e2e
