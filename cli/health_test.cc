// What a service says of its health, over real sockets and a real database.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "base/net/http_client.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

net::HttpAnswer get(World& w, net::HttpAsk ask) {
  ask.host = "127.0.0.1";
  ask.port = w.service->port();
  std::optional<net::HttpAnswer> answer;
  net::http_ask(w.loop, std::move(ask), [&](net::HttpAnswer got) { answer = std::move(got); });
  CHECK(w.run_until([&] { return answer.has_value(); }), "no answer to a GET");
  return *answer;
}
net::HttpAnswer get(World& w, const std::string& path, std::vector<std::pair<std::string, std::string>> headers = {}) {
  return get(w, net::HttpAsk{.path = path, .headers = std::move(headers)});
}

TEST(Health, AServiceIsHealthyAndReadyWithoutAToken) {
  // Given a service, when its health is asked for without a token, then it says so at once, with its clock; under a foreign Host nobody hears
  // anything.
  World w;
  const net::HttpAnswer health = get(w, "/healthz");
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.body, "ok\n");
  EXPECT_NE(health.date.find(" GMT"), std::string::npos);
  EXPECT_EQ(get(w, "/readyz").status, 200);
  EXPECT_EQ(get(w, net::HttpAsk{.path = "/healthz", .host_header = "evil.example"}).status, 403);
  EXPECT_EQ(get(w, "/healthz/x").status, 404);
}

