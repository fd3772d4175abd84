// The binary as a person meets it: exit codes, stdout, stderr.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "cli/checkup.h"
#include "base/sql/sqlite_db.h"
#include "tuner/records/sql_store.h"

namespace {

struct Ran {
  int code = -1;
  std::string out, err;
};

// A folder of this process's own, so that no database of somebody else is met.
std::string own_folder() {
  const std::string folder = testing::TempDir() + "/hone_test_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  return folder;
}

Ran run_hone(const std::string& arguments, const std::string& environment = "") {
  std::string err_file = own_folder() + "/err";
  FILE* pipe = popen(("cd " + own_folder() + " && env XDG_RUNTIME_DIR=" + own_folder() + " " + environment +
                      " " HONE_BINARY " " + arguments + " 2>" + err_file)
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
       {"frobnicate", "tune", "tune --op matmul:8x8x8 --trials 0", "tune --op matmul:8x8x8 --trials many",
        "tune --op matmul:8x8x8 model.onnx", "tune --op matmul:8x8x8 --target abacus", "compile",
        "compile --op matmul:8x8x8 --dump nothing", "compile --op a --trace f --schedule naive", "records",
        "records frobnicate", "devices", "agent", "up --port 70000", "tune --op matmul:8x8x8 --dim batch",
        "compile --op matmul:8x8x8 --without-pass fold_constants"}) {
    Ran ran = run_hone(arguments);
    EXPECT_EQ(ran.code, 2) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_EQ(ran.err.rfind("hone: ", 0), 0u) << arguments << "\n" << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << "\n" << ran.err;
  }
}

TEST(Hone, WhatIsNotKnownIsNamed) {
  // Given words that hone does not know, when it is called, then it exits with 2 and its sentence has the word.
  for (const auto& [arguments, word] : std::map<std::string, std::string>{{"frobnicate", "'frobnicate'"},
                                                                          {"--nope", "'--nope'"},
                                                                          {"records nope", "'nope'"},
                                                                          {"compile --op frob:3x3", "found 'frob'"},
                                                                          {"tune --op frob:3x3", "found 'frob'"}}) {
    Ran ran = run_hone(arguments);
    EXPECT_EQ(ran.code, 2) << arguments;
    EXPECT_NE(ran.err.find(word), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Hone, TensorsBesideAModelAreRead) {
  // Given a model whose tensors lie in a file beside it, when it is compiled, then they are read; when the file is cut off, missing, a folder or a
  // link to elsewhere, then hone exits with 1 and its sentence names it.
  const std::string make =
      "cd " + own_folder() +
      " && /usr/bin/python3 -c \"from onnx import helper as h, numpy_helper as n, save_model, TensorProto as T; import "
      "numpy\n"
      "v = [h.make_tensor_value_info(name, T.FLOAT, [4]) for name in 'xy']\n"
      "w = n.from_array(numpy.arange(4, dtype='float32'), 'w')\n"
      "g = h.make_graph([h.make_node('Add', ['x', 'w'], ['y'])], 'g', v[:1], v[1:], [w])\n"
      "save_model(h.make_model(g, opset_imports=[h.make_opsetid('', 17)]), 'beside.onnx', save_as_external_data=True, "
      "location='beside.data', size_threshold=0)\"";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const std::string data = own_folder() + "/beside.data";
  const auto compile = [] { return run_hone("compile beside.onnx --dump graph"); };
  Ran whole = compile();
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_NE(whole.out.find("Add(x:f32[4], w!:f32[4])"), std::string::npos) << whole.out;
  const auto expect_refused = [&](const std::string& sentence) {
    Ran ran = compile();
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.err.find(sentence), std::string::npos) << ran.err;
  };
  std::filesystem::resize_file(data, 15);
  expect_refused("beside.data has 15 bytes; the model expects 16 at 0");
  std::filesystem::remove(data);
  expect_refused("beside.data, where the model says that some of its tensors lie, cannot be read");
  std::filesystem::create_directory(data);
  expect_refused("put it beside the model");
  std::filesystem::remove(data);
  std::filesystem::create_symlink("/etc/hostname", data);
  expect_refused("is a link that leads elsewhere");
}

TEST(Hone, OutputThatCannotBeWrittenIsAFailure) {
  // Given a full device as stdout, when a kernel is printed, then hone exits with 1 and says so.
  Ran ran = run_hone("compile --op matmul:8x8x8 >/dev/full");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("could not be written completely"), std::string::npos) << ran.err;
}

TEST(Hone, PassesAreShownAndLeftOut) {
  // Given an operator whose channels are rounded, when the graph is dumped pass by pass, then those that changed it have it; without that pass, the last
  // graph has none of it.
  const std::string arguments = "compile --op conv:1x3x8x8,4x3x3x3,pad=1 --dump passes";
  const std::string all = run_hone(arguments).out, less = run_hone(arguments + " --without-pass round_channels").out;
  EXPECT_EQ(all.rfind("# as it is read\ninput ", 0), 0u) << all;
  EXPECT_EQ(all.find("# behind recognise_gelu"), std::string::npos) << all;
  EXPECT_NE(all.find("\n# behind round_channels\n"), std::string::npos) << all;
  EXPECT_EQ(less.find("round_channels"), std::string::npos) << less;
}

TEST(Hone, EveryStageOfTheCompilerIsShown) {
  // Given an operator, when each stage is dumped, then it is there as text and, with --json, as JSON.
  for (const char* stage : {"graph", "passes", "te", "space", "schedule", "ir", "source"}) {
    const std::string arguments = std::string("compile --op matmul:8x8x8 --dump ") + stage;
    EXPECT_NE(run_hone(arguments).out, "") << stage;
    EXPECT_FALSE(nlohmann::json::parse(run_hone(arguments + " --json").out, nullptr, false).is_discarded()) << stage;
  }
}

TEST(Hone, ASpaceIsShownWithWhatWasPruned) {
  // Given a product whose space is too large to look at whole, when it is dumped, then it says how much remains, by what estimate, and what was
  // pruned for which limit.
  const std::string out = run_hone("compile --op matmul:512x512x512 --dump space").out;
  for (const char* line : {"assignments before pruning: ", "after repair: about ", "after pruning: about ",
                           "estimated from ", " %: workgroup memory above 16384 bytes\n", "k.tile: 4 8 16 32\n"})
    EXPECT_NE(out.find(line), std::string::npos) << line << "\n" << out;
}

TEST(Hone, TheSourceOfANativeKernelIsItsLoops) {
  // Given an operator for this machine's CPU, when the source is dumped, then it is the loop IR that the agent gets.
  const Ran ran = run_hone("compile --op matmul:64x64x64 --target native --dump source");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("launch grid("), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("mad("), std::string::npos) << ran.out;
}

