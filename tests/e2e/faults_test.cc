// What may go wrong in the world: each gives one clear sentence and the right exit code, and nothing acknowledged is lost.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/rng.h"
#include "tests/e2e/hone_command.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

HoneProcess::Config command(const TempFolder& folder, std::vector<std::string> arguments) {
  return hone_in(folder, std::move(arguments));
}

HoneProcess::Config tune(const TempFolder& folder, int trials) {
  return command(folder, {"tune", "--op", "matmul:64x64x64", "--json", "--trials", std::to_string(trials)});
}

int64_t attempts(const std::string& db) { return query_number(db, "SELECT count(*) FROM attempts"); }

// "task device source attempt" of each.
std::set<std::string> attempt_names(const std::string& db) {
  std::set<std::string> names;
  for (const std::string& name : query_texts(db,
                                             "SELECT task_id || ' ' || device_key || ' ' || source_hash || ' ' || "
                                             "attempt FROM attempts JOIN trials USING (trial)"))
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
  return names;
}

// One sentence from hone; what came before it is progress.
void expect_sentence(const HoneProcess& process, const std::string& part) {
  std::string err = process.err();
  size_t at = err.rfind("hone: ");
  ASSERT_NE(at, std::string::npos) << err;
  std::string sentence = err.substr(at);
  EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 1) << sentence;
  EXPECT_EQ(process.out(), "");
}

void write_program(const std::string& path, const std::string& text) {
  std::ofstream(path) << "#!/bin/bash\n" << text << "\n";
  chmod(path.c_str(), 0755);
}

TEST(Faults, AMissingOrCorruptModelIsNamed) {
  // Given no file, and a file of noise, when they are tuned, then hone exits with 1 and the sentence has the file's name.
  TempFolder folder;
  HoneProcess missing(command(folder, {"tune", "nothing.onnx"}));
  EXPECT_EQ(missing.wait(seconds(20)), 1);
  expect_sentence(missing, "nothing.onnx");
  std::ofstream(folder / "noise.onnx") << std::string(999, '\xa5');
  HoneProcess corrupt(command(folder, {"tune", "noise.onnx"}));
  EXPECT_EQ(corrupt.wait(seconds(20)), 1);
  expect_sentence(corrupt, "noise.onnx");
}

TEST(Faults, WhatIsNotSupportedIsNamedWithItsNode) {
  // Given models with an operator and with types that hone does not have, when they are tuned, then hone exits with 1 before it starts a
  // browser, and the sentence names what it found and where.
  TempFolder folder;
  const std::string make =
      "/usr/bin/python3 -c \"from onnx import helper as h, save, TensorProto as T\n"
      "def m(op, t, f):\n"
      "  v = [h.make_tensor_value_info(n, t, [1, 4]) for n in 'xy']\n"
      "  g = h.make_graph([h.make_node(op, ['x'], ['y'], name='n1')], 'g', v[:1], v[1:])\n"
      "  save(h.make_model(g, opset_imports=[h.make_opsetid('', 13)]), f)\n"
      "m('Sprocket', T.FLOAT, '" +
      folder / "op.onnx" + "'); m('Abs', T.COMPLEX64, '" + folder / "complex.onnx" +
      "'); "
      "m('Identity', T.STRING, '" +
      folder / "string.onnx" + "')\"";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const std::map<std::string, std::string> sentences{{"op.onnx", "operator Sprocket of node 'n1'"},
                                                     {"complex.onnx", "input 'x' has element type complex64"},
                                                     {"string.onnx", "input 'x' has element type string"}};
  for (const auto& [file, sentence] : sentences) {
    HoneProcess process(command(folder, {"tune", file}));
    EXPECT_EQ(process.wait(seconds(20)), 1) << file;
    expect_sentence(process, sentence);
  }
}

