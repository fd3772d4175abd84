// hone bench history and hone bench bisect as a person meets them: exit codes, stdout, stderr. Nothing is measured here.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "cli/bench_history/example.h"

namespace hone::cli {
namespace {

using bench_history::report_of;
using bench_history::ScratchFolder;

struct Ran {
  int code = -1;
  std::string out, err;
};

Ran run_in(const ScratchFolder& folder, const std::string& arguments) {
  const std::string err_file = folder.path / "stderr", path = folder.path;
  FILE* pipe = popen(cat("cd '", path, "' && env XDG_RUNTIME_DIR='", path, "' GIT_CEILING_DIRECTORIES='", path, "' ", HONE_BINARY, " bench ", arguments, " 2>'", err_file, "'").c_str(), "r");
  Ran ran;
  std::array<char, 4096> buffer;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.out.append(buffer.data(), n);
  ran.code = WEXITSTATUS(pclose(pipe));
  std::ifstream file(err_file);
  std::ostringstream text;
  text << file.rdbuf();
  ran.err = text.str();
  return ran;
}

void write_nights(const ScratchFolder& folder, size_t before, size_t after) {
  for (const auto& reading : bench_history::slower_from(before, after)) folder.write(reading.file, report_of({reading}));
}

TEST(BenchHistoryVerb, TellsWhatChanged) {
  // Given thirty nights, the last fifteen slower, and a file that is no report, when their history is shown, then the change is in the table, the file is named on stderr, and the exit code is 0, as a program's JSON has it.
  const ScratchFolder folder("verb");
  write_nights(folder, 15, 15);
  folder.write("nights/notes.json", std::string("{}"));
  const Ran ran = run_in(folder, "history nights");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("build: build 14 → build 15"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("30 reports, 1 series; 1 suspicion, 0 updates"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("left out: nights/notes.json: "), std::string::npos) << ran.err;
  const auto json = nlohmann::json::parse(run_in(folder, "history nights --json").out);
  EXPECT_EQ(json["changes"].size(), 1u);
  EXPECT_EQ(json["skipped"].size(), 1u);
}

TEST(BenchHistoryVerb, NobodyIsToldOfASuspicion) {
  // Given a suspicion whose builds nobody kept, when a regression is to fail, then with --confirm it is not known and the exit code is 0, and without it that is wrong usage.
  const ScratchFolder folder("told");
  write_nights(folder, 15, 15);
  const Ran confirmed = run_in(folder, "history nights --confirm --fail-on-regression 3%");
  EXPECT_EQ(confirmed.code, 0) << confirmed.err;
  EXPECT_NE(confirmed.out.find("not known: no night before it has kept its builds"), std::string::npos) << confirmed.out;
  const Ran alone = run_in(folder, "history nights --fail-on-regression 3%");
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("add --confirm"), std::string::npos) << alone.err;
}

TEST(BenchHistoryVerb, OneReportIsAHistory) {
  // Given one report, no report, or a place that is not there, when the history is shown, then the first has no change and says that its series is short, and the others end with 1 and say what to give.
  const ScratchFolder folder("one");
  const auto reading = bench_history::night(0, 2);
  folder.write(reading.file, report_of({reading}));
  const Ran one = run_in(folder, "history nights");
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(one.out, "no change was found\n1 report, 1 series; 0 suspicions, 0 updates\n1 series has less than 24 nights, in which no change by a build can be found\n");
  folder.write("other/x.json", std::string("{}"));
  EXPECT_EQ(run_in(folder, "history other").code, 1);
  const Ran missing = run_in(folder, "history nowhere");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("nowhere is not there; give reports"), std::string::npos) << missing.err;
}

TEST(BenchVerbs, AModelMayHaveTheirName) {
  // Given a file with a verb's name, when it is benchmarked as ./history, then it is taken for a model, and refused as one.
  const ScratchFolder folder("name");
  folder.write("history", std::string("no model"));
  const Ran ran = run_in(folder, "./history --baseline ./history");
  EXPECT_NE(ran.code, 0);
  EXPECT_EQ(ran.err.find("report"), std::string::npos) << ran.err;
  EXPECT_NE(run_in(folder, "--help").out.find("bisect"), std::string::npos);
}

TEST(BenchBisectVerb, RefusesWhatCannotBeMeant) {
  // Given a folder without a repository, and a repository with one commit, when commits are named that are none, or the same twice, or parts are missing, then the exit code says whose fault it is, and stderr what was found.
  const ScratchFolder folder("bisect");
  const Ran none = run_in(folder, "bisect a b --build x -- true");
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("not a git repository"), std::string::npos) << none.err;
  ASSERT_EQ(std::system(cat("cd '", folder.path.string(), "' && git init --quiet && git -c user.name=t -c user.email=t@localhost -c commit.gpgsign=false commit --quiet --allow-empty -m one").c_str()), 0);
  const Ran unknown = run_in(folder, "bisect v1 HEAD --build x -- true");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("found v1, expected a commit"), std::string::npos) << unknown.err;
  const Ran same = run_in(folder, "bisect HEAD HEAD --build x -- make -j2 history");
  EXPECT_EQ(same.code, 2);
  EXPECT_NE(same.err.find("are the same commit"), std::string::npos) << same.err;
  EXPECT_EQ(run_in(folder, "bisect HEAD HEAD --build x").code, 2);
  EXPECT_EQ(run_in(folder, "bisect HEAD HEAD -- true").code, 2);
  EXPECT_EQ(run_in(folder, "bisect HEAD HEAD --build x --fail-on-regression much -- true").code, 2);
}

}  // namespace
}  // namespace hone::cli