TEST(Hone, AKernelBeginsWithWhatItAsksOfItsDevice) {
  // Given an operator, when its source or its loops are dumped, then the first lines, comments of that language, say launches, schedule, grid,
  // threads, tile, memory and registers; the JSON has the text of the stage alone.
  const auto first_lines_of = [](const std::string& more) {
    return run_hone("compile --op matmul:64x64x64 " + more).out.substr(0, 500);
  };
  for (const auto& [more, sign] :
       {std::pair{"--dump source", "// "}, {"--dump source --target wasm", "# "}, {"--dump ir", "# "}}) {
    const std::string out = first_lines_of(more);
    EXPECT_EQ(out.find(std::string(sign)), 0u) << out;
    for (const char* part : {" launch", "schedule: tile", "grid ", "tile: ", "workgroup memory: ", "registers: "})
      EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
  }
  EXPECT_EQ(first_lines_of("--dump ir --json").find("schedule: "), std::string::npos);
}

TEST(Hone, WhenNoServiceAnswersTheWholeSentenceIsThere) {
  // Given a port where nobody listens, when a verb is to ask the service there, then the sentence has the address and what to look at.
  Ran ran = run_hone("devices --tracker 'http://127.0.0.1:1/#token=ab'");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("127.0.0.1:1"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("is hone up running there?"), std::string::npos) << ran.err;
}

using hone::ErrorCode;
namespace tuner = hone::tuner;

