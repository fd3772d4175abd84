// What hone prints with --json, against the schemas of schema/cli.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/json_schema.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

// A database with the records of an operator and of a model, made once for all tests.
class Json : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new TempFolder;
    const std::string line =
        std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + (*folder / "m.onnx");
    ASSERT_EQ(std::system(line.c_str()), 0);
    tuned = expect_schema(*folder, "tune", {"tune", "--op", "matmul:64x64x64", "--trials", "3", "--target", "native"});
  }
  static void TearDownTestSuite() { delete std::exchange(folder, nullptr); }

  static inline TempFolder* folder = nullptr;
  static inline std::string tuned;
};

TEST_F(Json, OfWhatRunsKernelsIsAsItsSchemaSays) {
  // Given a device, when an operator is tuned and a model is run, timed and verified, then each output has the keys of its schema and no others.
  const std::string model = *folder / "m.onnx";
  EXPECT_EQ(nlohmann::json::parse(tuned)["tasks"][0]["trials_new"], 3);
  const auto on_device = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--target", "native"});
    return arguments;
  };
  expect_schema(*folder, "tune", on_device({"tune", model, "--trials", "1", "--time", "3"}));
  const auto run = nlohmann::json::parse(expect_schema(*folder, "run", on_device({"run", model, "--check"})));
  EXPECT_EQ(run["schedules"].size(), 3u);
  expect_schema(*folder, "run", on_device({"run", model, "--nodes"}));
  expect_schema(*folder, "bench", on_device({"bench", model, "--runs", "2", "--launches"}));
  expect_schema(*folder, "bench", on_device({"bench", model, "--runs", "1", "--schedule", "seed"}));
  expect_schema(*folder, "bench_schedules",
                on_device({"bench", model, "--task", "softmax", "--schedules", "seed,naive", "--rounds", "3"}));
  expect_schema(*folder, "verify",
                on_device({"verify", "/usr/share/libonnx-testdata/data/node/test_where_example",
                           "/usr/share/libonnx-testdata/data/node/test_nonmaxsuppression_two_classes"}));
}

TEST_F(Json, OfAHistoryIsAsItsSchemaSays) {
  // Given thirty nights, the last fifteen slower and the last two with another browser, when their history is asked for, then the output is as its schema says, and so is that of a suspicion which cannot be confirmed.
  nlohmann::json night = nlohmann::json::parse(std::ifstream(std::string(HONE_SOURCE) + "/cli/bench_reports/golden/report.json"));
  std::filesystem::create_directories(*folder / "nights");
  for (int i = 0; i < 30; ++i) {
    auto& result = night["cases"][0]["results"][0];
    night["started_unix_ms"] = 1'796'000'000'000 + 86'400'000ll * i;
    result["started_unix_ms"] = night["started_unix_ms"];
    result["new_times"]["median_ms"] = (i < 15 ? 1.0 : 1.2) + 0.001 * (i % 3);
    if (i == 28) result["device"]["browser"] = "chromium 141";
    std::ofstream(*folder / ("nights/" + std::to_string(i) + ".json")) << night;
  }
  const auto history = nlohmann::json::parse(expect_schema(*folder, "bench_history", {"bench", "history", *folder / "nights"}));
  EXPECT_EQ(history["changes"].size(), 2u);
  const auto confirmed = nlohmann::json::parse(expect_schema(*folder, "bench_history", {"bench", "history", *folder / "nights", "--confirm"}));
  EXPECT_EQ(confirmed["changes"][0]["confirmation"]["confirmed"], "unknown");
}

TEST_F(Json, OfAnExportIsAsItsSchemaSays) {
  // Given a model, when it is exported with records and without, then the output is as its schema says.
  const std::string model = *folder / "m.onnx";
  expect_schema(*folder, "export", {"export", model, "--out", *folder / "package"});
  expect_schema(*folder, "export",
                {"export", model, "--out", *folder / "half", "--targets", "wasm", "--weights", "f16"});
  const auto native = nlohmann::json::parse(
      expect_schema(*folder, "export", {"export", model, "--out", *folder / "c", "--targets", "native"}));
  ASSERT_EQ(native["plans"].size(), 4u);
  EXPECT_EQ(native["plans"][0]["made_for"], "x86_64_v4");
  EXPECT_GT(native["plans"][0]["memory_bytes"], 0);
}

