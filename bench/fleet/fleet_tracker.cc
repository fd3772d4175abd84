// A tracker on its real store and sockets, asked for leases as a compile server asks. Each second, and with the first lease, it prints one JSON line of what was since the last:
//   {"connected": agents, "dispatch_ms": [from acquire to the committed lease], "late_ms_max": how late the loop ran a timer of
//   5 ms, "busy_ms_max": how long its thread computed between two looks, which the machine's other work does not change}
// Whatever is asked for by HTTP is a blob of 1 MiB. With --known N it only writes N devices that are gone to the store, and ends.
#include <cstdio>
#include <ctime>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/net/server.h"
#include "bench/fleet/simulated_device.h"
#include "bench/fleet/tls_folder.h"
#include "tracker/service.h"
#include "tracker/sql_store.h"

using namespace hone;
using namespace std::chrono_literals;

namespace {

constexpr auto kProbe = 5ms;
constexpr int kKnownPerCommit = 1'000;
constexpr size_t kBlobBytes = 1 << 20;

struct Options {
  std::string db, token, tls_folder;
  int port = 0, known = 0, waiters = 0;
  double dispatch_hz = 0;
};

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double thread_cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

int fill(const Options& options) {
  const auto store = tracker::open_store(options.db).value();
  const int64_t now = SystemClock().now().count();
  for (int first = 0; first < options.known; first += kKnownPerCommit) {
    std::vector<tracker::Write> writes;
    for (int i = first; i < std::min(first + kKnownPerCommit, options.known); ++i) {
      const std::string agent = cat("agent-known-", i);
      writes.push_back(tracker::StoredAgent{.agent_id = agent, .seen_unix_ms = now});
      writes.push_back(
          tracker::StoredDevice{.device_id = cat("dev-known-", i),
                                .agent_id = agent,
                                .local_id = "gpu",
                                .device_key = std::string(32, '0'),
                                .fingerprint = std::make_shared<protocol::Fingerprint>(bench::simulated_fingerprint(i)),
                                .timer = {.method = "timestamp"},
                                .seen_unix_ms = now});
    }
    (void)store->commit(writes).value();
  }
  return 0;
}

class Load {
 public:
  Load(net::EventLoop& loop, tracker::Service& service, net::Server& server, const Options& options)
      : service_(service), server_(server), dispatch_(loop), probe_(loop), report_(loop) {
    for (int i = 0; i < options.waiters; ++i)
      service_.acquire(
          {.selector = "feature=nobody-has-it", .job = cat("waits-", i), .wait = 24h},
          [](const Result<tracker::Lease>&) {}, [](const Error&) {});
    if (options.dispatch_hz > 0)
      dispatch_.start_repeating(std::chrono::milliseconds(static_cast<int>(1000 / options.dispatch_hz)),
                                [this] { dispatch(); });
    probe_.start_repeating(kProbe, [this] { probe(); });
    report_.start_repeating(1s, [this] { report(); });
  }

 private:
  void dispatch() {
    const auto asked = std::chrono::steady_clock::now();
    service_.acquire(
        {.target = "webgpu", .job = "dispatch", .wait = 60s},
        [this, asked](Result<tracker::Lease> lease) {
          if (!lease.ok()) return;
          dispatch_ms_.push_back(ms_since(asked));
          if (!std::exchange(dispatched_, true)) report();  // the first is told at once: it is waited for
          service_.release(lease->lease_id);
        },
        [](const Error&) {});
  }
  void probe() {
    const double late = ms_since(probed_) - static_cast<double>(kProbe.count());
    probed_ = std::chrono::steady_clock::now();
    late_ms_max_ = std::max(late_ms_max_, late);
    const double cpu_ms = thread_cpu_ms();
    busy_ms_max_ = std::max(busy_ms_max_, cpu_ms - std::exchange(cpu_ms_, cpu_ms));
  }
  void report() {
    const nlohmann::json line{{"connected", server_.channels()},
                              {"dispatch_ms", std::exchange(dispatch_ms_, {})},
                              {"late_ms_max", std::exchange(late_ms_max_, 0)},
                              {"busy_ms_max", std::exchange(busy_ms_max_, 0)}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }

  tracker::Service& service_;
  net::Server& server_;
  net::Timer dispatch_, probe_, report_;
  std::vector<double> dispatch_ms_;
  std::chrono::steady_clock::time_point probed_ = std::chrono::steady_clock::now();
  bool dispatched_ = false;
  double late_ms_max_ = 0, busy_ms_max_ = 0, cpu_ms_ = thread_cpu_ms();
};

int serve(const Options& options) {
  net::EventLoop loop;
  SteadyClock steady;
  SystemClock wall;
  auto store = tracker::open_store(options.db);
  if (!store.ok()) return std::fprintf(stderr, "%s\n", store.error().message.c_str()), 1;
  auto service = tracker::Service::start(loop, std::move(*store), steady, wall, {.token = options.token});
  if (!service.ok()) return std::fprintf(stderr, "%s\n", service.error().message.c_str()), 1;
  net::ServerConfig config{.port = static_cast<uint16_t>(options.port)};
  const auto blob = std::make_shared<const std::string>(kBlobBytes, 'b');
  config.on_get = [blob](const net::HttpRequest&) { return net::HttpReply{.content_type = "application/octet-stream", .body = blob, .immutable = true}; };
  config.endpoints = {
      {.path = "/ws/agent", .accept = [s = service->get()](auto channel) { return s->accept(channel); }}};
  if (!options.tls_folder.empty())
    config.tls = net::Certified{.certificate = bench::file_text(options.tls_folder + "/server.crt"), .key = bench::file_text(options.tls_folder + "/server.key")};
  auto server = net::Server::start(loop, std::move(config));
  if (!server.ok()) return std::fprintf(stderr, "%s\n", server.error().message.c_str()), 1;
  std::printf("{\"port\": %d}\n", (*server)->port());
  std::fflush(stdout);
  Load load(loop, **service, **server, options);
  loop.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("a tracker under load");
  app.add_option("--db", options.db)->required();
  app.add_option("--token", options.token);
  app.add_option("--port", options.port);
  app.add_option("--tls-folder", options.tls_folder, "of hone tls init; none: no TLS");
  app.add_option("--known", options.known);
  app.add_option("--waiters", options.waiters);
  app.add_option("--dispatch-hz", options.dispatch_hz);
  CLI11_PARSE(app, argc, argv);
  return options.known > 0 ? fill(options) : serve(options);
}