TEST(Faults, WithoutABrowserTheRemedyIsGiven) {
  // Given a PATH without a browser, when an operator is tuned, then hone exits with 1 and says what to install.
  TempFolder folder;
  auto config = tune(folder, 4);
  config.environment["PATH"] = "/nowhere";
  HoneProcess process(config);
  EXPECT_EQ(process.wait(seconds(20)), 1);
  expect_sentence(process, "install");
}

TEST(Faults, ABrowserWithoutAnAdapterSaysSo) {
  // Given a browser whose WebGPU has no adapter, when an operator is tuned, then hone exits with 3 long before it would stop waiting.
  TempFolder folder;
  write_program(folder / "browser",
                "for a; do case $a in --enable-unsafe*|--use-*|--enable-features*|--ignore-gpu*) ;; *) set -- \"$@\" "
                "\"$a\";; esac; shift; done\n"
                "exec chromium \"$@\" --disable-gpu --disable-software-rasterizer");
  auto config = tune(folder, 4);
  config.arguments.insert(config.arguments.end(), {"--browser", folder / "browser"});
  HoneProcess process(config);
  EXPECT_EQ(process.wait(seconds(50)), 3);
  expect_sentence(process, "adapter");
}

TEST(Faults, ABrowserThatCannotStartIsGivenUp) {
  // Given a browser that ends at once, when an operator is tuned, then hone exits with 3 and repeats the browser's words.
  TempFolder folder;
  write_program(folder / "browser", "echo cannot open the display >&2; exit 3");
  auto config = tune(folder, 4);
  config.arguments.insert(config.arguments.end(), {"--browser", folder / "browser"});
  HoneProcess process(config);
  EXPECT_EQ(process.wait(seconds(60)), 3);
  expect_sentence(process, "cannot open the display");
}

TEST(Faults, ABusyPortIsNamed) {
  // Given a port that another process listens on, when hone up wants it, then it exits with 1 and names the port.
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  std::string port = std::to_string(ntohs(address.sin_port));
  TempFolder folder;
  HoneProcess process(command(folder, {"up", "--port", port}));
  EXPECT_EQ(process.wait(seconds(20)), 1);
  expect_sentence(process, port);
  close(fd);
}

TEST(Faults, ADatabaseThatCannotBeWrittenIsNamed) {
  // Given a database in no folder, one that is a text, and one that is a folder, when an operator is tuned, then each is named.
  TempFolder folder;
  std::ofstream(folder / "text.db")
      << "this is no database but a text that is long enough to have a header which SQLite looks at and refuses\n";
  for (std::string db : {std::string("/nowhere/hone.db"), folder / "text.db", folder.path()}) {
    auto config = tune(folder, 4);
    config.arguments.insert(config.arguments.end(), {"--db", db});
    HoneProcess process(config);
    EXPECT_EQ(process.wait(seconds(20)), 1) << db;
    expect_sentence(process, db);
  }
}

TEST(Faults, AFullDiskEndsTheRunAndLosesNothing) {
  // Given a disk of 1 MB, which has room for an empty database and a part of the run, when the run fills it, then hone exits with 1, says that no space is left, and the database is sound.
  TempFolder folder;
  std::string disk = folder / "disk";
  mkdir(disk.c_str(), 0700);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "a small disk needs the right to mount";
  auto config = tune(folder, 300);
  config.arguments.insert(config.arguments.end(), {"--db", disk + "/hone.db"});
  HoneProcess process(config);
  EXPECT_EQ(process.wait(seconds(90)), 1);
  expect_sentence(process, "no space is left");
  expect_sound(disk + "/hone.db");
  EXPECT_GT(attempts(disk + "/hone.db"), 0);
  EXPECT_EQ(umount(disk.c_str()), 0);
}

