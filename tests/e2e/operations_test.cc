// `hone up` as an administrator runs it: started and ended by a service manager, asked for its health, drained; with a real native agent.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/e2e/farm.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

// The answer to a GET of the service; "" where there is none.
std::string get(const std::string& port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{.sin_family = AF_INET,
                 .sin_port = htons(static_cast<uint16_t>(std::stoi(port))),
                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const timeval limit{.tv_sec = 10};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const std::string ask = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n";
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && write(fd, ask.data(), ask.size()) > 0) {
    std::array<char, 4096> buffer;
    for (ssize_t n; (n = read(fd, buffer.data(), buffer.size())) > 0;)
      answer.append(buffer.data(), static_cast<size_t>(n));
  }
  close(fd);
  return answer;
}
bool is(const std::string& answer, const std::string& status) { return answer.rfind("HTTP/1.1 " + status, 0) == 0; }

// systemd's end of sd_notify.
class Manager {
 public:
  explicit Manager(std::string path)
      : path_(std::move(path)), fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{.sun_family = AF_UNIX};
    std::memcpy(at.sun_path, path_.data(), path_.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  }
  ~Manager() { close(fd_); }
  bool heard(const std::string& state) {
    std::array<char, 256> text;
    for (ssize_t n; (n = recv(fd_, text.data(), text.size(), 0)) > 0;)
      heard_.emplace_back(text.data(), static_cast<size_t>(n));
    return std::find(heard_.begin(), heard_.end(), state) != heard_.end();
  }

 private:
  const std::string path_;
  const int fd_;
  std::vector<std::string> heard_;
};

