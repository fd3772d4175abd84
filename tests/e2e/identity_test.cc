// Who is let into a service, as real processes: enrolment, roles, restarts, and what other users of the machine can see.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/farm.h"
#include "tests/e2e/persons_browser.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

std::string file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Processes of the whole machine that have the text in this file of /proc.
std::vector<std::string> processes_with(const std::string& text, const std::string& file) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string bytes = file_bytes(entry.path().string() + "/" + file);
    if (bytes.find(text) != std::string::npos) found.push_back(entry.path().filename().string() + " " + bytes.substr(0, 200));
  }
  return found;
}

struct IdentityFarm : Farm {
  std::string plain() const { return url.substr(0, url.find('#')); }
  std::string url_token() const { return url.substr(url.find('=') + 1); }
  std::string says(std::vector<std::string> arguments, int code = 0) const {
    HoneProcess hone(command(std::move(arguments)));
    EXPECT_EQ(hone.wait(seconds(20)), code) << hone.err();
    return code == 0 ? hone.out().substr(0, hone.out().find('\n')) : hone.err();
  }
  std::string make_token(const std::string& role, const std::string& name) const {
    return says({"tokens", "create", "--role", role, "--name", name, "--tracker", url});
  }
  std::string id_of(const std::string& name) const {
    const auto list = nlohmann::json::parse(says({"tokens", "list", "--json", "--tracker", url}));
    for (const auto& token : list["tokens"])
      if (token["name"] == name) return token["token_id"];
    return "none";
  }
  void kill_service_and_start_it_again() {
    const std::string on = port();
    up->signal(SIGKILL);
    EXPECT_EQ(up->wait(seconds(5)), 128 + SIGKILL);
    start_service(on);
  }
};

TEST(Identity, AnEnrolledAgentComesBackByItself) {
  // Given an agent that came with a code, when the service is killed and started anew, then the agent is back as the same device; when the agent is ended and started
  // with the file of its token, then it is let in without a code; the code lets nobody in again.
  IdentityFarm farm;
  const std::string enrolment = farm.says({"enroll", "--name", "lab", "--tracker", farm.url});
  EXPECT_EQ(enrolment.rfind(farm.plain() + "#enroll=", 0), 0u) << enrolment;
  const std::string file = farm.folder / "agent.token";
  farm.start_agent_with({"--browser", "native", "--token-file", file}, enrolment);
  struct stat kept {};
  ASSERT_EQ(stat(file.c_str(), &kept), 0);
  EXPECT_EQ(kept.st_mode & 0777, 0600u);
  const std::string device = farm.present()[0]["device_id"];
  farm.kill_service_and_start_it_again();
  ASSERT_TRUE(wait_until(seconds(30), [&] { return farm.device_is("ready"); })) << farm.agent->err();
  EXPECT_EQ(farm.present()[0]["device_id"], device);
  EXPECT_EQ(farm.agent->err().find("restarted"), std::string::npos) << farm.agent->err();
  farm.agent->signal(SIGINT);
  EXPECT_EQ(farm.agent->wait(seconds(10)), 130);
  farm.start_agent_with({"--browser", "native", "--token-file", file}, farm.plain());
  HoneProcess late(farm.command({"agent", "--browser", "native", "--tracker", enrolment}));
  EXPECT_EQ(late.wait(seconds(20)), 1);
  EXPECT_NE(late.err().find("hone enroll"), std::string::npos) << late.err();
}

TEST(Identity, APageThatWasEnrolledComesBackWithItsTab) {
  // Given a browser that a person opened with a code, when the service is killed and started anew, then its tab is back by itself; when the browser is closed and
  // opened again at the service's plain address, then the page is let in; a fresh profile with the used code is not.
  IdentityFarm farm;
  const std::string profile = farm.folder / "profile", enrolment = farm.says({"enroll", "--tracker", farm.url});
  PersonsBrowser browser(profile, enrolment + "&target=wasm");
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.device_is("ready"); })) << file_bytes(profile + ".log");
  const std::string device = farm.present()[0]["device_id"];
  farm.kill_service_and_start_it_again();
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.device_is("ready"); }));
  EXPECT_EQ(farm.present()[0]["device_id"], device);
  // Chromium writes what pages keep some seconds later, and a headless one not when it is told to end.
  ASSERT_TRUE(wait_until(seconds(30), [&] {
    return file_bytes(profile + "/Default/Local Storage/leveldb/000003.log").find("hone.token") != std::string::npos;
  }));
  browser.close();
  ASSERT_TRUE(wait_until(seconds(20), [&] { return farm.present().empty(); }));
  PersonsBrowser stranger(farm.folder / "other", enrolment + "&target=wasm");
  PersonsBrowser again(profile, farm.plain() + "#target=wasm");
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.device_is("ready"); })) << file_bytes(profile + ".log");
  EXPECT_EQ(farm.present().size(), 1u) << "the stranger is not let in";
}

