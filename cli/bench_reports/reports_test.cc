// Reports in each format: golden text of one that holds everything, names that mean harm, none, and many.
#include "cli/bench_reports/reports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/printable_text.h"
#include "cli/bench_reports/example.h"

namespace hone::bench_reports {
namespace {

struct Golden {
  ReportFormat format;
  const char* file;
};
constexpr Golden kGolden[] = {{ReportFormat::kJunit, "golden/junit.xml"},
                              {ReportFormat::kMarkdown, "golden/markdown.md"},
                              {ReportFormat::kBmf, "golden/bmf.json"},
                              {ReportFormat::kGithub, "golden/github.txt"}};

std::string text_in(ReportFormat format, const protocol::BenchReport& report) {
  auto text = report_text(report, format);
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

// What xmllint finds wrong with it by junit.xsd; "" where nothing is.
std::string faults_in_junit(const std::string& xml) {
  const std::string file = cat(std::filesystem::temp_directory_path().string(), "/hone_junit_", getpid(), ".xml"),
                    found = file + ".txt";
  std::ofstream(file) << xml;
  const int code = std::system(
      cat("xmllint --noout --nonet --schema " HONE_REPORTS_DIR "/junit.xsd ", file, " >", found, " 2>&1").c_str());
  std::ostringstream said;
  said << std::ifstream(found).rdbuf();
  std::filesystem::remove(file);
  std::filesystem::remove(found);
  return code == 0 ? "" : said.str() + "?";
}

TEST(Reports, AreAsTheGoldenTextsSay) {
  // Given a report with each verdict, a failure, a skip and hostile names, when it is written in each format, then the text is the golden one (HONE_UPDATE_GOLDEN
  // rewrites it).
  for (const auto& [format, file] : kGolden) {
    const std::string text = text_in(format, example_report());
    if (std::getenv("HONE_UPDATE_GOLDEN")) std::ofstream(cat(HONE_REPORTS_DIR "/", file)) << text;
    EXPECT_EQ(text, text_of(file)) << file;
  }
}

TEST(Reports, JsonIsReadAsItWasWritten) {
  // Given a report, when it is written as JSON and read, then it is the same.
  const std::string json = text_in(ReportFormat::kJson, example_report());
  const auto again = read_bench_report(json);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(text_in(ReportFormat::kJson, *again), json);
}

TEST(Junit, IsValidAndCountsWhatIsNoPass) {
  // Given reports with everything, with nothing, and without a threshold, when they are written as JUnit XML, then junit.xsd takes them; what failed to be measured is an error
  // where a threshold was asked for, else skipped; and a file that is cut off is found.
  const std::string all = text_in(ReportFormat::kJunit, example_report());
  EXPECT_EQ(faults_in_junit(all), "");
  EXPECT_NE(all.find("tests=\"7\" failures=\"1\" errors=\"1\" skipped=\"1\""), std::string::npos);
  EXPECT_EQ(faults_in_junit(text_in(ReportFormat::kJunit, empty_report())), "");
  protocol::BenchReport asked_nothing = example_report();
  asked_nothing.fail_above.reset();
  const std::string none = text_in(ReportFormat::kJunit, asked_nothing);
  EXPECT_EQ(faults_in_junit(none), "");
  EXPECT_EQ(count(none, "<error "), 0u);
  EXPECT_NE(none.find("<skipped message=\"it could not be measured: the device was lost"), std::string::npos) << none;
  EXPECT_NE(faults_in_junit(all.substr(0, all.size() / 2)), "");
}

TEST(Junit, HasNoCharacterThatXmlForbids) {
  // Given a case whose name has every control character, noncharacters and bytes that are no UTF-8, when it is written, then XML takes it.
  protocol::BenchReport report = example_report();
  std::string& name = report.cases[0].name;
  for (char c = 1; c < 32; ++c) name += c;
  name += "\x7f\xc2\x85\xef\xbf\xbe\xef\xbf\xbf\xff\xed\xa0\x80]]>";
  EXPECT_EQ(faults_in_junit(text_in(ReportFormat::kJunit, report)), "");
}

TEST(Markdown, NamesCannotLeaveTheirCells) {
  // Given names with all that Markdown and GitHub take for more than words, when a comment is written, then each row has its seven bars, and nobody is mentioned, no issue named, no
  // HTML opened.
  protocol::BenchReport report = example_report();
  report.cases[0].name = "a | b `c` <img src=x> @someone #12 [x](http://e.org) ![y](z) **d** $x$ \\| \n| new row";
  const std::string text = text_in(ReportFormat::kMarkdown, report);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ")) { EXPECT_EQ(count(line, "|") - count(line, "\\|"), 7u) << line; }
  for (const char* part : {"@s", "#1", " <img", " `", "[x]", "![", " **d", "http:/"})
    EXPECT_EQ(text.find(part), std::string::npos) << part;
  EXPECT_EQ(count(text, "<details>"), 1u);
}

TEST(Markdown, IsBounded) {
  // Given 500 cases on 20 devices, a tenth of them slower, and names of the greatest length, when a comment is written, then it has at most kMarkdownCharactersMax characters and says
  // how many rows are left out, and what is folded is closed.
  for (const size_t letters : {0, 900}) {
    protocol::BenchReport report = large_report(500, 20);
    for (protocol::BenchCase& one : report.cases) one.name += std::string(letters, '|');
    const std::string text = text_in(ReportFormat::kMarkdown, report);
    EXPECT_LE(text.size(), kMarkdownCharactersMax);
    EXPECT_GT(text.size(), kMarkdownCharactersMax / 2);
    EXPECT_NE(text.find("1000 regressions; 1000 slower, 0 faster, 9000 the same"), std::string::npos)
        << text.substr(0, 200);
    EXPECT_NE(text.find(" more rows are left out here"), std::string::npos);
    EXPECT_EQ(count(text, "<details>"), count(text, "</details>"));
  }
}

TEST(Annotations, AreAsManyAsGithubShows) {
  // Given a thousand regressions, when annotations are written, then there are ten errors, whose last says how many more there are, each on one line.
  const std::string text = text_in(ReportFormat::kGithub, large_report(500, 20));
  EXPECT_EQ(count(text, "::error "), kAnnotationsMax);
  EXPECT_NE(text.find("991 more of these are in the report"), std::string::npos) << text;
  EXPECT_EQ(count(text, "\n"), kAnnotationsMax + 1);
}

TEST(Bmf, DevicesOfOneNameAreToldApart) {
  // Given two devices that are equal for people, and a name of the greatest length, when the metrics are written, then each has its own, in ns, and names have at most 1024 characters.
  protocol::BenchReport report = large_report(1, 2);
  report.cases[0].name = std::string(1024, 'n');
  report.cases[0].results[1].device->text = report.cases[0].results[0].device->text;
  const auto json = nlohmann::json::parse(text_in(ReportFormat::kBmf, report));
  ASSERT_EQ(json.size(), 2u);
  for (const auto& [name, measures] : json.items()) {
    EXPECT_LE(columns_of(name), 1024u);
    EXPECT_EQ(measures["latency"]["value"], 1e6);
  }
}

TEST(Reports, AnEmptyOneSaysSo) {
  // Given a report without cases, when it is written, then each format says that nothing was measured, and none fails.
  EXPECT_NE(text_in(ReportFormat::kMarkdown, empty_report()).find("nothing was measured"), std::string::npos);
  EXPECT_EQ(text_in(ReportFormat::kBmf, empty_report()), "{}\n");
  EXPECT_EQ(text_in(ReportFormat::kGithub, empty_report()), "::notice title=hone%3A none::nothing was measured\n");
  EXPECT_EQ(regressions_in(empty_report()), 0u);
}

TEST(Formats, HaveTheirNames) {
  // Given the names of all formats, when each is looked up, then it is there, and another is not.
  for (const std::string& name : format_names()) EXPECT_TRUE(format_named(name)) << name;
  EXPECT_EQ(format_named("html"), ReportFormat::kHtml);
  EXPECT_FALSE(format_named("xml"));
}

}  // namespace
}  // namespace hone::bench_reports
