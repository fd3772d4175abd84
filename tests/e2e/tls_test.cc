// A service with TLS, as real processes: the command line, browsers and Node.js come over https and wss.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/e2e/farm.h"
#include "tests/e2e/persons_browser.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

// Each test has an authority of its own, in the service's folder.
struct TlsFarm {
  HoneProcess::Config command(std::vector<std::string> arguments, const std::string& tls = "tls") const {
    auto config = hone_in(folder, std::move(arguments));
    config.environment["HONE_TLS_DIR"] = folder / tls;
    return config;
  }
  std::string says(std::vector<std::string> arguments, int code = 0, const std::string& tls = "tls") const {
    HoneProcess hone(command(std::move(arguments), tls));
    EXPECT_EQ(hone.wait(seconds(30)), code) << hone.err();
    return code == 0 ? hone.out() : hone.err();
  }
  void start(std::vector<std::string> more = {"--tls"}) {
    std::vector<std::string> arguments{"up", "--port", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    up = std::make_unique<HoneProcess>(command(arguments));
    ASSERT_TRUE(wait_until(seconds(20), [&] { return up->out().find('\n') != std::string::npos; })) << up->err();
    url = up->out().substr(0, up->out().find('\n'));
  }
  std::unique_ptr<HoneProcess> start_agent(std::vector<std::string> more) {
    std::vector<std::string> arguments{"agent", "--tracker", url};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<HoneProcess>(command(arguments));
  }
  bool has_ready(size_t count) const {
    const auto list = nlohmann::json::parse(says({"devices", "--json", "--tracker", url}), nullptr, false)["devices"];
    return static_cast<size_t>(std::count_if(list.begin(), list.end(), [](const auto& device) { return device["state"] == "ready"; })) == count;
  }

  TempFolder folder;
  std::unique_ptr<HoneProcess> up;
  std::string url;
};

TEST(Tls, BrowsersAndNodeJoinOverHttpsAndTune) {
  // Given a service with the certificate of hone tls init, when a headless Chromium and Node.js join, then both are ready; when an operator is tuned on each over https,
  // then it is.
  TlsFarm farm;
  farm.says({"tls", "init"});
  farm.start();
  ASSERT_EQ(farm.url.rfind("https://127.0.0.1:", 0), 0u) << farm.url;
  const auto chromium = farm.start_agent({"--target", "wasm"});
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.has_ready(1); })) << chromium->err();
  const auto node = farm.start_agent({"--browser", "node", "--target", "wasm"});
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.has_ready(2); })) << node->err();
  const auto list = nlohmann::json::parse(farm.says({"devices", "--json", "--tracker", farm.url}))["devices"];
  for (const auto& device : list) {
    const auto tuned = nlohmann::json::parse(farm.says({"tune", "--op", "matmul:16x16x16", "--trials", "2", "--target", "wasm", "--json", "--tracker", farm.url,
                                                        "--device", device["device_id"].get<std::string>()}));
    EXPECT_EQ(tuned["tasks"][0]["trials"], 2) << device;
  }
  EXPECT_EQ(chromium->err().find("restarted"), std::string::npos) << chromium->err();
}

TEST(Tls, AnAuthorityThatIsNotTrustedIsRefusedByAll) {
  // Given a service with TLS, when the command line, an agent and Node.js by itself come without its authority, or with another one, then each is refused with the reason; with
  // --ca the command line is let in.
  TlsFarm farm;
  farm.says({"tls", "init"});
  farm.says({"tls", "init"}, 0, "other");
  farm.start();
  for (const char* tls : {"none", "other"}) {
    const std::string refused = farm.says({"devices", "--tracker", farm.url}, 1, tls);
    EXPECT_NE(refused.find("by an authority that is not trusted here"), std::string::npos) << refused;
    EXPECT_NE(farm.says({"agent", "--browser", "node", "--target", "wasm", "--tracker", farm.url}, 1, tls).find("not trusted"), std::string::npos);
    EXPECT_NE(farm.says({"devices", "--tracker", farm.url, "--ca", farm.folder / "other/ca.crt"}, 1, tls).find("not trusted"), std::string::npos);
    farm.says({"devices", "--tracker", farm.url, "--ca", farm.folder / "tls/ca.crt"}, 0, tls);
  }
  HoneProcess doctor(farm.command({"doctor", "--tracker", farm.url}, "none"));
  EXPECT_EQ(doctor.wait(seconds(20)), 1);
  EXPECT_NE(doctor.out().find("--ca"), std::string::npos) << doctor.out();
}

