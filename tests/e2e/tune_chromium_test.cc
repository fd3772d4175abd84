// The whole way: the binary, its embedded service, a real headless Chromium, and the records in SQLite.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/hone_command.h"
#include "tests/e2e/record_check.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

HoneProcess::Config tune(const TempFolder& folder, std::vector<std::string> more,
                         const std::string& op = "matmul:128x128x128") {
  std::vector<std::string> arguments{"tune", "--op", op, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return hone_in(folder, arguments);
}

TEST(TuneChromium, AnOperatorIsTunedFromOneCommandAndASecondRunGoesOnFromTheRecords) {
  // Given no database and no service, when an operator is tuned for 8 trials, then stdout is one JSON object with its times, and the
  // database holds each measurement once; when the command is repeated, then it answers from the records and measures nothing again.
  TempFolder folder;
  HoneProcess first(tune(folder, {"--trials", "8"}));
  ASSERT_EQ(first.wait(std::chrono::seconds(120)), 0) << first.err();
  auto result = nlohmann::json::parse(first.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << first.out();
  EXPECT_EQ(result["target"], "webgpu");
  EXPECT_EQ(result["device"]["browser"], "chromium");
  ASSERT_EQ(result["tasks"].size(), 1u);
  const auto& task = result["tasks"][0];
  EXPECT_EQ(task["shape"], "128x128");
  EXPECT_EQ(task["trials"], 8);
  // A busy machine drifts, and `unstable` is then the honest outcome; any other error is one of ours.
  const int64_t given_up = task["errors"].value("unstable", 0);
  expect_no_fault_of_ours(task);
  // The second run tries those once more, also a leader during whose last measurement the device drifted.
  const int64_t unstable = query_number(folder / "hone.db", "SELECT count(*) FROM attempts WHERE outcome = 'unstable'");
  EXPECT_GT(task["best_ms"], 0);
  if (unstable == 0) {
    EXPECT_GT(task["naive_ms"], 0);
    EXPECT_GT(task["seed_ms"], 0);
    EXPECT_LE(task["best_ms"], task["seed_ms"]);
  }
  EXPECT_NEAR(task["gflops"].get<double>(), 2.0 * 128 * 128 * 128 / task["best_ms"].get<double>() / 1e6, 1e-3);
  EXPECT_GT(result["trials_per_second"], 0);
  EXPECT_GT(result["stats"]["device_work_share"], 0);

  std::string db = folder / "hone.db";
  expect_sound(db);
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM trials"), 9);  // the yardstick and eight candidates
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM attempts WHERE origin = 'naive'"), 1);
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM attempts WHERE max_error > 1.2e-5"), 0);
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM jobs WHERE state = 'done'"), 1);
  int64_t trials = query_number(db, "SELECT count(*) FROM trials");

  HoneProcess second(tune(folder, {"--trials", "8"}));
  ASSERT_EQ(second.wait(std::chrono::seconds(120)), 0) << second.err();
  auto again = nlohmann::json::parse(second.out());
  EXPECT_EQ(again["tasks"][0]["trials"], 8);
  EXPECT_LE(again["trials_new"], given_up);
  if (unstable == 0) {
    // A leader that was measured in a slow state of the device is measured again; what is new is not.
    EXPECT_EQ(again["tasks"][0]["trials"], task["trials"]);
    EXPECT_EQ(query_number(db, "SELECT count(*) FROM trials"), trials);
  }
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM trials"), 9);
  // Once when it was proposed, and in the finals twice while they halve and once with the many samples: in one run nobody has more times than that.
  EXPECT_EQ(
      query_number(
          db, "SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 'ok' GROUP BY trial, job_id HAVING count(*) > 4)"),
      0);
}

// The steps of the clock by which all right attempts were timed; -1 where they differ.
int64_t clock_step_ns(const std::string& db) {
  const std::string steps = "FROM attempts WHERE outcome = 'ok' AND method = 'timestamp'";
  if (query_number(db, "SELECT count(DISTINCT clock_resolution_ns) " + steps) != 1) return -1;
  return query_number(db, "SELECT max(clock_resolution_ns) " + steps);
}

TEST(TuneChromium, TheClockIsTheOneThatUsersHaveOrTheLaunchersFineOne) {
  // Given Chromium without its developer features, and with them, when an operator is tuned, then each attempt is timed by timestamps, which step
  // as Chromium rounds them, or finely, each right one has a time, and the best is right and has the samples of the last round of the finals.
  for (const bool developer : {false, true}) {
    TempFolder folder;
    const HoneProcess::Config stock = tune(folder, {"--trials", "6"}, "matmul:64x64x64");
    HoneProcess run(developer ? with_developer_features(stock) : stock);
    const std::string db = folder / "hone.db";
    ASSERT_NE(expect_tuned(run, db, 6, "timestamp"), nullptr);
    const int64_t step_ns = clock_step_ns(db);
    if (developer) EXPECT_LT(step_ns, 1000);
    else EXPECT_TRUE(step_ns == 65'536 || step_ns == 100'000) << step_ns;
    EXPECT_GT(step_ns, 0);
    EXPECT_EQ(query_number(db, "SELECT count(*) FROM attempts WHERE outcome NOT IN ('ok', 'unstable')"), 0);
    EXPECT_GT(query_number(db,
                           "SELECT count(*) FROM attempts WHERE outcome = 'ok' AND origin = 'recheck' AND "
                           "json_array_length(samples_us) = 9 AND max_error <= 1.2e-5"),
              0);
  }
}

TEST(TuneChromium, AModelIsTunedTaskByTaskAndItsSumsAreThoseOfItsTasks) {
  // Given a small ResNet-18, when it is tuned with three trials a task, then every task has a right kernel with yardstick, seed and best,
  // the model's sums are those of its tasks with their uses, no task is slower than its seed, and a second run adds no trial.
  TempFolder folder;
  const std::string model = folder / "model.onnx";
  ASSERT_EQ(std::system((HONE_SOURCE "/scripts/gen_model resnet18 --size 32 --out " + model).c_str()), 0);
  HoneProcess::Config config = tune(folder, {"--trials", "3"});
  config.arguments[1] = model;
  config.arguments.erase(config.arguments.begin() + 2);
  HoneProcess first(config);
  ASSERT_EQ(first.wait(std::chrono::seconds(300)), 0) << first.err();
  const auto result = nlohmann::json::parse(first.out());
  EXPECT_GE(result["tasks"].size(), 15u);
  double naive_ms = 0, seed_ms = 0, best_ms = 0;
  for (const auto& task : result["tasks"]) {
    expect_no_fault_of_ours(task);
    EXPECT_GT(task["best_ms"], 0) << task["op"];
    if (task["seed_ms"] > 0) { EXPECT_LE(task["best_ms"], task["seed_ms"]) << task["op"]; }
    naive_ms += task["weight"].get<double>() * task["naive_ms"].get<double>();
    seed_ms += task["weight"].get<double>() * task["seed_ms"].get<double>();
    best_ms += task["weight"].get<double>() * task["best_ms"].get<double>();
  }
  const int64_t unstable = query_number(folder / "hone.db", "SELECT count(*) FROM attempts WHERE outcome = 'unstable'");
  if (unstable == 0) { EXPECT_NEAR(result["model_ms_before"].get<double>(), seed_ms, 1e-6 * seed_ms); }
  EXPECT_NEAR(result["model_ms_after"].get<double>(), best_ms, 1e-6 * best_ms);
  EXPECT_GT(naive_ms, best_ms);
  expect_sound(folder / "hone.db");
  const int64_t trials = query_number(folder / "hone.db", "SELECT count(*) FROM trials");
  HoneProcess second(config);
  ASSERT_EQ(second.wait(std::chrono::seconds(120)), 0) << second.err();
  if (unstable == 0) { EXPECT_EQ(query_number(folder / "hone.db", "SELECT count(*) FROM trials"), trials); }
}

// Fields of a protocol buffer shorter than 128 bytes.
std::string bytes(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}
std::string number(int number, int value) { return {static_cast<char>(number << 3), static_cast<char>(value)}; }

// A model of one node over rows of `columns` elements.
std::string one_node_model(const std::string& op, int rows, int columns) {
  std::string shape = bytes(1, number(1, rows)) + bytes(1, number(1, columns));
  auto value = [&](const std::string& name) {
    return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
  };
  std::string node = bytes(1, "x") + bytes(2, "y") + bytes(4, op);
  std::string graph = bytes(1, node) + bytes(2, "rows") + bytes(11, value("x")) + bytes(12, value("y"));
  return number(1, 8) + bytes(7, graph) + bytes(8, bytes(1, "") + number(2, 17));
}

TEST(TuneChromium, PartsOfReductionsAreJoinedOnTheDevice) {
  // Given a chain of reductions over rows, and a product of few outputs, when their experts' schedules are tried in the browser, then those
  // whose threads join their parts in workgroup memory compile there and compute what the definition says.
  TempFolder folder;
  std::ofstream(folder / "rows.onnx", std::ios::binary) << one_node_model("Softmax", 8, 64);
  for (const std::string& op : {std::string("rows.onnx"), std::string("matmul:1x32x4096")}) {
    HoneProcess run(tune(folder, {"--trials", "6"}, op));
    ASSERT_EQ(run.wait(std::chrono::seconds(120)), 0) << run.err();
    auto result = nlohmann::json::parse(run.out(), nullptr, false);
    ASSERT_TRUE(result.is_object()) << run.out();
    expect_no_fault_of_ours(result["tasks"][0]);
  }
  auto joined = [&](const std::string& place) {
    return query_number(
        folder / "hone.db",
        "SELECT count(*) FROM attempts JOIN trials USING (trial) WHERE outcome IN ('ok', 'unstable') AND "
        "trace_json LIKE '%rfactor%\"" +
            place + "\"]%'");
  };
  EXPECT_GT(joined("thread.x"), 0);
  EXPECT_GT(joined("thread.z"), 0);
  EXPECT_EQ(query_number(folder / "hone.db", "SELECT count(*) FROM attempts WHERE max_error > 1.2e-5"), 0);
}

}  // namespace
}  // namespace hone::e2e