TEST(Records, AreMergedCollectedAndDrawn) {
  // Given a database with a job of two trials, when it is merged into another, then both are there, and a second time none is new; when old ones are collected, then the
  // best stays; when the job is drawn, then the page has the task's name and its curve.
  const std::string db = own_folder() + "/a.db";
  {
    auto store = tuner::open_record_store({.where = db});
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->put_task({{1, 2}, "a <task>", "text", 100}).ok());
    ASSERT_TRUE((*store)->put_device({"device-a", "webgpu", "{}"}).ok());
    ASSERT_TRUE(
        (*store)
            ->put_job({.id = "job-1", .kind = "tune", .state = "done", .started_unix_ms = 1, .ended_unix_ms = 9})
            .ok());
    for (uint64_t i = 1; i <= 12; ++i) {
      const double us = 1000.0 / static_cast<double>(i);
      (*store)->insert({.task_id = {1, 2},
                        .device_key = "device-a",
                        .source_hash = {3, i},
                        .trace_json = "{}",
                        .job_id = "job-1",
                        .outcome = ErrorCode::kOk,
                        .samples_us = {us},
                        .latency_us_median = us,
                        .recorded_unix_ms = 5});
    }
    ASSERT_TRUE((*store)->flush().ok());
  }
  EXPECT_EQ(run_hone("records merge --db b.db a.db").out, "12 new records in b.db, 0 known already\n");
  EXPECT_EQ(run_hone("records merge --db b.db a.db --json").out, "{\"records\":12,\"new\":0,\"known\":12}\n");
  EXPECT_EQ(run_hone("records export --db a.db --out a.jsonl").code, 0);
  EXPECT_EQ(run_hone("records import --db b.db a.jsonl").out, "0 new records in b.db, 12 known already\n");
  EXPECT_EQ(run_hone("records gc --db b.db --older-than 1").out, "4 trials removed, 8 kept\n");
  EXPECT_EQ(run_hone("records report job-1 --db a.db --html page.html").code, 0);
  std::stringstream page;
  page << std::ifstream(own_folder() + "/page.html").rdbuf();
  EXPECT_NE(page.str().find("a &lt;task&gt;"), std::string::npos);
  EXPECT_NE(page.str().find("<path class='best' d='M"), std::string::npos);
  EXPECT_EQ(run_hone("records report job-1 --db a.db --html -").out, page.str());
  EXPECT_FALSE(std::filesystem::exists(own_folder() + "/-"));
  const Ran missing = run_hone("records merge --db b.db missing.db");
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("there is no file missing.db"), std::string::npos) << missing.err;
  EXPECT_EQ(missing.err.find("--tracker"), std::string::npos) << missing.err;
  EXPECT_NE(run_hone("records best --db .").err.find(". is a folder"), std::string::npos);
}

class Forgotten : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(own_folder() + "/f.db");
    auto store = tuner::open_record_store({.where = own_folder() + "/f.db"});
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->put_task({{1, 2}, "an \033]0;owned\007 \033[2Jop", "text", 100}).ok());
    ASSERT_TRUE((*store)->put_device({"device-a", "webgpu", "{}"}).ok());
    for (uint64_t i = 1; i <= 4; ++i)
      (*store)->insert({.task_id = {1, 2},
                        .device_key = "device-a",
                        .source_hash = {3, i},
                        .trace_json = "{}",
                        .outcome = ErrorCode::kOk,
                        .samples_us = {100},
                        .latency_us_median = 100,
                        .agent = i < 3    ? "agent-1"
                                 : i == 3 ? "agent-2"
                                          : "liar",
                        .recorded_unix_ms = 1'700'000'000'000});
    ASSERT_TRUE((*store)->flush().ok());
  }
};

TEST_F(Forgotten, IsWhatFitsAndNothingUnlessItIsWanted) {
  // Given records of three agents, when those of one are to be forgotten, then nothing happens without --yes, --dry-run counts, and --yes does it; the
  // rest stays.
  EXPECT_EQ(run_hone("records forget --db f.db --agent li").code, 2);
  EXPECT_EQ(run_hone("records forget --db f.db --agent li --dry-run").out,
            "would remove 1 attempt, all that is known of 1 trial\n");
  EXPECT_EQ(run_hone("records forget --db f.db --agent li --yes --json").out,
            "{\"attempts\":1,\"trials\":1,\"dry_run\":false}\n");
  EXPECT_EQ(run_hone("records forget --db f.db --device dev --before 2023-11-14 --yes").out, "removed 0 attempts\n");
  EXPECT_EQ(run_hone("records forget --db f.db --task 0 --before 1700000000001 --yes").out,
            "removed 3 attempts, all that is known of 3 trials\n");
}

TEST_F(Forgotten, SlipsAreNamed) {
  // Given conditions that are none, that fit several or nothing, and empty words, when something is to be forgotten, then each is named in one sentence
  // and nothing is forgotten.
  for (const auto& [arguments, code, word] : {std::tuple<std::string, int, std::string>{"", 2, "--agent"},
                                              {"--agent agent-", 2, "fits several"},
                                              {"--agent nobody", 1, "no agent nobody"},
                                              {"--device x", 1, "no device x"},
                                              {"--task none", 1, "no task fits"},
                                              {"--before yesterday", 2, "is not a date"},
                                              {"--before 2026-02-30", 2, "is not a date"},
                                              {"--before 2026", 2, "is not a date"},
                                              {"--before -5", 2, "is not a date"},
                                              {"--agent \"\"", 2, "empty word"},
                                              {"--agent liar --device \"\"", 2, "empty word"}}) {
    const Ran ran = run_hone("records forget --db f.db --yes " + arguments);
    EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_NE(ran.err.find(word), std::string::npos) << arguments << "\n" << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_EQ(run_hone("records forget --db f.db --agent l --agent liar").code, 2);
  const std::string all = run_hone("records list --db f.db").out;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 5);
}

