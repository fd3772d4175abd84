// A service that may open no more files: whoever is connected is served, others wait or are refused, nobody spins, and it works again when there is room.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/e2e/farm.h"
#include "tests/e2e/lease_check.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

constexpr int kSockets = 100;

// [s] of the processor, that the process has used.
double cpu_s(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  std::string ignored;
  for (int i = 0; i < 11; ++i) rest >> ignored;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// The largest number of a file that the process has open.
rlim_t last_descriptor(pid_t pid) {
  rlim_t last = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd"))
    last = std::max<rlim_t>(last, std::stoul(entry.path().filename().string()));
  return last;
}

// Sockets that connect and say nothing.
class Strangers {
 public:
  explicit Strangers(const std::string& port) {
    const sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(static_cast<uint16_t>(std::stoi(port))), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    for (int i = 0; i < kSockets; ++i) {
      sockets_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(connect(sockets_.back(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    }
  }
  ~Strangers() {
    for (const int fd : sockets_) close(fd);
  }

 private:
  std::vector<int> sockets_;
};

struct NativeFarm : Farm {
  HoneProcess::Config tune_native(int trials) const { return tune(trials, {"--target", "native"}); }
  bool measured(int64_t more_than) const {
    return wait_until(seconds(60), [&] { return query_number(db(), "SELECT count(*) FROM attempts") > more_than; });
  }
};

TEST(Descriptors, ARunningServiceWithoutOneServesWhoIsThereAndWorksAgainLater) {
  // Given a job in the middle, when its service may open nothing more and a hundred sockets connect, then the job ends well; without a job the service uses less than half a processor; when
  // it may open files again, then it lists its devices and does another job.
  NativeFarm farm;
  farm.start_agent_with({"--browser", "native"});
  HoneProcess tune(farm.tune_native(40));
  ASSERT_TRUE(farm.measured(3)) << tune.err();
  rlimit before{};
  ASSERT_EQ(prlimit(farm.up->pid(), RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit none{.rlim_cur = last_descriptor(farm.up->pid()) + 1, .rlim_max = before.rlim_max};
  ASSERT_EQ(prlimit(farm.up->pid(), RLIMIT_NOFILE, &none, nullptr), 0);
  Strangers strangers(farm.port());
  EXPECT_EQ(tune.wait(seconds(120)), 0) << tune.err();
  EXPECT_EQ(nlohmann::json::parse(tune.out(), nullptr, false)["tasks"][0]["trials"], 40);
  const double used_s = cpu_s(farm.up->pid());
  EXPECT_FALSE(wait_until(seconds(3), [&] { return !farm.up->running(); })) << farm.up->err();
  EXPECT_LT(cpu_s(farm.up->pid()) - used_s, 1.5) << "of 3 s";
  ASSERT_EQ(prlimit(farm.up->pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(wait_until(seconds(20), [&] { return farm.is_idle(); })) << farm.devices();
  HoneProcess again(farm.tune_native(45));
  expect_done(farm, again, 45);
  expect_one_lease_at_a_time(farm.db());
}

TEST(Descriptors, AServiceThatMayHaveFewIsStillAService) {
  // Given a service that was started with 64 descriptors, when a hundred sockets connect and stay, then an agent comes all the same, and a job ends well.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  NativeFarm farm;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  Strangers strangers(farm.port());
  farm.start_agent_with({"--browser", "native"});
  HoneProcess tune(farm.tune_native(10));
  expect_done(farm, tune, 10);
}

}  // namespace
}  // namespace hone::e2e