TEST(Faults, CtrlCEndsEverythingAndKeepsTheRecords) {
  // Given a run in the middle, when it is interrupted, then it exits with 130 within seconds and says what it knows, no browser is left, the database is sound;
  // when it is repeated, then it goes on from there.
  TempFolder folder;
  HoneProcess process(tune(folder, 500));
  ASSERT_TRUE(wait_until(seconds(60), [&] { return attempts(folder / "hone.db") >= 5; })) << process.err();
  std::vector<pid_t> browsers = descendants(process.pid(), "chromium");
  EXPECT_FALSE(browsers.empty());
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(seconds(15)), 130) << process.err();
  const auto stopped = nlohmann::json::parse(process.out());
  EXPECT_EQ(stopped["cancelled"], true);
  EXPECT_GE(stopped["trials"], 1);
  EXPECT_NE(stopped["stopped_because"].get<std::string>().find("repeat the command to go on"), std::string::npos);
  EXPECT_TRUE(wait_until(seconds(5), [&] { return std::none_of(browsers.begin(), browsers.end(), is_alive); }));
  expect_sound(folder / "hone.db");
  int64_t trials = query_number(folder / "hone.db", "SELECT count(*) FROM trials");
  HoneProcess again(tune(folder, 8));
  ASSERT_EQ(again.wait(seconds(120)), 0) << again.err();
  auto result = nlohmann::json::parse(again.out());
  EXPECT_GE(result["trials"].get<int64_t>() - result["trials_new"].get<int64_t>(), std::min<int64_t>(trials - 1, 5));
  expect_sound(folder / "hone.db");
}

TEST(Faults, KilledAtTenPointsNothingRecordedIsLostOrDoubled) {
  // Given ten runs, when each is killed with SIGKILL at a seeded moment of its measuring, then each record that was there before stays,
  // nothing is doubled, no browser is left; when a last run is let through, then it ends well.
  TempFolder folder;
  std::string db = folder / "hone.db";
  Rng rng(2);
  int64_t known = 0;
  for (int i = 0; i < 10; ++i) {
    HoneProcess process(tune(folder, 1000));
    int64_t wanted = known + 1 + static_cast<int64_t>(rng.below(6));
    ASSERT_TRUE(wait_until(seconds(90), [&] { return attempts(db) >= wanted || !process.running(); })) << process.err();
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(40)));  // the moment within a batch
    std::vector<pid_t> browsers = descendants(process.pid(), "chromium");
    const std::set<std::string> seen = attempt_names(db);
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait(seconds(5)), 128 + SIGKILL);
    EXPECT_TRUE(wait_until(seconds(5), [&] { return std::none_of(browsers.begin(), browsers.end(), is_alive); }));
    known = attempts(db);
    const std::set<std::string> kept = attempt_names(db);
    EXPECT_TRUE(std::includes(kept.begin(), kept.end(), seen.begin(), seen.end()));
    expect_sound(db);
  }
  HoneProcess last(tune(folder, 8));
  EXPECT_EQ(last.wait(seconds(120)), 0) << last.err();
  // A run's own browsers are no devices of anybody else.
  EXPECT_EQ(query_number(db, "SELECT (SELECT count(*) FROM fleet_agents) + (SELECT count(*) FROM fleet_devices)"), 0);
}

TEST(Faults, AKilledBrowserOrTabComesBackAndTheJobGoesOn) {
  // Given a run in the middle, when its browser is killed, and later the tab alone, then the run ends well and says how often it restarted.
  TempFolder folder;
  HoneProcess process(tune(folder, 60));
  std::string db = folder / "hone.db";
  ASSERT_TRUE(wait_until(seconds(60), [&] { return attempts(db) >= 4; })) << process.err();
  for (pid_t pid : descendants(process.pid(), "--headless")) kill(pid, SIGKILL);
  int64_t before = attempts(db);
  ASSERT_TRUE(wait_until(seconds(60), [&] { return attempts(db) >= before + 12; })) << process.err();
  for (pid_t pid : descendants(process.pid(), "--type=renderer")) kill(pid, SIGKILL);
  ASSERT_EQ(process.wait(seconds(180)), 0) << process.err();
  EXPECT_NE(process.err().find("restarted"), std::string::npos) << process.err();
  expect_sound(db);
  EXPECT_EQ(nlohmann::json::parse(process.out())["tasks"][0]["trials"], 60);
}

}  // namespace
}  // namespace hone::e2e