TEST_F(Forgotten, NamesOfOthersAreShownAndNotObeyed) {
  // Given a task whose name clears a terminal and sets its title, when it is printed as a table, as JSON or in an error, then no escape is among the
  // bytes.
  for (const char* arguments :
       {"records list --db f.db", "records best --db f.db", "records best --json --db f.db", "records export --db f.db",
        "records forget --db f.db --agent '\033[2J'", "records list --db '\033[2J'"}) {
    const Ran ran = run_hone(arguments);
    EXPECT_EQ((ran.out + ran.err).find('\033'), std::string::npos) << arguments;
    EXPECT_NE((ran.out + ran.err).find("\\u001b"), std::string::npos) << arguments << ran.out << ran.err;
  }
}

TEST(Records, AbsurdArgumentsAreNamed) {
  // Given ages, files and words that make no sense, when a verb of the records gets them, then it says so in one sentence.
  for (const auto& [arguments, code] : {std::pair<std::string, int>{"gc --older-than -1", 2},
                                        {"gc --older-than 1e300", 2},
                                        {"gc --older-than nan", 2},
                                        {"gc --older-than inf", 2},
                                        {"gc --older-than x", 2},
                                        {"list --db \"\"", 2},
                                        {"list --task \"\"", 2},
                                        {"list --job \"\"", 2},
                                        {"best --device \"\"", 2},
                                        {"export --out \"\"", 2},
                                        {"report --html \"\"", 2},
                                        {"import .", 1},
                                        {"import missing.jsonl", 1},
                                        {"merge .", 1},
                                        {"list --format xml", 2}}) {
    const Ran ran = run_hone("records " + arguments);
    EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.err.rfind("hone: ", 0), 0u) << arguments << "\n" << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Records, AreReadByEveryVerbHoweverTheDatabaseWasEdited) {
  // Given databases that somebody edited, when each verb reads them, then it answers or says why not, and no verb dies.
  const std::string deep = "'" + std::string(100'000, '[') + "'";
  for (const std::string& change :
       {std::string("UPDATE schema_version SET version = -5"), "UPDATE trials SET trace_json = " + deep,
        "UPDATE fingerprints SET json = " + deep, std::string("UPDATE tasks SET name = CAST(x'fffe' AS TEXT)"),
        std::string("UPDATE fingerprints SET json = '{\"browser\":5,\"browser_major\":\"x\",\"architecture\":[]}'"),
        std::string("UPDATE attempts SET predicted_us = 5e-324, recorded_unix_ms = 9223372036854775807")}) {
    std::filesystem::remove(own_folder() + "/e.db");
    {
      auto store = tuner::open_record_store({.where = own_folder() + "/e.db"});
      ASSERT_TRUE(store.ok());
      ASSERT_TRUE((*store)->put_task({{1, 2}, "an op", "input t0 f32 (8)\noutput t0", 100}).ok());
      ASSERT_TRUE((*store)->put_device({"device-a", "webgpu", "{}"}).ok());
      ASSERT_TRUE(
          (*store)
              ->put_job(
                  {.id = "job-1", .kind = "tune", .state = "done", .device_key = "device-a", .started_unix_ms = 1})
              .ok());
      (*store)->insert({.task_id = {1, 2},
                        .device_key = "device-a",
                        .source_hash = {3, 1},
                        .trace_json = "{}",
                        .job_id = "job-1",
                        .outcome = ErrorCode::kOk,
                        .samples_us = {100},
                        .latency_us_median = 100});
      ASSERT_TRUE((*store)->flush().ok());
      auto db = hone::sql::SqliteDb::open(own_folder() + "/e.db");
      ASSERT_TRUE(db.ok() && db->execute(change).ok());
    }
    for (const char* verb :
         {"records list", "records list --json", "records best", "records best --json", "records export",
          "records report", "records report --json", "records report --html e.html", "records gc --older-than 1",
          "records merge --db m.db e.db", "compile --op matmul:64x64x64 --schedule best",
          "compile --op matmul:64x64x64 --device device-a"}) {
      const bool merges = std::string(verb).find("merge") != std::string::npos;
      const Ran ran = run_hone(std::string(verb) + (merges ? "" : " --db e.db"));
      EXPECT_TRUE(ran.code == 0 || ran.code == 1) << verb << " " << ran.code << " after " << change.substr(0, 80);
      EXPECT_LT(ran.err.size(), 500u) << verb;
    }
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

TEST(Hone, AFolderForOutputsThatCannotBeMadeEndsBeforeAnythingRuns) {
  // Given --out below a folder of the kernel's, when a model is to run, then hone exits with 1 and names it, without a browser.
  const Ran ran =
      run_hone("run /usr/share/libonnx-testdata/data/node/test_relu/model.onnx --own-browser --out /proc/none/out");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err.rfind("hone: the folder /proc/none/out cannot be written", 0), 0u) << ran.err;
}

TEST(Hone, HelpIsAlsoAVerb) {
  // Given the word help before a verb, or alone, when hone runs, then it prints what --help prints.
  EXPECT_EQ(run_hone("help tune").out, run_hone("tune --help").out);
  EXPECT_EQ(run_hone("help").out, run_hone("--help").out);
}

TEST(Hone, NumbersOutOfRangeAreNamedInAPlainSentence) {
  // Given --trials 0, when hone tune parses it, then the message says what was found and expected.
  EXPECT_EQ(run_hone("tune --op matmul:8x8x8 --trials 0").err,
            "hone: --trials: found 0, expected a whole number from 1; see hone tune --help\n");
}

TEST(Hone, WhatCannotBeMeantIsRefusedBeforeABrowserIsStarted) {
  // Given arguments of which none can be meant, when hone parses them, then each is wrong usage, with what was found and expected.
  const auto refused = [](const char* arguments, const char* words) {
    const Ran ran = run_hone(arguments);
    EXPECT_EQ(ran.code, 2) << arguments << ran.err;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  };
  refused("", "Examples:");
  refused("tune --op matmul:8x8x8 --tme 5", "'--tme' is not known here");
  refused("tune --op matmul:8x8x8 --tolerance 5", "--tolerance: found 5, expected a number from 0 to 1");
  refused("tune --op matmul:0x64x64", "expected extents of at least 1");
  refused("bench model.onnx --time 0", "--time: found 0, expected a number from 0.001 to 3600");
  refused("up --host banana", "found banana, expected an IPv4 address");
}

TEST(Hone, DoctorSaysWhatIsMissingAndHowToGetIt) {
  // Given no browser and no Node.js on the PATH, no agent files and no runner, when hone doctor runs, then it exits with 1 and gives a remedy for each.
  Ran ran = run_hone("doctor --json",
                     "PATH=/nowhere HONE_AGENT_DIR=/nowhere HONE_NATIVE_RUNNER=/nowhere HONE_OPENGL_RUNNER=/nowhere "
                     "HONE_OPENCL_RUNNER=/nowhere");
  EXPECT_EQ(ran.code, 1);
  auto report = nlohmann::json::parse(ran.out);
  EXPECT_FALSE(report["ok"]);
  int missing = 0;
  for (const auto& check : report["checks"])
    if (std::set<std::string>{"browser", "firefox", "node", "agent files", "native", "opengl", "opencl"}.contains(
            check["name"])) {
      ++missing;
      EXPECT_FALSE(check["ok"]);
      EXPECT_NE(check["remedy"], "");
    }
  EXPECT_EQ(missing, 7);
}

TEST(Checkup, AMachineWithoutADriverLearnsWhichToInstall) {
  // Given runners that find a driver and none, when OpenGL or OpenCL is checked, then the first is good, and the second's words stand beside the remedy.
  const std::string runner = own_folder() + "/it's a runner";
  const auto says = [&](const std::string& script) {
    std::ofstream(runner) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
    return std::pair(hone::cli::check_opengl(runner), hone::cli::check_opencl(runner));
  };
  const auto [gl, cl] = says("echo a driver");
  EXPECT_TRUE(gl.ok && cl.ok);
  const auto [no_gl, no_cl] = says("echo there is none >&2; exit 1");
  EXPECT_FALSE(no_gl.ok || no_cl.ok);
  EXPECT_EQ(no_gl.found, "there is none");
  EXPECT_NE(no_gl.remedy.find("libgl1-mesa-dri"), std::string::npos);
  EXPECT_EQ(no_cl.found, "there is none");
  EXPECT_NE(no_cl.remedy.find("pocl-opencl-icd"), std::string::npos);
}

TEST(Checkup, ADatabaseThatIsNoDatabaseIsNamed) {
  // Given a file of text and an empty place, when the database is checked, then the first fails with a remedy and the second is good.
  std::string path = own_folder() + "/not_a.db";
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