TEST(Identity, ARevokedAgentEndsAndItsSentenceSaysWhy) {
  // Given an agent with a token of its own, when that is revoked, then the agent ends with 1 and a sentence, and its device is gone.
  IdentityFarm farm;
  std::ofstream(farm.folder / "t") << farm.make_token("agent", "lab");
  farm.start_agent_with({"--browser", "native", "--token-file", farm.folder / "t"}, farm.plain());
  farm.says({"tokens", "revoke", farm.id_of("lab"), "--tracker", farm.url});
  EXPECT_EQ(farm.agent->wait(seconds(20)), 1);
  EXPECT_NE(farm.agent->err().find("the token was revoked"), std::string::npos) << farm.agent->err();
  EXPECT_TRUE(wait_until(seconds(10), [&] { return farm.present().empty(); })) << farm.devices();
}

TEST(Identity, ASubmitterTunesAndIsNoAgentAndNoAdmin) {
  // Given a submitter's token in a file and in the environment, when an operator is tuned with either, then it is, as its user; when an agent is started, a device
  // labelled or a token made with it, then each ends with 1 and says which role it needs.
  IdentityFarm farm;
  farm.start_agent_with({"--browser", "native"});
  const std::string token = farm.make_token("submitter", "ann"), file = farm.folder / "ann.token";
  std::ofstream(file) << token;
  const std::vector<std::string> tune{"tune", "--op", "matmul:16x16x16", "--trials", "2", "--target", "native", "--json", "--tracker", farm.plain()};
  auto by_environment = farm.command(tune), by_file = by_environment;
  by_environment.environment["HONE_TOKEN"] = token;
  by_file.arguments.insert(by_file.arguments.end(), {"--token-file", file});
  for (const auto& config : {by_environment, by_file}) {
    HoneProcess process(config);
    EXPECT_EQ(process.wait(seconds(60)), 0) << process.err();
  }
  EXPECT_EQ(query_number(farm.db(), "SELECT count(*) FROM fleet_leases WHERE user = 'ann'"), 2);
  EXPECT_NE(farm.says({"agent", "--browser", "native", "--tracker", farm.plain(), "--token-file", file}, 1).find("an agent needs one of the role agent"),
            std::string::npos);
  EXPECT_NE(farm.says({"devices", "label", "dev-1", "x", "--tracker", farm.plain(), "--token-file", file}, 1).find("needs one of the role admin"),
            std::string::npos);
  EXPECT_NE(farm.says({"tokens", "list", "--tracker", farm.plain(), "--token-file", file}, 1).find("needs one of the role admin"), std::string::npos);
  EXPECT_NE(farm.says({"devices", "--tracker", "http://localhost:" + farm.port() + "/agent/"}, 2).find("--token-file"), std::string::npos);
}

TEST(Identity, NoTokenStandsInACommandLine) {
  // Given a service, an agent with a browser and one without, all with a token in the environment, when all processes of the machine are looked at, then no command line
  // has the token, and nothing that hone started has it in its environment; nor is it in the command line of an agent whose URL was pasted with it.
  IdentityFarm farm;
  const std::string token = farm.url_token();
  ASSERT_EQ(token.size(), 32u);
  auto config = farm.command({"agent", "--tracker", farm.plain()});
  config.environment["HONE_TOKEN"] = token;
  HoneProcess by_environment(config);
  HoneProcess pasted(farm.command({"agent", "--browser", "native", "--tracker", farm.url}));
  ASSERT_TRUE(wait_until(seconds(60), [&] {
    const auto list = farm.present();
    return list.size() == 2 && list[0]["state"] == "ready" && list[1]["state"] == "ready";
  })) << by_environment.err() << pasted.err();
  EXPECT_FALSE(processes_with(farm.plain(), "cmdline").empty()) << "the control: command lines are found";
  EXPECT_EQ(processes_with(token, "cmdline"), std::vector<std::string>());
  const auto environments = processes_with(token, "environ");
  ASSERT_EQ(environments.size(), 1u) << "that with which the agent itself was started, which its own user alone may read";
  EXPECT_EQ(environments[0].rfind(std::to_string(by_environment.pid()) + " ", 0), 0u) << environments[0];
  EXPECT_FALSE(descendants(by_environment.pid(), "--headless").empty());
}

TEST(Identity, TheDatabaseHasNoTokenAndItsOwnerAloneReadsTheFiles) {
  // Given a service with tokens, when its files are read, then neither its URL's token nor another stands in the database; what holds the former has mode 0600.
  IdentityFarm farm;
  const std::string other = farm.make_token("admin", "root");
  for (const char* suffix : {"", "-wal"}) {
    EXPECT_EQ(file_bytes(farm.db() + suffix).find(other), std::string::npos);
    EXPECT_EQ(file_bytes(farm.db() + suffix).find(farm.url_token()), std::string::npos);
  }
  EXPECT_NE(file_bytes(farm.db() + ".token").find(farm.url_token()), std::string::npos);
  for (const std::string& path : {farm.db(), farm.db() + ".token"}) {
    struct stat file {};
    ASSERT_EQ(stat(path.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u) << path;
  }
}

}  // namespace
}  // namespace hone::e2e