TEST_F(Json, OfTheRecordsIsAsItsSchemaSays) {
  // Given records, when they are listed, exported, read back, merged, collected, counted and reported, then each output is as its schema says, and
  // each exported line, too.
  expect_schema(*folder, "records_list", {"records", "list"});
  expect_schema(*folder, "records_best", {"records", "best"});
  expect_schema(*folder, "records_report", {"records", "report"});
  const std::string lines = *folder / "lines.jsonl";
  HoneProcess exported(hone_in(*folder, {"records", "export", "--out", lines}));
  ASSERT_EQ(exported.wait(seconds(30)), 0) << exported.err();
  std::string first;
  std::getline(std::ifstream(lines) >> std::ws, first);
  EXPECT_EQ(faults_by_schema(*folder, "record", first), "");
  expect_schema(*folder, "records_import", {"records", "import", lines, "--db", "other.db"});
  std::ofstream(lines, std::ios::app) << "{}\n";
  expect_schema(*folder, "records_import", {"records", "import", lines, "--db", "other.db"}, 1);
  expect_schema(*folder, "records_merge", {"records", "merge", "other.db", "--db", "merged.db"});
  expect_schema(*folder, "records_gc", {"records", "gc", "--older-than", "1", "--db", "merged.db"});
  expect_schema(*folder, "records_forget", {"records", "forget", "--dry-run", "--before", "2020-01-01"});
}

TEST_F(Json, OfTheCompilerIsAsItsSchemaSays) {
  // Given an operator, when each stage is dumped, then the output is as the schema says.
  for (const char* stage : {"graph", "passes", "te", "space", "schedule", "ir", "source"})
    expect_schema(*folder, "compile", {"compile", "--op", "matmul:8x8x8", "--dump", stage});
  expect_schema(*folder, "compile", {"compile", "--op", "matmul:8x8x8", "--target", "wasm"});
  expect_schema(*folder, "operators", {"operators"});
}

TEST_F(Json, OfTheServiceIsAsItsSchemaSays) {
  // Given a service on a database that remembers a device, when it says where it is and which devices there are, then both are as the schemas say.
  HoneProcess up(hone_in(*folder, {"up", "--port", "0", "--json"}));
  ASSERT_TRUE(wait_until(seconds(20), [&] { return up.out().find('\n') != std::string::npos; })) << up.err();
  EXPECT_EQ(faults_by_schema(*folder, "up", up.out()), "") << up.out();
  const std::string url = nlohmann::json::parse(up.out())["url"];
  HoneProcess agent(hone_in(*folder, {"agent", "--browser", "native", "--tracker", url}));
  const auto list = [&] { return expect_schema(*folder, "devices", {"devices", "--all", "--tracker", url}); };
  EXPECT_TRUE(wait_until(seconds(40), [&] { return list().find("\"ready\"") != std::string::npos; })) << agent.err();
  const std::string device = nlohmann::json::parse(list())["devices"][0]["device_id"];
  for (const char* verb : {"drain", "quarantine", "resume"}) expect_schema(*folder, "devices_manage", {"devices", verb, device, "--tracker", url});
  expect_schema(*folder, "devices_show", {"devices", "show", device, "--tracker", url});
  expect_schema(*folder, "enroll", {"enroll", "--tracker", url});
  const auto made = nlohmann::json::parse(
      expect_schema(*folder, "tokens_create", {"tokens", "create", "--role", "submitter", "--name", "ann", "--tracker", url}));
  const std::string id = made["token_id"];
  expect_schema(*folder, "tokens_create", {"tokens", "rotate", id, "--out", *folder / "ann.token", "--tracker", url});
  expect_schema(*folder, "tokens_revoke", {"tokens", "revoke", id, "--tracker", url});
  expect_schema(*folder, "tokens_list", {"tokens", "list", "--tracker", url});
  for (const char* verb : {"init", "renew", "show"}) expect_schema(*folder, "tls", {"tls", verb});
}

TEST_F(Json, OfTheDoctorIsAsItsSchemaSays) {
  // Given this machine, when it is looked at, then what is found is told as the schema says, whatever is missing.
  HoneProcess doctor(hone_in(*folder, {"doctor", "--json"}));
  EXPECT_GE(doctor.wait(seconds(60)), 0);
  EXPECT_EQ(faults_by_schema(*folder, "doctor", doctor.out()), "") << doctor.out();
}

TEST_F(Json, ThatDoesNotFitIsRefused) {
  // Given an output that fits its schema, when a key is missing, one more is there, or a value has another type, deep down or on top, then it
  // fits no longer.
  const auto good = nlohmann::json::parse(tuned);
  ASSERT_EQ(faults_by_schema(*folder, "tune", good.dump()), "");
  auto missing = good, more = good, other = good, device = good;
  missing["tasks"][0].erase("trials_new");
  more["surprise"] = 1;
  other["wall_s"] = "long";
  device["device"]["key"] = "short";
  for (const auto& bad : {missing, more, other, device})
    EXPECT_NE(faults_by_schema(*folder, "tune", bad.dump()), "") << bad.dump();
}

}  // namespace
}  // namespace hone::e2e
