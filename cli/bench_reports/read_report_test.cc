// Reports that are none, and the page's data.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/bench_reports/example.h"
#include "cli/bench_reports/formats.h"

namespace hone::bench_reports {
namespace {

using nlohmann::json;

std::string message_of(const json& report) {
  const auto read = read_bench_report(report.dump());
  return read.ok() ? "" : read.error().message;
}

json example() { return json::parse(text_of("golden/report.json")); }

TEST(ReadReport, WhatNobodyCanMeanIsRefused) {
  // Given a sound report with one thing wrong, when it is read, then the message has the place and what is wrong; the sound one is read.
  EXPECT_EQ(message_of(example()), "");
  const std::pair<const char*, std::pair<json, const char*>> wrong[] = {
      {"/format", {"hone.manifest", "expected hone.bench_report"}},
      {"/cases/0/results/0/new_times/median_ms", {-1, "cases[0].results[0].new_times: expected a number above 0"}},
      {"/cases/0/results/0/old_times/samples_ms/3", {0, "old_times.samples_ms"}},
      {"/cases/0/results/0/comparison/ratio", {0, "comparison.ratio: expected a number above 0"}},
      {"/cases/0/results/0/comparison/ratio_low", {2, "the low end of the interval lies above its high end"}},
      {"/cases/0/results/0/comparison/verdict", {"great", "verdict"}},
      {"/cases/0/results/0/comparison/p_value", {1.5, "p_value"}},
      {"/cases/1/name", {"matmul_512", "a second case of the name matmul_512"}},
      {"/started_unix_ms", {9'007'199'254'740'991, "before the year 10000"}},
      {"/took_ms", {-1, "took_ms"}},
      {"/took_ms", {1e300, "took_ms: expected less than a year"}},
      {"/cases/0/results/0/new_times/p90_ms", {1e300, "new_times: expected less than a year"}},
      {"/fail_above", {-0.5, "fail_above: expected a share"}},
      {"/cases/0/mean/ratio", {-1, "cases[0].mean"}},
      {"/cases/0/classes/0/ratio", {0, "cases[0].classes"}},
      {"/cases/0/name", {std::string(1025, 'x'), "1025 bytes exceed the limit of 1024"}},
      {"/cases", {5, "cases"}},
  };
  for (const auto& [place, change] : wrong) {
    json report = example();
    report[json::json_pointer(place)] = change.first;
    EXPECT_NE(message_of(report).find(change.second), std::string::npos) << place << ": " << message_of(report);
  }
}

TEST(ReadReport, StatesMustFitWhatIsThere) {
  // Given results whose state and times contradict each other, when they are read, then they are refused.
  for (const auto& [change, said] :
       {std::pair{R"([{"op":"remove","path":"/cases/0/results/0/new_times"}])", "called measured and has no times"},
        {R"([{"op":"remove","path":"/cases/0/results/0/device"}])", "names no device"},
        {R"([{"op":"replace","path":"/cases/0/results/0/state","value":"skipped"}])",
         "was not measured, and has a comparison"}})
    EXPECT_NE(message_of(example().patch(json::parse(change))).find(said), std::string::npos) << said;
}

TEST(ReadReport, BytesThatAreNoReport) {
  // Given bytes that are no JSON, JSON of another form, numbers beyond all bounds, deep nesting, or each beginning of a sound report, when they are read, then each is an error and none ends the process.
  const std::string sound = text_of("golden/report.json");
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("\"x\""), std::string("{}"),
        std::string(1, '\0'), std::string("{\"format\":1}"), std::string(100'000, '['), sound + "x"})
    EXPECT_FALSE(read_bench_report(text).ok()) << text.substr(0, 20);
  for (size_t bytes = 0; bytes + 2 < sound.size(); bytes += 97)
    EXPECT_FALSE(read_bench_report(sound.substr(0, bytes)).ok()) << bytes;
  std::string infinite = sound;
  infinite.replace(infinite.find("\"took_ms\": 95000"), 16, "\"took_ms\": 1e9999");
  EXPECT_FALSE(read_bench_report(infinite).ok());
}

TEST(ReadReport, ALaterVersionIsNamed) {
  // Given a report of version 2, when it is read, then both versions are named.
  json report = example();
  report["version"] = 2;
  const auto read = read_bench_report(report.dump());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kVersionMismatch);
  EXPECT_EQ(read.error().message,
            "the report has version 2, and this hone reads version 1; take the hone that wrote it");
}

TEST(PageData, AreSmallAndLeaveTheirElementsAlone) {
  // Given names that would end a script or open a comment, and a report of 500 cases on 20 devices with 240 samples each side, when the page's data are made, then there is no "<" in them,
  // each row has its line of samples, and the data shown at once have less than 200 bytes a row.
  const std::vector<protocol::BenchReport> hostile{example_report()};
  const PageData small = page_data(hostile);
  EXPECT_EQ(small.json.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(small.json)["cases"][3]["name"], hostile[0].cases[3].name);
  EXPECT_EQ(small.samples.find('<'), std::string::npos);
  const std::vector<protocol::BenchReport> many{large_report(500, 20, 240)};
  const PageData large = page_data(many);
  EXPECT_EQ(std::count(large.samples.begin(), large.samples.end(), '\n'), 10'000);
  EXPECT_LT(large.json.size(), 10'000u * 200);
  EXPECT_LT(large.samples.size(), 10'000u * (2 * kSamplesShownMax * 2 * 4 / 3 + 60));
}

TEST(PageData, HistoryIsByCaseAndClass) {
  // Given two reports, the later one first, when the page's data are made, then the later is shown, and each case has a point per report and class, in the order of time.
  std::vector<protocol::BenchReport> reports{example_report(), example_report()};
  reports[1].started_unix_ms -= 86'400'000;
  reports[1].cases[0].results[0].device->browser = "chromium 139";
  reports[1].cases[0].results[0].new_times->median_ms = 0.75;
  const json data = json::parse(page_data(reports).json);
  EXPECT_EQ(data["started_unix_ms"], reports[0].started_unix_ms);
  EXPECT_EQ(data["history"]["reports"].size(), 2u);
  const json wanted = json::parse(R"([[0, 0.75, ["chromium 139"]], [1, 0.5005, ["chromium 140.0.7300.1"]]])");
  EXPECT_EQ(data["history"]["cases"]["matmul_512"][0][1], wanted);
  EXPECT_EQ(json::parse(page_data({reports.data(), 1}).json)["history"], json());
}

TEST(HtmlReport, NeedsAWholePage) {
  // Given a folder without a page, a page without places for data, and one with them, when a report is written, then the first two are errors that say what helps, and the third has the data in it.
  const auto folder = std::filesystem::temp_directory_path() / cat("hone_report_page_", getpid());
  std::filesystem::create_directories(folder);
  setenv("HONE_REPORT_DIR", folder.c_str(), 1);
  EXPECT_NE(report_text(example_report(), ReportFormat::kHtml)
                .error()
                .message.find("cannot be read; scripts/build makes it again"),
            std::string::npos);
  std::ofstream(folder / "report.html") << "<p>";
  EXPECT_NE(report_text(example_report(), ReportFormat::kHtml).error().message.find("is not whole"), std::string::npos);
  std::ofstream(folder / "report.html") << "<!-- data -->|<!-- samples -->";
  const auto page = report_text(example_report(), ReportFormat::kHtml);
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(page->find("<script type=\"application/json\" id=\"report\">{"), 0u);
  EXPECT_EQ(page->find("<!--"), std::string::npos);
  unsetenv("HONE_REPORT_DIR");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hone::bench_reports
