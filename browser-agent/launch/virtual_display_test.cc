// With a real Xvfb.
#include <utility>

#include "browser-agent/launch/virtual_display.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/cat.h"
#include "browser-agent/launch/browser_finder.h"

namespace hone::launch {
namespace {

using namespace std::chrono_literals;

// True where a client finds the display.
bool takes_clients(const std::string& name) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = ""};
  const std::string path = "/tmp/.X11-unix/X" + name.substr(1);
  std::memcpy(address.sun_path + 1, path.data(), path.size());  // an abstract name: no file
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  const bool connected = connect(client, reinterpret_cast<sockaddr*>(&address), bytes) == 0;
  close(client);
  return connected;
}

class VirtualDisplayTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("PATH");
    const auto found = find_virtual_display(path ? path : "");
    if (!found.ok()) GTEST_SKIP() << found.error().message;
    program_ = *found;
  }
  std::unique_ptr<VirtualDisplay> start(std::string& name) {
    auto display = VirtualDisplay::start(io_, {.program = program_, .log = testing::TempDir() + "/display.log"},
                                         {.on_ready = [&](const std::string& ready) { name = ready; },
                                          .on_end = [this](const std::string& how) { end_ = how; }});
    EXPECT_TRUE(display.ok());
    return display.ok() ? std::move(*display) : nullptr;
  }
  bool run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    io_.restart();
    while (!done() && std::chrono::steady_clock::now() < deadline) io_.run_one_until(deadline);
    return done();
  }

  boost::asio::io_context io_;
  std::string program_, end_;
};

// Given two displays, when they are ready, then each has a name of its own and takes clients; when the objects are gone, they do no more.
TEST_F(VirtualDisplayTest, EachHasANameOfItsOwn) {
  std::string first_name, second_name;
  auto first = start(first_name), second = start(second_name);
  ASSERT_TRUE(run_until([&] { return !first_name.empty() && !second_name.empty(); }));
  EXPECT_NE(first_name, second_name);
  EXPECT_TRUE(takes_clients(first_name));
  EXPECT_TRUE(takes_clients(second_name));
  first.reset();
  EXPECT_FALSE(takes_clients(first_name));
  EXPECT_TRUE(takes_clients(second_name));
  second.reset();
  EXPECT_FALSE(takes_clients(second_name));
  EXPECT_EQ(end_, "");
}

// Given a display, when it is killed, then its end is told with the reason.
TEST_F(VirtualDisplayTest, AnEndIsTold) {
  std::string name;
  auto display = start(name);
  ASSERT_TRUE(run_until([&] { return !name.empty(); }));
  kill(display->pid(), SIGKILL);
  ASSERT_TRUE(run_until([&] { return !end_.empty(); }));
  EXPECT_EQ(end_, "signal 9");
}

// Given a program that is no X server, when started, then its end is told and no name.
TEST_F(VirtualDisplayTest, AProgramThatEndsGivesNoName) {
  program_ = "/bin/false";
  std::string name;
  auto display = start(name);
  ASSERT_TRUE(run_until([&] { return !end_.empty(); }));
  EXPECT_EQ(name, "");
  EXPECT_EQ(end_, "exit code 1");
}

}  // namespace
}  // namespace hone::launch
