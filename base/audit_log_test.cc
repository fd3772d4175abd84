#include "base/audit_log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/log.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class AuditLogTest : public ::testing::Test {
 protected:
  AuditLogTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~AuditLogTest() override { fs::remove_all(folder_); }

  std::vector<nlohmann::json> lines(const std::string& path) const {
    std::ifstream file(path);
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(file, line);) {
      auto json = parse_json(line);
      EXPECT_TRUE(json.ok()) << line;
      all.push_back(json.ok() ? *json : nlohmann::json());
    }
    return all;
  }

  const std::string folder_ = fs::temp_directory_path() / cat("hone_audit_", getpid());
  const std::string path_ = folder_ + "/farm.audit.jsonl";
  FakeClock clock_{std::chrono::milliseconds(1'700'000'000'123)};
};

TEST_F(AuditLogTest, EachEventIsALineThatItsOwnerAloneReads) {
  // Given an audit log, when events are told, one with a name that would act on a terminal or end the line, then each is a JSON object on one line,
  // with its time and fields, and the file has the mode 0600; an AuditLog without a file keeps nothing.
  AuditLog log({.path = path_}, clock_);
  log.tell("device_labelled", {{"user", "tess"}, {"label", "evil\n{\"event\":\"x\"}\x1b[2J\u202e\xff"}});
  log.tell("service_stopped", {});
  AuditLog({}, clock_).tell("service_started", {});
  const auto all = lines(path_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["time"], "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(all[0]["event"], "device_labelled");
  EXPECT_EQ(all[0]["user"], "tess");
  EXPECT_EQ(all[0]["label"].get<std::string>().find("evil\n{"), 0u);
  EXPECT_EQ(all[1]["event"], "service_stopped");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(AuditLogTest, FullFilesAreKeptUpToANumber) {
  // Given files of 200 bytes of which two full ones are kept, when a hundred lines are told, then there are three files, none is longer, each line is
  // whole, and the latest ones are there in their order.
  AuditLog log({.path = path_, .bytes_max = 200, .kept = 2}, clock_);
  for (int i = 0; i < 100; ++i) log.tell("job_ended", {{"job", cat("tune-", i)}});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);
  std::vector<std::string> jobs;
  for (const std::string& file : {path_ + ".2", path_ + ".1", path_}) {
    EXPECT_LE(fs::file_size(file), 200u);
    for (const auto& line : lines(file)) jobs.push_back(line["job"]);
  }
  ASSERT_FALSE(jobs.empty());
  for (size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(jobs[i], cat("tune-", 100 - jobs.size() + i));
}

TEST_F(AuditLogTest, ThreadsDoNotMixTheirLines) {
  // Given four threads, when each tells a hundred events, also while files become full, then all lines are whole.
  AuditLog log({.path = path_, .bytes_max = 8'000, .kept = 8}, clock_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log] {
      for (int i = 0; i < 100; ++i) log.tell("agent_enrolled", {{"agent", std::string(20, 'a')}});
    });
  for (std::thread& thread : threads) thread.join();
  size_t count = 0;
  for (const auto& file : fs::directory_iterator(folder_)) count += lines(file.path().string()).size();
  EXPECT_EQ(count, 400u);
}

TEST_F(AuditLogTest, ADiskThatTakesNothingCostsOneWarning) {
  // Given a disk that takes only a part of a line, when events are told, then none throws or stops anything, no half line stays, and once the disk
  // takes lines again they are there.
  std::signal(SIGXFSZ, SIG_IGN);
  AuditLog log({.path = path_}, clock_);
  log.tell("service_started", {});
  const auto size = fs::file_size(path_);
  rlimit before{}, full{};
  getrlimit(RLIMIT_FSIZE, &before);
  full = before;
  full.rlim_cur = size + 5;
  setrlimit(RLIMIT_FSIZE, &full);
  std::ostringstream said;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(said);
  spdlog::default_logger()->sinks().push_back(sink);
  for (int i = 0; i < 3; ++i) log.tell("job_submitted", {{"job", "lost"}});
  spdlog::default_logger()->sinks().pop_back();
  setrlimit(RLIMIT_FSIZE, &before);
  const std::string warnings = said.str();
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << warnings;
  EXPECT_EQ(fs::file_size(path_), size);
  log.tell("job_submitted", {{"job", "kept"}});
  const auto all = lines(path_);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1]["job"], "kept");
}

TEST_F(AuditLogTest, WhatIsNoFileIsLeftAlone) {
  // Given a link, a pipe or a folder in the place of the file, when an event is told, then nothing is written through it, and nothing hangs.
  fs::create_symlink(folder_ + "/elsewhere", path_);
  AuditLog log({.path = path_}, clock_);
  log.tell("service_started", {});
  EXPECT_FALSE(fs::exists(folder_ + "/elsewhere"));
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  log.tell("service_started", {});
  fs::remove(path_);
  fs::create_directory(path_);
  log.tell("service_started", {});
  EXPECT_TRUE(fs::is_empty(path_));
}

}  // namespace
}  // namespace hone
