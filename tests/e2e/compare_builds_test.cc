// Two builds against each other, by the binary and a real headless Chromium.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/cat.h"
#include "base/sha256.h"
#include "tests/e2e/hone_command.h"

namespace hone::e2e {
namespace {

using Json = nlohmann::json;
using std::chrono::seconds;
namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// The package with its launches so many times one after the other, which all write the same.
void copy_repeated(const fs::path& from, const fs::path& to, int times) {
  fs::create_directories(to.parent_path());
  fs::copy(from, to, fs::copy_options::recursive);
  Json manifest = Json::parse(read_file(to / "manifest.json"));
  for (Json& head : manifest["plans"]) {
    const fs::path file = to / head["plan"]["file"].get<std::string>();
    Json plan = Json::parse(read_file(file)), launches = Json::array();
    for (int i = 0; i < times; ++i) launches.insert(launches.end(), plan["launches"].begin(), plan["launches"].end());
    plan["launches"] = launches;
    const std::string bytes = plan.dump();
    write_file(file, bytes);
    head["plan"]["bytes"] = bytes.size();
    head["plan"]["sha256"] = sha256_hex(bytes);
  }
  write_file(to / "manifest.json", manifest.dump());
}

struct Builds {
  // Packages of these operators, their launches 20 times in both builds, but in the new one of the first, which has more.
  Builds(const std::vector<std::string>& ops, int launches_of_first) {
    for (size_t i = 0; i < ops.size(); ++i) {
      const std::string name = cat("case", i);
      HoneProcess made(hone_in(folder, {"bench", "--op", ops[i], "--target", "wasm", "--keep", cat("made", i)}));
      EXPECT_EQ(made.wait(seconds(120)), 0) << made.err();
      const fs::path package = *fs::directory_iterator(folder / cat("made", i));
      copy_repeated(package, folder / ("old/" + name), 20);
      copy_repeated(package, folder / ("new/" + name), i == 0 ? launches_of_first : 20);
    }
  }
  std::string suite(int pairs) {
    std::string text = cat("name: kernels\ndefaults: {target: wasm, pairs: ", pairs, "}\ncases:\n");
    for (const auto& entry : fs::directory_iterator(folder / "new")) text += cat("  - package: new/", entry.path().filename().string(), "\n");
    write_file(folder / "suite.yaml", text);
    return folder / "suite.yaml";
  }
  // The exit code; the report is in report.json.
  int compare(const std::string& baseline, int pairs, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"bench", "--suite", suite(pairs), "--baseline", folder / baseline, "--report", "json=report.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    HoneProcess run(hone_in(folder, arguments));
    const int code = run.wait(seconds(580));
    out = run.out() + run.err();
    report = Json::parse(read_file(folder / "report.json"), nullptr, false);
    return code;
  }
  Json comparison(const std::string& name) const {
    for (const Json& one : report["cases"])
      if (one["name"] == name) return one["results"][0].value("comparison", Json::object());
    return Json::object();
  }

  TempFolder folder;
  Json report;
  std::string out;
};

TEST(CompareBuilds, AKernelThatTakesTwiceAsLongIsFlaggedAndOnlyIt) {
  // Given two kernels of which the first one's new build does twice as much, when the suite is compared with the builds that were kept, then that one is slower by more than permitted, the other is not, the command
  // fails, and all reports are written; when the new builds are compared with themselves, then nothing is flagged.
  Builds builds({"matmul:128x128x128", "matmul:96x96x96"}, 40);
  EXPECT_EQ(builds.compare("old", 120, {"--fail-on-regression", "3%", "--report", "junit=junit.xml", "--report", "html=report.html", "--report", "markdown=report.md"}), 1) << builds.out;
  EXPECT_EQ(builds.comparison("case0")["verdict"], "slower") << builds.out;
  EXPECT_EQ(builds.comparison("case0")["regression"], "yes") << builds.out;
  EXPECT_NEAR(builds.comparison("case0")["ratio"].get<double>(), 2, 0.5) << builds.out;
  const std::string other = builds.comparison("case1")["verdict"];
  EXPECT_TRUE(other == "same" || other == "inconclusive") << builds.out;
  EXPECT_NE(read_file(builds.folder / "junit.xml").find("<failure"), std::string::npos);
  EXPECT_NE(read_file(builds.folder / "report.md").find("1 slower"), std::string::npos);
  EXPECT_FALSE(read_file(builds.folder / "report.html").empty());
  EXPECT_EQ(builds.compare("new", 60, {"--fail-on-regression", "3%"}), 0) << builds.out;
  for (const char* name : {"case0", "case1"}) {
    const std::string verdict = builds.comparison(name)["verdict"];
    EXPECT_TRUE(verdict == "same" || verdict == "inconclusive") << name << builds.out;
  }
}

TEST(CompareBuilds, AnotherBuildOfHoneIsABaseline) {
  // Given a model and this program as the other build, when both are compared, then the other's version is told, nothing is flagged, and the outputs were the same; a program that is none is refused with what it said.
  TempFolder folder;
  const std::string model = folder / "mlp.onnx";
  ASSERT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model encoder --size 16 --out " + model).c_str()), 0);
  HoneProcess run(hone_in(folder, {"bench", model, "--target", "wasm", "--baseline", HONE_BINARY, "--pairs", "60", "--json"}));
  ASSERT_EQ(run.wait(seconds(300)), 0) << run.err();
  const Json report = Json::parse(run.out(), nullptr, false);
  EXPECT_EQ(report["old_build"]["made_by"], report["new_build"]["made_by"]) << run.out();
  const std::string verdict = report["cases"][0]["results"][0]["comparison"]["verdict"];
  EXPECT_TRUE(verdict == "same" || verdict == "inconclusive") << run.out();
  HoneProcess none(hone_in(folder, {"bench", model, "--target", "wasm", "--baseline", "/bin/false"}));
  EXPECT_EQ(none.wait(seconds(60)), 1);
  EXPECT_NE(none.err().find("/bin/false --version ended with exit code 1"), std::string::npos) << none.err();
}

TEST(CompareBuilds, SlowFivePercentAreFound) {
  // Given three kernels of which the first one's new build does 5 % more, when they are compared until it is known, then the first is slower, and no other differs.
  Builds builds({"matmul:256x256x256", "matmul:192x192x192", "matmul:128x128x128"}, 21);
  EXPECT_EQ(builds.compare("old", 480), 0) << builds.out;
  EXPECT_EQ(builds.comparison("case0")["verdict"], "slower") << builds.out;
  for (const char* name : {"case1", "case2"}) {
    const std::string verdict = builds.comparison(name)["verdict"];
    EXPECT_TRUE(verdict == "same" || verdict == "inconclusive") << name << builds.out;
  }
}

}  // namespace
}  // namespace hone::e2e
