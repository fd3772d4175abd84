// The binary as a person meets it: exit codes, stdout, stderr.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/checkup.h"

namespace {

struct Ran {
  int code = -1;
  std::string out, err;
};

Ran run_hone(const std::string& arguments, const std::string& environment = "") {
  std::string err_file = testing::TempDir() + "/hone_err_" + std::to_string(getpid());
  FILE* pipe =
      popen(("cd " + testing::TempDir() + " && env " + environment + " " HONE_BINARY " " + arguments + " 2>" + err_file)
                .c_str(),
            "r");
  Ran ran;
  std::array<char, 4096> buffer;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.out.append(buffer.data(), n);
  ran.code = WEXITSTATUS(pclose(pipe));
  std::ifstream file(err_file);
  std::stringstream text;
  text << file.rdbuf();
  ran.err = text.str();
  std::filesystem::remove(err_file);
  return ran;
}

TEST(Hone, WrongUsageExitsWithTwoAndSaysWhatIsExpected) {
  // Given arguments that no verb accepts, when hone runs, then it exits with 2, prints one sentence on stderr and nothing on stdout.
  for (const char* arguments :
       {"", "frobnicate", "tune", "tune --op matmul:8x8x8 --trials 0", "tune --op matmul:8x8x8 --trials many",
        "tune --op matmul:8x8x8 model.onnx", "tune --op matmul:8x8x8 --target abacus", "compile",
        "compile --op matmul:8x8x8 --dump nothing", "compile --op a --trace f --schedule naive", "records",
        "records frobnicate", "devices", "agent", "up --port 70000", "tune --op matmul:8x8x8 --dim batch"}) {
    Ran ran = run_hone(arguments);
    EXPECT_EQ(ran.code, 2) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_EQ(ran.err.rfind("hone: ", 0), 0u) << arguments << "\n" << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << "\n" << ran.err;
  }
}

TEST(Hone, EachVerbExplainsItselfWithAnExample) {
  // Given --help, when it is asked of hone and of each verb, then it exits with 0 and shows an example.
  for (const char* verb : {"", "up", "agent", "devices", "tune", "compile", "records", "doctor"}) {
    Ran ran = run_hone(std::string(verb) + " --help");
    EXPECT_EQ(ran.code, 0) << verb;
    EXPECT_NE(ran.out.find("Example"), std::string::npos) << verb;
    EXPECT_NE(ran.out.find("  hone " + std::string(verb)), std::string::npos) << verb;
  }
}

TEST(Hone, NumbersOutOfRangeAreNamedInAPlainSentence) {
  // Given --trials 0, when hone tune parses it, then the message says what was found and expected.
  EXPECT_EQ(run_hone("tune --op matmul:8x8x8 --trials 0").err,
            "hone: --trials: found 0, expected a whole number from 1; see hone --help\n");
}

TEST(Hone, DoctorSaysWhatIsMissingAndHowToGetIt) {
  // Given no browser on the PATH and no agent files, when hone doctor runs, then it exits with 1 and gives a remedy for each.
  Ran ran = run_hone("doctor --json", "PATH=/nowhere HONE_AGENT_DIR=/nowhere");
  EXPECT_EQ(ran.code, 1);
  auto report = nlohmann::json::parse(ran.out);
  EXPECT_FALSE(report["ok"]);
  int missing = 0;
  for (const auto& check : report["checks"])
    if (check["name"] == "browser" || check["name"] == "agent files") {
      ++missing;
      EXPECT_FALSE(check["ok"]);
      EXPECT_NE(check["remedy"], "");
    }
  EXPECT_EQ(missing, 2);
}

TEST(Checkup, ADatabaseThatIsNoDatabaseIsNamed) {
  // Given a file of text and an empty place, when the database is checked, then the first fails with a remedy and the second is good.
  std::string path = testing::TempDir() + "/not_a.db";
  std::ofstream(path)
      << "this is no database, it is a text of more than one hundred bytes so that the header can be read and rejected "
         "as it should be by any check";
  hone::cli::Finding finding = hone::cli::check_database(path);
  EXPECT_FALSE(finding.ok);
  EXPECT_NE(finding.found.find("not a database"), std::string::npos) << finding.found;
  EXPECT_NE(finding.remedy, "");
  std::filesystem::remove(path);
  EXPECT_TRUE(hone::cli::check_database(path).ok);
}

}  // namespace
