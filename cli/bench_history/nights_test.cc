#include "cli/bench_history/nights.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/bench_history/example.h"

namespace hone::bench_history {
namespace {

TEST(Nights, AFolderHasReportsAndNights) {
  // Given a folder with a report, one in a folder beside its builds, and other files, when it is read, and the report is named besides, then both are read, each once, with what they say of time, device and build.
  const ScratchFolder folder("nights");
  const std::string first = folder.write("first.json", report_of({night(0, 2)}));
  folder.write("second/report.json", report_of({night(1, 3, kPhone)}));
  folder.write("second/builds/mnist/manifest.json", std::string("{}"));
  folder.write("notes.txt", std::string("no report"));
  const auto nights = read_nights({folder.path.string(), first});
  ASSERT_TRUE(nights.ok()) << nights.error().message;
  EXPECT_EQ(nights->reports, 2u);
  EXPECT_TRUE(nights->skipped.empty());
  ASSERT_EQ(nights->readings.size(), 2u);
  const Reading& reading = nights->readings[0];
  EXPECT_EQ(reading.case_name, "mnist");
  EXPECT_EQ(reading.device_key, kDesk);
  EXPECT_EQ(reading.device_text, "desk");
  EXPECT_EQ(reading.browser, "chromium 140");
  EXPECT_EQ(reading.driver, "31.0");
  EXPECT_EQ(reading.build, "build 0");
  EXPECT_EQ(reading.night_unix_ms, kFirstNight_unix_ms);
  EXPECT_EQ(reading.file, first);
  EXPECT_EQ(nights->readings[1].device_key, kPhone);
}

TEST(Nights, WhatIsNoReportIsNamedAndLeftOut) {
  // Given a sound report among bytes that are none, one cut short, one of a later version, a folder that is called one, and a pipe, when they are read, then the sound one counts, and each other file that could be one is
  // named with what is wrong with it; nothing waits for the pipe.
  const ScratchFolder folder("hostile");
  const std::string sound = *bench_reports::report_text(report_of({night(0, 2)}), bench_reports::ReportFormat::kJson);
  folder.write("a.json", sound);
  folder.write("b.json", std::string(100'000, '['));
  folder.write("c.json", sound.substr(0, sound.size() / 2));
  std::string later = sound;
  later.replace(later.find("\"version\":1"), 11, "\"version\":9");
  folder.write("d.json", later);
  folder.write("e.json", std::string());
  std::filesystem::create_directories(folder.path / "f.json");
  ASSERT_EQ(::mkfifo((folder.path / "g.json").c_str(), 0600), 0);
  const auto nights = read_nights({folder.path.string(), (folder.path / "g.json").string()});
  ASSERT_TRUE(nights.ok()) << nights.error().message;
  EXPECT_EQ(nights->reports, 1u);
  EXPECT_EQ(nights->readings.size(), 1u);
  ASSERT_EQ(nights->skipped.size(), 5u);
  EXPECT_NE(nights->skipped[0].find("b.json: "), std::string::npos) << nights->skipped[0];
  EXPECT_NE(nights->skipped[4].find("g.json: it is no file"), std::string::npos) << nights->skipped[4];
}

TEST(Nights, AFingerprintIsAnybodysWords) {
  // Given reports whose fingerprints are no objects, or have a driver that is no text, when they are read, then the driver is not told; one that is text is.
  for (const nlohmann::json& fingerprint : {nlohmann::json(), nlohmann::json::array({1}), nlohmann::json{{"driver", 7}}, nlohmann::json("x")}) {
    protocol::BenchReport report = report_of({night(0, 2)});
    report.cases[0].results[0].device->fingerprint = fingerprint;
    EXPECT_EQ(readings_of(report, "f").front().driver, "") << fingerprint;
  }
  EXPECT_EQ(readings_of(report_of({night(0, 2)}), "f").front().driver, "31.0");
}

TEST(Nights, APlaceThatIsNotThere) {
  // Given a name that nothing has, when it is read, then the error has it, and what to give; an empty folder is a history of none.
  const auto missing = read_nights({"/no/such/nights"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("/no/such/nights is not there; give reports"), std::string::npos);
  const ScratchFolder folder("empty");
  const auto none = read_nights({folder.path.string()});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->reports, 0u);
}

}  // namespace
}  // namespace hone::bench_history