struct ManagedFarm : Farm {
  // In the place of Farm's service.
  void serve(std::vector<std::string> options, std::map<std::string, std::string> environment = {}) {
    up->signal(SIGINT);
    EXPECT_EQ(up->wait(seconds(20)), 130);
    std::vector<std::string> arguments{"up", "--port", "0"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    HoneProcess::Config config = command(arguments);
    config.environment.insert(environment.begin(), environment.end());
    up = std::make_unique<HoneProcess>(config);
    EXPECT_TRUE(wait_until(seconds(20), [&] { return up->out().find('\n') != std::string::npos; })) << up->err();
    url = up->out().substr(0, up->out().find('\n'));
  }
  void start_native_agent() { start_agent_with({"--browser", "native"}); }
};

TEST(Operations, AServiceManagerHearsOfItsLife) {
  // Given a service manager with a watchdog of 200 ms, when `hone up` starts, runs and gets SIGTERM without a job, then the manager hears that it is
  // ready, that it turns, and that it stops; it ends at once with 0, and the audit log has both ends.
  ManagedFarm farm;
  Manager manager(farm.folder / "notify");
  farm.serve({}, {{"NOTIFY_SOCKET", farm.folder / "notify"}, {"WATCHDOG_USEC", "200000"}});
  EXPECT_TRUE(wait_until(seconds(10), [&] { return manager.heard("READY=1"); }));
  EXPECT_TRUE(wait_until(seconds(10), [&] { return manager.heard("WATCHDOG=1"); }));
  EXPECT_TRUE(is(get(farm.port(), "/healthz"), "200"));
  EXPECT_TRUE(is(get(farm.port(), "/readyz"), "200"));
  EXPECT_NE(get(farm.port(), "/metrics").find("\nhone_build_info{version="), std::string::npos);
  EXPECT_FALSE(manager.heard("STOPPING=1"));
  farm.up->signal(SIGTERM);
  EXPECT_EQ(farm.up->wait(seconds(10)), 0) << farm.up->err();
  EXPECT_TRUE(manager.heard("STOPPING=1"));
  std::ifstream audit(farm.db() + ".audit.jsonl");
  const std::string text{std::istreambuf_iterator<char>(audit), {}};
  EXPECT_NE(text.find("service_started"), std::string::npos);
  EXPECT_NE(text.find("service_stopped"), std::string::npos);
}

TEST(Operations, ADrainLetsJobsEndAndTakesNoNewOnes) {
  // Given a job under way, when the service gets SIGTERM, then it is healthy and not ready, a second job is refused with a sentence, the first ends
  // with all its trials, and then the service ends with 0.
  ManagedFarm farm;
  farm.serve({"--drain", "100"});
  farm.start_native_agent();
  HoneProcess tune(farm.tune(12, {"--target", "native"}));
  ASSERT_TRUE(wait_until(seconds(60),
                         [&] { return get(farm.port(), "/metrics").find("\nhone_leases 1") != std::string::npos; }));
  farm.up->signal(SIGTERM);
  ASSERT_TRUE(wait_until(seconds(10), [&] { return is(get(farm.port(), "/readyz"), "503"); }));
  EXPECT_TRUE(is(get(farm.port(), "/healthz"), "200"));
  HoneProcess late(farm.tune(2, {"--target", "native"}));
  EXPECT_EQ(late.wait(seconds(30)), 1);
  EXPECT_NE(late.err().find("takes no new jobs"), std::string::npos) << late.err();
  ASSERT_EQ(tune.wait(seconds(120)), 0) << tune.err();
  EXPECT_EQ(nlohmann::json::parse(tune.out())["tasks"][0]["trials"], 12);
  EXPECT_EQ(farm.up->wait(seconds(20)), 0) << farm.up->err();
  expect_sound(farm.db());
}

TEST(Operations, ASecondSignalAndTheEndOfTheTimeCancelWhatRuns) {
  // Given a job without end, when the service gets SIGTERM and its time is over, or a second SIGTERM, then the job is cancelled, its client
  // prints what is known, and the service ends: with 0 after its time, with 130 where it was not given it.
  for (const bool second : {false, true}) {
    ManagedFarm farm;
    farm.serve({"--drain", second ? "1000" : "0.5"});
    farm.start_native_agent();
    HoneProcess tune(farm.tune(100'000, {"--target", "native"}));
    ASSERT_TRUE(wait_until(seconds(60),
                           [&] { return get(farm.port(), "/metrics").find("\nhone_leases 1") != std::string::npos; }));
    farm.up->signal(SIGTERM);
    if (second) {
      ASSERT_TRUE(wait_until(seconds(10), [&] { return farm.up->err().find("draining") != std::string::npos; }));
      farm.up->signal(SIGTERM);
    }
    EXPECT_EQ(farm.up->wait(seconds(30)), second ? 130 : 0) << farm.up->err();
    EXPECT_NE(tune.wait(seconds(30)), -1) << tune.err();
    expect_sound(farm.db());
  }
}

TEST(Operations, LogsAreJsonWhereThatIsAskedFor) {
  // Given `hone up --log-format json`, when it starts and is drained, then each line on stderr is a JSON object with a message.
  ManagedFarm farm;
  farm.serve({"--log-format", "json"});
  farm.up->signal(SIGTERM);
  EXPECT_EQ(farm.up->wait(seconds(10)), 0);
  std::istringstream lines(farm.up->err());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object() && json.contains("message") && json.contains("time")) << line;
  }
  EXPECT_GE(count, 3) << farm.up->err();
}

TEST(Operations, TheDoctorSaysWhatIsWrongWithAFarm) {
  // Given a service without devices, when the doctor is asked about it, then it exits with 1 and names what is missing and what to do; with a device,
  // it exits with 0.
  ManagedFarm farm;
  HoneProcess lonely(farm.command({"doctor", "--tracker", farm.url, "--json"}));
  EXPECT_EQ(lonely.wait(seconds(30)), 1) << lonely.out();
  for (const auto& check : nlohmann::json::parse(lonely.out())["checks"]) {
    EXPECT_EQ(check["ok"], check["name"] != "devices") << check;
    EXPECT_EQ(check["remedy"].get<std::string>().empty(), check["ok"].get<bool>()) << check;
  }
  farm.start_native_agent();
  HoneProcess well(farm.command({"doctor", "--tracker", farm.url}));
  EXPECT_EQ(well.wait(seconds(30)), 0) << well.out();
  EXPECT_NE(well.out().find("1 ready"), std::string::npos) << well.out();
}

}  // namespace
}  // namespace hone::e2e
