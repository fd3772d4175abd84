#include "tuner/records/json_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/cat.h"
#include "base/median.h"
#include "tuner/records/sql_store.h"

namespace hone::tuner {
namespace {

class JsonLinesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / cat("hone_lines_", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<RecordStore> open(const std::string& name) {
    auto store = open_record_store({.where = folder_ / name});
    EXPECT_TRUE(store.ok());
    return std::move(*store);
  }

  void fill(RecordStore& store) {
    ASSERT_TRUE(store.put_task({{1, 2}, "a task", "text of the task", 64}).ok());
    ASSERT_TRUE(store.put_device({"device-a", "webgpu", R"({"vendor":"x"})"}).ok());
    for (uint64_t i = 1; i <= 3; ++i) {
      Record r{.task_id = {1, 2},
               .device_key = "device-a",
               .source_hash = {3, i},
               .trace_json = R"({"version":1,"steps":[]})"};
      r.outcome = i == 3 ? ErrorCode::kTimeout : ErrorCode::kOk;
      r.message = "driver said \xff";  // not UTF-8
      if (i < 3) r.samples_us = {1.5 * static_cast<double>(i), 2};
      r.latency_us_median = median(r.samples_us);
      r.fingerprint_json = R"({"vendor":"x"})";
      r.recorded_unix_ms = 1700000000000 + static_cast<int64_t>(i);
      r.feature_version = 1;
      if (i > 1) r.predicted_us = 2.5, r.features = {0.5f, 3.1699f};  // the first is as an older hone wrote it
      r.agent = "agent-1";
      if (i == 2) r.cache = CacheState::kModel, r.other_us = 1.25;
      store.insert(r);
    }
    ASSERT_TRUE(store.flush().ok());
  }

  static std::string text_of(RecordStore& store) {
    std::ostringstream out;
    EXPECT_TRUE(export_json_lines(store, {}, out).ok());
    return out.str();
  }

  static std::string without_agents(std::string text) {
    for (const char* agent : {R"(,"agent":"agent-1")", R"(,"agent":"import:from.jsonl")"})
      for (size_t at; (at = text.find(agent)) != std::string::npos;) text.erase(at, std::strlen(agent));
    return text;
  }

  std::filesystem::path folder_;
};

TEST_F(JsonLinesTest, ImportIsTheInverseOfExport) {
  // Given exported records, when they are imported twice into another store, then its export is the same text, but for whose they
  // are, and the second time none of them is new.
  auto from = open("from.db"), into = open("into.db");
  fill(*from);
  std::string text = text_of(*from);
  for (int round = 0; round < 2; ++round) {
    std::istringstream in(text);
    auto report = import_json_lines(in, "from.jsonl", *into);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->records, 3);
    EXPECT_EQ(report->added, round == 0 ? 3 : 0);
    EXPECT_EQ(report->bad_lines, 0);
  }
  EXPECT_EQ(without_agents(text_of(*into)), without_agents(text));
  auto known = into->known_trials({1, 2}, "device-a");
  ASSERT_TRUE(known.ok());
  EXPECT_EQ((*known)[0].features, std::vector<float>());
  EXPECT_EQ((*known)[1].features, (std::vector<float>{0.5f, 3.1699f}));
  EXPECT_DOUBLE_EQ((*known)[1].predicted_us, 2.5);
}

TEST_F(JsonLinesTest, ADamagedLineCostsOnlyItself) {
  // Given lines of which one is torn and one lacks a field, when imported, then the rest is stored and the first error has its line's number.
  auto from = open("from.db"), into = open("into.db");
  fill(*from);
  std::istringstream lines(text_of(*from));
  std::string first, second, third;
  std::getline(lines, first);
  std::getline(lines, second);
  std::getline(lines, third);
  second.replace(second.find("\"method\""), 8, "\"metho_\"");
  std::istringstream in(cat(first, "\n", second, "\n", third.substr(0, third.size() / 2)));
  auto report = import_json_lines(in, "from.jsonl", *into);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->records, 1);
  EXPECT_EQ(report->bad_lines, 2);
  EXPECT_EQ(report->first_error, "line 2: the field method is missing or of another type");
}

TEST_F(JsonLinesTest, ALineThatNobodyMeasuredIsRefused) {
  // Given lines with times and numbers that no measurement gives, with nested JSON, and with ids that are none, when they are imported, then each
  // is refused with one short sentence, and the sound line beside them is stored, as the import's own.
  auto from = open("from.db");
  fill(*from);
  const std::string sound = text_of(*from).substr(0, text_of(*from).find('\n'));
  const std::string deep(100'000, '['), ends(100'000, ']');
  for (const auto& [old, by] :
       {std::pair<std::string, std::string>{R"("samples_us":[1.5,2.0])", R"("samples_us":[-1.5,2.0])"},
        {R"("samples_us":[1.5,2.0])", R"("samples_us":[0,2.0])"},
        {R"("samples_us":[1.5,2.0])", R"("samples_us":[0.001,0.001])"},
        {R"("samples_us":[1.5,2.0])", R"("samples_us":[1e300])"},
        {R"("samples_us":[1.5,2.0])", R"("samples_us":[])"},
        {R"("samples_us":[1.5,2.0])", R"("samples_us":{"a":1})"},
        {R"("flops":64.0)", R"("flops":1e15)"},
        {R"("flops":64.0)", R"("flops":-1)"},
        {R"("attempt":0)", R"("attempt":-1)"},
        {R"("attempt":0)", R"("attempt":4294967296)"},
        {R"("attempt":0)", R"("attempt":0.5)"},
        {R"("repeats":0)", R"("repeats":-3)"},
        {R"("task":"0)", R"("task":"x)"},
        {R"("source":"0)", R"("source":"X)"},
        {R"("target":"webgpu")", R"("target":"abacus")"},
        {R"("trace":{)", R"("trace":{"a":)" + deep + ends + ","},
        {R"("fingerprint":{)", R"("fingerprint":{"a":)" + deep + ends + ","},
        {R"("message":")", R"("message":")" + std::string(5 << 20, 'x')}}) {
    std::filesystem::remove(folder_ / "into.db");
    auto into = open("into.db");
    std::string bad = sound;
    ASSERT_NE(bad.find(old), std::string::npos) << old << " in " << bad;
    bad.replace(bad.find(old), old.size(), by);
    std::istringstream in(cat(bad, "\n", sound, "\n"));
    auto report = import_json_lines(in, "a.jsonl", *into);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->bad_lines, 1) << by.substr(0, 60);
    EXPECT_EQ(report->records, 1) << by.substr(0, 60);
    EXPECT_EQ(report->first_error.rfind("line 1: ", 0), 0u);
    EXPECT_LT(report->first_error.size(), 200u) << report->first_error;
    EXPECT_EQ(into->agents().value(), std::vector<std::string>{"import:a.jsonl"});
  }
}

