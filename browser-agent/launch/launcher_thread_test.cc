#include "browser-agent/launch/launcher_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "base/cat.h"

namespace hone::launch {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;

class LauncherThreadTest : public testing::Test {
 protected:
  LauncherThreadTest() { fs::create_directories(folder_); }
  ~LauncherThreadTest() override { fs::remove_all(folder_); }

  // A program in the browser's place.
  BrowserLauncher::Options options(const std::string& script) {
    const std::string path = folder_ + "/browser";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return {.browser = path, .url = "http://127.0.0.1:1/#token=x", .launch_id = "l", .temp_dir = folder_};
  }
  LauncherThread::Post post() {
    return [this](std::function<void()> work) { asio::post(io_, std::move(work)); };
  }
  LauncherThread::Events events() {
    return {.on_state = [this](BrowserState state, const std::string&) { states_.push_back(state); },
            .on_failed = [this](Error error) { failure_ = std::move(error); }};
  }
  // Of the owner's thread, until it is so.
  void run_until(const std::function<bool()>& done) {
    io_.restart();
    const auto work = asio::make_work_guard(io_);
    while (!done()) ASSERT_GT(io_.run_one_for(std::chrono::seconds(60)), 0u) << "nothing happens";
  }
  size_t profiles() const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) count += entry.path().filename().string().starts_with("hone-browser-");
    return count;
  }

  const std::string folder_ = fs::temp_directory_path() / cat("hone_launcher_thread_", getpid());
  asio::io_context io_;
  std::vector<BrowserState> states_;
  std::optional<Error> failure_;
};

TEST_F(LauncherThreadTest, WhatBlocksDoesNotHoldItsOwner) {
  // Given options that are found only after the owner has done something, when the launcher is made, then its owner does it, and then the browser starts.
  std::promise<void> owner_went_on;
  LauncherThread launcher(
      [&]() -> Result<BrowserLauncher::Options> {
        owner_went_on.get_future().wait();
        return options("exec sleep 1000");
      },
      post(), events());
  owner_went_on.set_value();
  run_until([&] { return !states_.empty(); });
  EXPECT_EQ(states_, std::vector{BrowserState::kStarting});
}

TEST_F(LauncherThreadTest, NothingIsLeftOfIt) {
  // Given a browser that runs, when the launcher goes, then its profile is gone, and no event comes any more.
  auto launcher = std::make_unique<LauncherThread>([&] { return Result(options("exec sleep 1000")); }, post(), events());
  run_until([&] { return !states_.empty(); });
  EXPECT_EQ(profiles(), 1u);
  launcher->on_agent(AgentLiveness::kConnected, "");
  launcher.reset();
  EXPECT_EQ(profiles(), 0u);
  io_.restart();
  io_.poll();
  EXPECT_EQ(states_, std::vector{BrowserState::kStarting});
}

TEST_F(LauncherThreadTest, WhatCannotBeStartedIsSaid) {
  // Given no browser, and one that is no program, when launchers are made, then each says why, once, and a word about its agent changes nothing.
  for (const bool found : {false, true}) {
    failure_.reset();
    LauncherThread launcher(
        [&]() -> Result<BrowserLauncher::Options> {
          if (!found) return Error{ErrorCode::kNotFound, "there is no browser"};
          BrowserLauncher::Options broken = options("");
          broken.browser = folder_ + "/nothing";
          return broken;
        },
        post(), events());
    launcher.on_agent(AgentLiveness::kStuck, "");
    run_until([&] { return failure_.has_value(); });
    EXPECT_EQ(failure_->code, found ? ErrorCode::kIoError : ErrorCode::kNotFound) << failure_->message;
  }
}

}  // namespace
}  // namespace hone::launch