TEST(Health, WhileItStopsItIsHealthyAndNotReady) {
  // Given a service that was told to stop and has a client that stays, when it is asked, then it is healthy, and not ready because it stops.
  World w;
  w.service->stop();
  EXPECT_EQ(get(w, "/healthz").status, 200);
  const net::HttpAnswer ready = get(w, "/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_NE(ready.body.find("the service stops"), std::string::npos) << ready.body;
}

TEST(Health, HalfRequestsKeepNobodyFromBeingAnswered) {
  // Given more peers than strangers may have sockets, each with half a request, when health, readiness and metrics are asked for, then they are told.
  World w;
  std::vector<int> halves;
  for (int i = 0; i < 300; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in to{
        .sin_family = AF_INET, .sin_port = htons(w.service->port()), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    const std::string_view half = "GET /metrics HTTP/1.1\r\nHost: 127.0.";
    ASSERT_EQ(send(fd, half.data(), half.size(), MSG_NOSIGNAL), static_cast<ssize_t>(half.size()));
    halves.push_back(fd);
    if (i % 50 == 0) EXPECT_EQ(get(w, "/healthz").status, 200);
  }
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) EXPECT_EQ(get(w, path).status, 200) << path;
  for (int fd : halves) close(fd);
}

// As long as it lives, no file of this process can be written.
class NoWriting {
 public:
  NoWriting() {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 1;
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoWriting() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(Health, AServiceThatCannotWriteIsNotReadyUntilItCan) {
  // Given a service whose disk takes nothing more, when an agent comes, which is a write, then the service is not ready and says why; when the
  // disk takes writes again, then it becomes ready by being asked, though nobody else writes anything.
  World w;
  std::string why;
  {
    const NoWriting full;
    w.add_agent({.measure = always_good()});
    ASSERT_TRUE(w.run_until([&] {
      const net::HttpAnswer ready = get(w, "/readyz");
      why = ready.body;
      return ready.status == 503;
    }));
    w.agent.reset();
  }
  EXPECT_NE(why.find("the latest commit failed: the database "), std::string::npos) << why;
  EXPECT_TRUE(w.run_until([&] { return get(w, "/readyz").status == 200; }));
}

// The value of a series without labels, or with these; -1 where there is none.
double value_of(const std::string& page, const std::string& series) {
  const size_t at = page.find("\n" + series + " ");
  return at == std::string::npos ? -1 : std::stod(page.substr(at + series.size() + 2));
}

TEST(Metrics, AJobIsSeenInTheNumbers) {
  // Given a service with an agent, when a job of four trials has ended and one that asks for a target nobody has was given up, then the page says so:
  // agents, devices, leases, jobs, results, records, commits, kernels, sockets, bytes, the process; and the page is in the format of Prometheus.
  World w;
  w.add_agent({.measure = always_good()});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  protocol::JobRequest nowhere{
      .kind = protocol::JobKind::kTune, .source = {.op = "matmul:32x32x32"}, .target = "wasm", .trials = 1};
  nowhere.device_wait_s = 0.1;
  w.submit(nowhere);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  std::string page;
  ASSERT_TRUE(w.run_until([&] {
    page = get(w, "/metrics").body;
    return value_of(page, "hone_devices{state=\"ready\"}") == 1;
  }));
  EXPECT_EQ(value_of(page, "hone_agents_connected"), 1) << page;
  EXPECT_EQ(value_of(page, "hone_devices{state=\"leased\"}"), 0);
  EXPECT_EQ(value_of(page, "hone_leases"), 0);
  EXPECT_EQ(value_of(page, "hone_lease_grants_total"), 1);
  EXPECT_EQ(value_of(page, "hone_leases_lost_total{reason=\"silent\"}"), 0);
  EXPECT_EQ(value_of(page, "hone_jobs_running"), 0);
  EXPECT_EQ(value_of(page, "hone_jobs_ended_total{outcome=\"ok\"}"), 1);
  EXPECT_EQ(value_of(page, "hone_jobs_ended_total{outcome=\"no_device\"}"), 1);
  EXPECT_EQ(value_of(page, "hone_results_acknowledged_total"), w.agent->acknowledged);
  EXPECT_EQ(value_of(page, "hone_records_added_total"), w.agent->measured);
  EXPECT_GE(value_of(page, "hone_kernel_build_seconds_count"), 4);
  EXPECT_GT(value_of(page, "hone_kernel_build_seconds_sum"), 0);
  EXPECT_EQ(value_of(page, "hone_kernel_build_seconds_bucket{le=\"+Inf\"}"),
            value_of(page, "hone_kernel_build_seconds_count"));
  for (const char* store : {"fleet", "records"}) {
    EXPECT_GT(value_of(page, cat("hone_commit_seconds_count{store=\"", store, "\"}")), 0) << store;
    EXPECT_EQ(value_of(page, cat("hone_commit_failures_total{store=\"", store, "\"}")), 0) << store;
  }
  EXPECT_GE(value_of(page, "hone_sockets{peer=\"known\"}"), 2);
  EXPECT_GE(value_of(page, "hone_sockets{peer=\"stranger\"}"), 1) << "who asks is one";
  EXPECT_GT(value_of(page, "hone_received_bytes_total"), 1000);
  EXPECT_GT(value_of(page, "hone_sent_bytes_total"), 1000);
  EXPECT_GE(value_of(page, "hone_loop_lag_seconds_count"), 0);
  EXPECT_GT(value_of(page, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(value_of(page, "process_open_fds"), 5);
  EXPECT_GT(value_of(page, "process_max_fds"), value_of(page, "process_open_fds"));
  EXPECT_NE(page.find("hone_build_info{version=\""), std::string::npos);
  EXPECT_NE(page.find("# TYPE hone_lease_grants_total counter\n"), std::string::npos);
}

TEST(Metrics, NoNameFromOutsideIsALabel) {
  // Given agents and clients with names of their own, when the page is made, then it has none of them, and as many series as before they came.
  World w;
  const auto series = [&w] {
    const std::string page = get(w, "/metrics").body;
    return std::count(page.begin(), page.end(), '\n');
  };
  const auto before = series();
  w.add_agent({.measure = always_good(), .launch_id = "launch-of-somebody"});
  w.submit(1);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  w.add_another_agent({.measure = always_good()});
  EXPECT_EQ(series(), before);
  const std::string page = get(w, "/metrics").body;
  for (const std::string& name : {std::string("scripted"), w.job, w.url.token, std::string("swiftshader")})
    EXPECT_EQ(page.find(name), std::string::npos) << name;
}

TEST(Metrics, FromElsewhereTheyNeedTheToken) {
  // Given a service, when its metrics are asked for from this machine, then no token is needed; when a proxy hands the question on, then it
  // is, in either header, and a wrong one is refused.
  World w;
  EXPECT_EQ(get(w, "/metrics").status, 200);
  const std::pair<std::string, std::string> proxied{"X-Forwarded-For", "203.0.113.7"},
      standard{"Forwarded", "for=203.0.113.7"};
  for (const auto& by : {proxied, standard}) {
    EXPECT_EQ(get(w, "/metrics", {by}).status, 403);
    EXPECT_EQ(get(w, "/metrics", {by, {"Authorization", "Bearer wrong"}}).status, 403);
    EXPECT_EQ(get(w, "/metrics", {by, {"Authorization", cat("Basic ", w.url.token)}}).status, 403);
    EXPECT_EQ(get(w, "/metrics", {by, {"Authorization", cat("Bearer ", w.url.token)}}).status, 200);
    EXPECT_EQ(get(w, "/metrics", {by, {"X-Hone-Token", w.url.token}}).status, 200);
    EXPECT_EQ(get(w, "/metrics", {by, {"X-Hone-Token", std::string(3000, 'x')}}).status, 403);
  }
}

TEST(Metrics, AThousandScrapesLeaveTheLoopToOthers) {
  // Given a service, when it is asked for its metrics a thousand times, a hundred of them at a time, then each gets its answer, and a job that was
  // submitted meanwhile ends well.
  World w;
  w.add_agent({.measure = always_good()});
  w.submit(4);
  int asked = 0, answered = 0, good = 0;
  std::function<void()> ask = [&] {
    if (asked == 1000) return;
    ++asked;
    net::http_ask(w.loop, {.host = "127.0.0.1", .port = w.service->port(), .path = "/metrics"},
                  [&](net::HttpAnswer got) {
                    ++answered;
                    good += got.status == 200;
                    ask();
                  });
  };
  for (int i = 0; i < 100; ++i) ask();
  ASSERT_TRUE(w.run_until([&] { return answered == 1000 && w.ended(); }));
  EXPECT_EQ(good, 1000);
  EXPECT_TRUE(w.result);
}

}  // namespace
}  // namespace hone::cli