TEST_F(JsonLinesTest, TheMedianFollowsFromTheSamples) {
  // Given a line that says a better median than its samples give, when it is imported, then the time is that of the samples.
  auto from = open("from.db"), into = open("into.db");
  fill(*from);
  std::string line = text_of(*from).substr(0, text_of(*from).find('\n'));
  const std::string median = R"("latency_us_median":1.75)";
  ASSERT_NE(line.find(median), std::string::npos) << line;
  line.replace(line.find(median), median.size(), R"("latency_us_median":0.2)");
  std::istringstream in(line);
  ASSERT_EQ(import_json_lines(in, "a.jsonl", *into)->records, 1);
  EXPECT_DOUBLE_EQ((*into->known_trials({1, 2}, "device-a"))[0].latency_us, 1.75);
}

TEST_F(JsonLinesTest, NoFileConfirmsAnything) {
  // Given a kernel that was measured here, when a file with 4096 samples of it claims to be a canary, another agent of another token, and confirmed, then the import
  // keeps its device and lease, vouches for nothing, and neither its time nor its word counts of the kernel.
  auto store = open("a.db");
  fill(*store);
  Record crafted;
  ASSERT_TRUE(store->list({}, [&crafted](const Record& one) {
    if (one.source_hash.lo == 1) crafted = one;
    return ok_status();
  }).ok());
  crafted.attempt = 1;
  crafted.agent = "agent-2";
  crafted.device = "device-2";
  crafted.lease_id = "lease-2";
  crafted.enrolment = "token-2";
  crafted.trusted = true;
  crafted.standing = Standing::kConfirmed;
  crafted.samples_us.assign(4096, 1.0);
  std::istringstream in(record_to_json(crafted, {{1, 2}, "a task", "text of the task", 64}, "webgpu"));
  ASSERT_EQ(import_json_lines(in, "crafted.jsonl", *store)->added, 1);
  ASSERT_TRUE(store->list({}, [](const Record& one) {
    EXPECT_EQ(one.standing, Standing::kUnconfirmed);
    if (one.attempt == 0) return ok_status();
    EXPECT_EQ(one.agent, "import:crafted.jsonl");
    EXPECT_EQ(one.device, "device-2");
    EXPECT_EQ(one.lease_id, "lease-2");
    EXPECT_EQ(one.enrolment, "");
    EXPECT_FALSE(one.trusted);
    return ok_status();
  }).ok());
  EXPECT_DOUBLE_EQ((*store->known_trial({1, 2}, "device-a", {3, 1}))->latency_us, 1.75);
}

TEST_F(JsonLinesTest, MergeLeavesTrustBehind) {
  // Given a canary's time, when its database is merged into another, then that is unconfirmed there, with its agent, lease and token; copied for reading, it is
  // what it was.
  auto from = open("from.db"), into = open("into.db"), copy = open("copy.db");
  fill(*from);
  Record canary;
  ASSERT_TRUE(from->list({}, [&canary](const Record& one) {
    if (one.source_hash.lo == 1) canary = one;
    return ok_status();
  }).ok());
  canary.attempt = 1;
  canary.lease_id = "lease-1";
  canary.enrolment = "token-1";
  canary.trusted = true;
  from->insert(canary);
  ASSERT_TRUE(from->flush().ok());
  ASSERT_TRUE(merge_records(*from, *into).ok());
  std::istringstream in(text_of(*from));
  ASSERT_TRUE(copy_json_lines(in, *copy).ok());
  EXPECT_EQ((*from->known_trial({1, 2}, "device-a", {3, 1}))->standing, Standing::kConfirmed);
  EXPECT_EQ((*copy->known_trial({1, 2}, "device-a", {3, 1}))->standing, Standing::kConfirmed);
  EXPECT_EQ((*into->known_trial({1, 2}, "device-a", {3, 1}))->standing, Standing::kUnconfirmed);
  EXPECT_NE(text_of(*into).find(R"("lease":"lease-1","enrolment":"token-1")"), std::string::npos);
}

TEST_F(JsonLinesTest, MergeBringsTwoStoresTogether) {
  // Given a full and an empty store, when merged twice, then both hold the same.
  auto from = open("from.db"), into = open("into.db");
  fill(*from);
  for (int round = 0; round < 2; ++round) {
    const auto report = merge_records(*from, *into);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->added, round == 0 ? report->records : 0);
  }
  EXPECT_EQ(text_of(*into), text_of(*from));
}

}  // namespace
}  // namespace hone::tuner