TEST(Tls, ABrowserThatTrustsTheAuthorityJoinsByItsCode) {
  // Given the certificate that a service hands out over plain HTTP, when a person's Chromium trusts it and opens what hone enroll prints for this machine's address in the
  // network, then it is a device; a Chromium that does not trust it is none.
  TlsFarm farm;
  farm.says({"tls", "init"});
  farm.start({"--host", "0.0.0.0"});
  HoneProcess enroll(farm.command({"enroll", "--qr", "--tracker", farm.url.substr(0, farm.url.find('#'))}));
  ASSERT_EQ(enroll.wait(seconds(20)), 0) << enroll.err();
  const std::string link = enroll.out().substr(0, enroll.out().find('\n'));
  EXPECT_EQ(link.rfind("https://", 0), 0u) << link;
  EXPECT_NE(enroll.err().find("▄"), std::string::npos) << "the QR code";
  const size_t authority = enroll.err().find("http://");
  ASSERT_NE(authority, std::string::npos) << enroll.err();
  const std::string ca = enroll.err().substr(authority, enroll.err().find(',', authority) - authority);
  const std::string home = farm.folder / "home", database = "sql:" + home + "/.pki/nssdb";
  const std::string trust = "mkdir -p " + home + "/.pki/nssdb && curl -sf -o " + home + "/ca.crt " + ca + " && certutil -d " + database +
                            " -N --empty-password && certutil -d " + database + " -A -t C,, -n hone -i " + home + "/ca.crt";
  ASSERT_EQ(std::system(trust.c_str()), 0) << trust;
  const PersonsBrowser stranger(farm.folder / "stranger", farm.url + "&target=wasm");
  const PersonsBrowser browser(farm.folder / "browser", link + "&target=wasm", home);
  ASSERT_TRUE(wait_until(seconds(60), [&] { return farm.has_ready(1); })) << farm.says({"devices", "--tracker", farm.url});
}

TEST(Tls, APageOfPlainHttpSaysWhatToDo) {
  // Given a service on the network without TLS, when a Chromium opens its page by this machine's address, then it brings no device, and whoever waits for one hears why and what to do.
  TlsFarm farm;
  farm.start({"--host", "0.0.0.0", "--plain-http"});
  const std::string link = farm.says({"enroll", "--tracker", farm.url.substr(0, farm.url.find('#'))});
  if (link.rfind("http://127.", 0) == 0) GTEST_SKIP() << "this machine has no address but loopback's";
  const PersonsBrowser browser(farm.folder / "browser", link.substr(0, link.find('\n')));
  std::string shown;
  ASSERT_TRUE(wait_until(seconds(60), [&] {
    shown = farm.says({"tune", "--op", "matmul:16x16x16", "--wait", "0", "--tracker", farm.url}, 3);
    return shown.find("plain http") != std::string::npos;
  })) << shown;
  EXPECT_NE(shown.find("hone tls init"), std::string::npos) << shown;
}

TEST(Tls, ACertificateThatCannotBeUsedEndsTheServiceWithASentence) {
  // Given no certificate, a key of another one, or one of both options alone, when a service is started, then it ends with what is wrong and what to do.
  TlsFarm farm;
  EXPECT_NE(farm.says({"up", "--port", "0", "--tls"}, 1).find("hone tls init"), std::string::npos);
  EXPECT_NE(farm.says({"up", "--port", "0", "--host", "0.0.0.0"}, 2).find("hone tls init"), std::string::npos);
  farm.says({"tls", "init"});
  const std::string folder = farm.folder / "tls";
  EXPECT_NE(farm.says({"up", "--port", "0", "--tls-cert", folder + "/server.crt", "--tls-key", folder + "/ca.key"}, 1).find("not that of the certificate"), std::string::npos);
  EXPECT_NE(farm.says({"up", "--port", "0", "--tls-cert", folder + "/server.crt"}, 2).find("--tls-key"), std::string::npos);
  farm.start({"--tls-cert", folder + "/server.crt", "--tls-key", folder + "/server.key"});
  farm.says({"devices", "--tracker", farm.url});
}

}  // namespace
}  // namespace hone::e2e
