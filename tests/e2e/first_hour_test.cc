// The first hour of a new user: every command of docs/tutorial.md, as it stands there, in a fresh folder with a real headless Chromium.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/hone_command.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// The commands of a block that is fenced as `sh`, and the heading of the output that is shown behind it: a first line without a number.
struct Step {
  std::vector<std::string> commands;
  std::string heading;
};

std::vector<Step> steps_of(const std::string& path) {
  std::vector<Step> steps;
  std::ifstream file(path);
  std::string fence, line;
  bool first = false;
  while (std::getline(file, line)) {
    if (line.starts_with("```")) {
      fence = fence.empty() ? line : "";
      first = true;
      if (fence == "```sh") steps.emplace_back();
    } else if (fence == "```sh") {
      steps.back().commands.push_back(line);
    } else if (fence == "```text" && std::exchange(first, false) && line.find_first_of("0123456789") == std::string::npos) {
      steps.back().heading = line;
    }
  }
  return steps;
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Columns are as wide as their cells.
std::string with_single_blanks(const std::string& text) {
  std::string out;
  for (const std::string& word : words_of(text)) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::optional<double> time_limit_s(const std::vector<std::string>& words) {
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "--time") return std::stod(words[i + 1]);
  return std::nullopt;
}

// A person at a terminal: commands one after the other; those that serve stay, each in a terminal of its own.
class Reader {
 public:
  ~Reader() {
    while (!terminals_.empty()) terminals_.pop_back();  // the agent before the service
  }

  void take(const Step& step) {
    shown_.clear();
    for (const std::string& command : step.commands) type(command);
    EXPECT_NE(with_single_blanks(shown_).find(with_single_blanks(step.heading)), std::string::npos)
        << "the tutorial shows '" << step.heading << "', and this came:\n" << shown_;
  }

 private:
  void type(const std::string& command) {
    SCOPED_TRACE(command);
    const std::vector<std::string> words = words_of(command);
    if (words[0] != "hone") return run_script(command);
    const std::vector<std::string> arguments(words.begin() + 1, words.end());
    if (arguments[0] == "up") return serve(arguments, "/agent/#token=");
    if (arguments[0] == "agent") return serve(arguments, "is connected");
    run(arguments);
  }

  HoneProcess::Config command(const std::vector<std::string>& arguments) const {
    return hone_in(folder_, arguments);
  }

  // What is no command of hone is a script of the clone.
  void run_script(const std::string& command) const {
    const std::string line = "cd " + folder_.path() + " && PATH=" HONE_SOURCE "/scripts:$PATH " + command;
    EXPECT_EQ(std::system(line.c_str()), 0);
  }

  void serve(const std::vector<std::string>& arguments, const std::string& ready) {
    terminals_.push_back(std::make_unique<HoneProcess>(command(arguments)));
    HoneProcess& terminal = *terminals_.back();
    EXPECT_TRUE(wait_until(seconds(40), [&] {
      return (terminal.out() + terminal.err()).find(ready) != std::string::npos;
    })) << terminal.err();
  }

  void run(const std::vector<std::string>& arguments) {
    const Clock::time_point begun = Clock::now();
    HoneProcess process(command(arguments));
    ASSERT_EQ(process.wait(seconds(120)), 0) << process.err();
    const std::string all = process.out() + process.err();
    shown_ += all;
    const bool on_device = arguments[0] == "run" || arguments[0] == "tune" || arguments[0] == "bench";
    if (on_device) { EXPECT_NE(all.find("measured on chromium"), std::string::npos) << all; }
    if (const auto limit_s = time_limit_s(arguments))
      expect_in_time(*limit_s, std::chrono::duration<double>(Clock::now() - begun).count());
  }

  // The start of the browser is no part of the time that a search may take; where a service runs, there is none to start.
  void expect_in_time(double limit_s, double took_s) const {
    const double start_s = terminals_.empty() ? kBrowserStartS : 0;
    EXPECT_LE(took_s, limit_s + std::max(0.1 * limit_s, 3.0) + start_s);
  }

  static constexpr double kBrowserStartS = 30;  // as long as the launcher waits for a browser to connect
  const TempFolder folder_;
  std::vector<std::unique_ptr<HoneProcess>> terminals_;
  std::string shown_;  // by the commands of this step
};

TEST(FirstHour, EveryCommandOfTheTutorialDoesWhatItSays) {
  // Given the tutorial, when a reader types its commands in a fresh folder, then each ends well and prints the heading that is shown, those that
  // run kernels name the device, and a search with a time limit keeps it.
  const std::vector<Step> steps = steps_of(HONE_SOURCE "/docs/tutorial.md");
  ASSERT_GE(steps.size(), 8u);
  Reader reader;
  for (const Step& step : steps) reader.take(step);
}

}  // namespace
}  // namespace hone::e2e
